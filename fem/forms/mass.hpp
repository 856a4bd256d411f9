// The mass of a body, integral of rho u . v: consistent, by full quadrature on every cell. With density 1 it turns
// nodal values of a source into a right-hand side. Hughes, The Finite Element Method, Dover 2000, section 7.3.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>

namespace ritz {

// C components in G dimensions. In two dimensions `weight` is the thickness; of a body of revolution about the y axis
// (x = r) it is 2 pi, and r joins it.
template <int C, int G, bool Axisymmetric = false>
struct Mass {
  static constexpr const char* names[2][3] = {{"mass1_2", "mass2_2", ""}, {"mass1_3", "", "mass3_3"}};
  static constexpr const char* axisymmetric_names[2] = {"axisymmetric_mass1", "axisymmetric_mass2"};
  static constexpr const char* name = Axisymmetric ? axisymmetric_names[C - 1] : names[G - 2][C - 1];
  static constexpr int components = C, dimension = G, extra_degree = Axisymmetric ? 1 : 0;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 1> given = {{{.name = "density", .unit = "kg/m^3", .above = 0}}};
  double density;     // [kg/m^3]
  double weight = 1;  // thickness [m], or 2 pi
  constexpr std::array<double, 1> numbers() const { return {density}; }

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, C, G>& u, Fields<T, C, G>& f) const {
    T factor = weight * p.given[0];
    if constexpr (Axisymmetric) { factor = factor * p.x[0]; }
    for (int c = 0; c < C; ++c) f.value[c] = factor * u.value[c];
  }
};

}  // namespace ritz
