// Densities as forms.
#pragma once

#include "fem/forms/loads.hpp"
#include "fem/physics/coefficient.hpp"
#include "fem/results/region_points.hpp"

#include <vector>

namespace ritz {

// factor * value, a density of force or heat per volume (codimension 0) or per area (1).
template <int C, int G, int Codimension>
FormValue load_form(const std::vector<Coefficient>& value, const BodyMeasure& measure, double factor = 1) {
  return {Load<C, G, Codimension>{.weight = factor * measure.weight, .axisymmetric = measure.axisymmetric},
          functions(value)};
}

// The same of a field whose number of components and of dimensions is known when a program runs.
template <int G, int C = 6>
FormValue density_form(int components, const std::vector<Coefficient>& density, bool on_facets,
                       const BodyMeasure& measure) {
  if constexpr (C > 1)
    if (components < C) return density_form<G, C - 1>(components, density, on_facets, measure);
  return on_facets ? load_form<C, G, 1>(density, measure) : load_form<C, G, 0>(density, measure);
}

}  // namespace ritz
