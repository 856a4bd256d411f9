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
  if constexpr (requires { L::table; }) {
    auto& table = law.*(L::table);
    const Hardening curve{{0, 0.01, 0.05, 1, 1, 1, 1, 1}, {5, 8, 12, 30, 30, 30, 30, 30}};
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(table)>, Hardening>) {
      table = curve;
    } else {  // half of it from 120 degrees on
      table = {{}, {20, 120, 120, 120, 120}, {}};
      for (int i = 0; i < hardening_points; ++i) {
        table.strain[i] = curve.strain[i];
        for (int t = 0; t < hardening_temperatures; ++t) table.stress[t][i] = (t == 0 ? 1 : 0.5) * curve.stress[i];
      }
    }
  }
  return law;
}

}  // namespace ritz
