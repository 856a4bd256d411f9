// Given densities as forms: constant ones where they are numbers, since those are faster.
#pragma once

#include "fem/forms/loads.hpp"
#include "fem/forms/varying.hpp"
#include "fem/physics/coefficient.hpp"
#include "fem/results/region_points.hpp"

#include <vector>

namespace ritz {

// factor * value, a density of force or heat per volume (codimension 0) or per area (1).
template <int C, int G, int Codimension>
FormValue load_form(const std::vector<Coefficient>& value, const BodyMeasure& measure, double factor = 1) {
  if constexpr (C == 1 || C == G) {
    if (all_numbers(value)) {
      Load<C, G, Codimension> load{};
      for (std::size_t c = 0; c < C; ++c) load.density[c] = factor * value[c].number();
      load.weight = measure.weight;
      load.axisymmetric = measure.axisymmetric;
      return load;
    }
  }
  return {GivenLoad<C, G, Codimension>{factor * measure.weight, measure.axisymmetric}, functions(value)};
}

}  // namespace ritz
