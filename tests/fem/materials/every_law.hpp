// All laws with the parameters of their examples, for tests of facts that hold for each.
#pragma once

#include "fem/materials/arruda_boyce.hpp"
#include "fem/materials/chaboche.hpp"
#include "fem/materials/drucker_prager.hpp"
#include "fem/materials/hill.hpp"
#include "fem/materials/hyperfoam.hpp"
#include "fem/materials/j2.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/materials/mooney_rivlin.hpp"
#include "fem/materials/neo_hooke.hpp"
#include "fem/materials/norton.hpp"
#include "fem/materials/ogden.hpp"
#include "fem/materials/prony.hpp"
#include "fem/materials/yeoh.hpp"

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
