// Masses of solid bodies as forms, and the forces of a constant speed of rotation, seen from the frame that turns along
// (Geradin and Rixen, Mechanical Vibrations, 2015, section 2.10). Private to fem/physics.
#pragma once

#include "fem/forms/form_value.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/mass_across.hpp"
#include "fem/forms/with_waves.hpp"
#include "fem/physics/load_forms.hpp"

#include <vector>

namespace ritz {

template <int G>
FormValue mass_form(const Coefficient& density, const BodyMeasure& measure, double factor = 1) {
  const double weight = factor * measure.weight;
  if constexpr (G == 2)
    if (measure.axisymmetric) return {Mass<2, 2, true>{.weight = weight}, {density.function()}};
  return {Mass<G, G>{.weight = weight}, {density.function()}};
}

// The mass of a body of revolution with waves around; the integral has the factor of theta.
inline FormValue mass_with_waves(const Coefficient& density) { return {WithWaves<Mass<3, 3>>{}, {density.function()}}; }

// The same for motions across its axis.
inline FormValue mass_across_with_waves(const Coefficient& density, double factor) {
  WithWaves<MassAcross<3, false>> form{};
  form.weight = factor;
  form.axis[1] = 1;
  return {form, {density.function()}};
}

// For motions across the axis, of length 1.
template <int G>
FormValue mass_across(const Coefficient& density, const Point& axis, const BodyMeasure& measure, double factor) {
  constexpr bool around = G == 2;
  if (around && !measure.axisymmetric) return mass_form<G>(density, measure, factor);  // the axis stands across it
  MassAcross<G, around> form{.weight = factor * measure.weight};
  for (std::size_t d = 0; d < G; ++d) form.axis[d] = axis[d];
  return {form, {density.function()}};
}

// factor * density * (distance from the axis through the point), outwards.
template <int G>
FormValue centrifugal_load(const Coefficient& density, const Point& axis, const Point& point,
                           const BodyMeasure& measure, double factor) {
  const PointExpression x[3] = {PointExpression::x() - point[0], PointExpression::y() - point[1],
                                PointExpression::z() - point[2]};
  PointExpression along = axis[0] * x[0];
  for (std::size_t d = 1; d < G; ++d) along = along + axis[d] * x[d];
  std::vector<Coefficient> force;
  for (std::size_t d = 0; d < G; ++d)
    force.emplace_back(PointFunction(density.expression() * (x[d] - axis[d] * along)));
  return load_form<G, G, 0>(force, measure, factor);
}

}  // namespace ritz
