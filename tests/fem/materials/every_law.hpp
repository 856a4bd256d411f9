// All laws with the parameters of their examples, for tests of facts that hold for each.
#pragma once

#include "fem/materials/laws.hpp"

#include <cmath>

namespace ritz {

template <Law L>
L example_of() {
  L law{};
  for (const auto& p : L::parameters) {
    const ParameterFacts& f = p.facts;
    law.*(p.member) = std::isnan(f.example) ? f.fallback : f.example;
  }
  if constexpr (requires { L::table; })
    law.*(L::table) = {{0, 0.01, 0.05, 1, 1, 1, 1, 1}, {5, 8, 12, 30, 30, 30, 30, 30}};
  return law;
}

}  // namespace ritz
