// The mass of a body for motions across an axis, integral of rho u . v without the parts along it. With the factor
// -speed^2 it is the stiffness of centrifugal forces, which grow with the displacement (Geradin and Rixen, Mechanical
// Vibrations, 2015, section 2.10).
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>

namespace ritz {

// In three dimensions, or of a body of revolution (weight 2 pi).
template <int G, bool Axisymmetric>
struct MassAcross {
  static constexpr const char* name = Axisymmetric ? "axisymmetric_mass_across" : "mass_across";
  static constexpr int components = G, dimension = G, extra_degree = Axisymmetric ? 1 : 0;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 1> given = {{{.name = "density", .unit = "kg/m^3", .above = 0}}};
  double weight = 1;
  double axis[G] = {};  // of length 1

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T density = weight * p.given[0];
    if constexpr (Axisymmetric) density = density * p.x[0];
    T along = axis[0] * u.value[0];
    for (int c = 1; c < G; ++c) along = along + axis[c] * u.value[c];
    for (int c = 0; c < G; ++c) f.value[c] = density * (u.value[c] - axis[c] * along);
  }
};

}  // namespace ritz
