// The forms of loads.hpp, diffusion.hpp and mass.hpp with numbers that vary from point to point: what
// formulas and tables of a case file give. The others are faster where a number is constant.
#pragma once

#include "fem/forms/loads.hpp"
#include "fem/forms/parameter.hpp"

#include <array>

namespace ritz {

// A density of force or heat, per volume (codimension 0) or per area (1). Loads enter residuals with a minus sign.
template <int C, int G, int Codimension>
struct GivenLoad {
  static constexpr auto text = load_name("given_", Codimension, C, G);
  static constexpr const char* name = text.data();
  static constexpr int components = C, dimension = G, codimension = Codimension;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  static constexpr std::array<ParameterFacts, C> given = [] {
    constexpr ParameterFacts all[6] = {{.name = "density_x"}, {.name = "density_y"}, {.name = "density_z"},
                                       {.name = "density_3"}, {.name = "density_4"}, {.name = "density_5"}};
    std::array<ParameterFacts, C> first{};
    for (int c = 0; c < C; ++c) first[c] = all[c];
    return first;
  }();
  double weight = 1;  // thickness, or 2 pi
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, C>& p, const Fields<T, C, G>&, Fields<T, C, G>& f) const {
    for (int c = 0; c < C; ++c) {
      f.value[c] = -weight * p.given[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

// Pressure on facets, positive into the body.
template <int G>
struct GivenPressure {
  static constexpr const char* name = G == 3 ? "given_pressure3" : "given_pressure2";
  static constexpr int components = G, dimension = G, codimension = 1;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  static constexpr std::array<ParameterFacts, 1> given = {{{.name = "pressure", .unit = "Pa"}}};
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>&, Fields<T, G, G>& f) const {
    for (int c = 0; c < G; ++c) {
      f.value[c] = weight * p.given[0] * p.normal[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

// -div(k grad u).
template <int G>
struct VaryingDiffusion {
  static constexpr const char* name = G == 3 ? "varying_diffusion3" : "varying_diffusion2";
  static constexpr int components = 1, dimension = G, extra_degree = G == 2 ? 1 : 0;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "temperature", *derives = "heat_flux";
  static constexpr int derived = G;
  static constexpr std::array<ParameterFacts, 1> given = {
      {{.name = "conductivity", .unit = "W/(m K)", .about = "k", .above = 0}}};
  double weight = 1;  // thickness [m], or 2 pi
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    T k = weight * p.given[0];
    if (axisymmetric) k = k * p.x[0];
    for (int d = 0; d < G; ++d) f.gradient[0][d] = k * u.gradient[0][d];
  }
  template <class T>
  constexpr void derive(const Location<T, G, 1>& p, const Fields<T, 1, G>& u, T* out) const {
    for (int d = 0; d < G; ++d) out[d] = -1.0 * p.given[0] * u.gradient[0][d];
  }
};

// Newton's law of cooling on facets: heat h (u - ambient) leaves the body.
template <int G>
struct VaryingConvection {
  static constexpr const char* name = G == 3 ? "varying_convection3" : "varying_convection2";
  static constexpr int components = 1, dimension = G, codimension = 1, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 2> given = {
      {{.name = "coefficient", .unit = "W/(m^2 K)", .about = "h", .above = 0},
       {.name = "ambient", .unit = "K", .about = "temperature of the fluid", .example = 20}}};
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 2>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = weight * p.given[0] * (u.value[0] - p.given[1]);
    if (axisymmetric) f.value[0] = f.value[0] * p.x[0];
  }
};

// Integral of rho u . v; of a body of revolution `weight` is 2 pi, and r joins it.
template <int G, bool Axisymmetric = false>
struct VaryingMass {
  static constexpr const char* name = G == 3         ? "varying_mass3"
                                      : Axisymmetric ? "varying_axisymmetric_mass2"
                                                     : "varying_mass2";
  static constexpr int components = G, dimension = G, extra_degree = Axisymmetric ? 1 : 0;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 1> given = {{{.name = "density", .unit = "kg/m^3", .above = 0}}};
  double weight = 1;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T density = weight * p.given[0];
    if constexpr (Axisymmetric) density = density * p.x[0];
    for (int c = 0; c < G; ++c) f.value[c] = density * u.value[c];
  }
};

}  // namespace ritz
