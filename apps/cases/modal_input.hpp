// What ritz-modal solves for: of bodies with materials, or of structures with sections.
#pragma once

#include "apps/run/run.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/operator/integral.hpp"
#include "fem/space/constraints.hpp"

#include <functional>
#include <vector>

namespace ritz {

struct ModalInput {
  const FunctionSpace* space;
  std::vector<Integral> elastic, inertial;
  Constraints fixed;
  VibrationModel model;
  std::function<double(const VibrationModes&)> mass;  // [kg], where it can be had by other means than the mass matrix
};

// What is wrong is added to the case.
ModalInput read_bodies(Run& run);
ModalInput read_frames(Run& run);

}  // namespace ritz
