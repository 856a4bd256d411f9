// Regions of a case whose motion is reported after each solution: rigid ones, and those whose mean motion counts.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/analysis/observer.hpp"
#include "fem/physics/rigid_region.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>

namespace ritz {

struct MovedRegion {
  std::string kind, sentence, region, name = {};
  std::function<RigidMotion(std::span<const double>)> motion;
  int field = 0;
  std::array<int, 6> loads = {-1, -1, -1, -1, -1, -1};  // [motion] number among the prescribed means, -1: it is free

  bool is_prescribed() const {
    return std::ranges::any_of(loads, [](int each) { return each >= 0; });
  }
  void report(Run& run, const SolutionView& s, std::span<const double> u) const;
};

}  // namespace ritz
