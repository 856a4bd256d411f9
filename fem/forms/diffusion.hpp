// Steady diffusion and its loads: heat conduction with sources, fluxes and convection. Units are SI; any consistent
// ones will do. Incropera et al., Fundamentals of Heat and Mass Transfer, ch. 2.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>
#include <numbers>

namespace ritz {

// -div(k grad u): f.gradient = k grad u. `weight` is the thickness in two dimensions (1 in three).
template <int G>
struct Diffusion {
  static constexpr const char* name = G == 3 ? "diffusion3" : "diffusion2";
  static constexpr int components = 1, dimension = G;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr bool objective = true;
  static constexpr const char *unknown = "temperature", *derives = "heat_flux";
  static constexpr int derived = G;  // heat flux -k grad u [W/m^2]
  double conductivity;               // [W/(m K)]
  double weight = 1;                 // thickness [m]
  static constexpr Parameter<Diffusion> parameters[] = {
      {&Diffusion::conductivity, {.name = "conductivity", .unit = "W/(m K)", .about = "k", .above = 0}},
      {&Diffusion::weight,
       {.name = "thickness", .unit = "m", .about = "of a plate; 1 in three dimensions", .above = 0, .fallback = 1}}};

  template <class T>
  constexpr void operator()(const Location<T, G>&, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    for (int d = 0; d < G; ++d) f.gradient[0][d] = (weight * conductivity) * u.gradient[0][d];
  }
  template <class T>
  constexpr void derive(const Location<T, G>&, const Fields<T, 1, G>& u, T* out) const {
    for (int d = 0; d < G; ++d) out[d] = -conductivity * u.gradient[0][d];
  }
};

// The same in a body of revolution about the y axis (x = r): integrals run over 2 pi r dA.
struct AxisymmetricDiffusion {
  static constexpr const char* name = "axisymmetric_diffusion";
  static constexpr int components = 1, dimension = 2, extra_degree = 1;
  static constexpr bool of_revolution = true, uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr int derived = 2;
  double conductivity;  // [W/(m K)]

  template <class T>
  constexpr void operator()(const Location<T, 2>& p, const Fields<T, 1, 2>& u, Fields<T, 1, 2>& f) const {
    const auto k = (2 * std::numbers::pi * conductivity) * p.x[0];
    for (int d = 0; d < 2; ++d) f.gradient[0][d] = k * u.gradient[0][d];
  }
  template <class T>
  constexpr void derive(const Location<T, 2>&, const Fields<T, 1, 2>& u, T* out) const {
    for (int d = 0; d < 2; ++d) out[d] = -conductivity * u.gradient[0][d];
  }
};

// Diffusion with a conductivity that varies from point to point. Were the constant of Diffusion loaded at each point,
// actions in single precision would take 3 to 8 % longer.
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
struct Convection {
  static constexpr const char* name = G == 3 ? "convection3" : "convection2";
  static constexpr int components = 1, dimension = G, codimension = 1, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 2> given = {
      {{.name = "coefficient", .unit = "W/(m^2 K)", .about = "h", .above = 0},
       {.name = "ambient", .unit = "K", .about = "temperature of the fluid", .example = 20}}};
  double coefficient;  // h [W/(m^2 K)]
  double ambient;      // [K]
  double weight = 1;   // thickness [m]; or, when axisymmetric, 2 pi
  bool axisymmetric = false;
  static constexpr Parameter<Convection> parameters[] = {
      {&Convection::weight,
       {.name = "thickness", .unit = "m", .about = "of a plate; 1 in three dimensions", .above = 0, .fallback = 1}}};
  constexpr std::array<double, 2> numbers() const { return {coefficient, ambient}; }

  template <class T>
  constexpr void operator()(const Location<T, G, 2>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = weight * p.given[0] * (u.value[0] - p.given[1]);
    if (axisymmetric) f.value[0] = f.value[0] * p.x[0];
  }
};

}  // namespace ritz
