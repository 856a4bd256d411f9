// Heat conduction beyond constant numbers: conductivity and stored heat that depend on the temperature, and radiation
// from surfaces. Diffusion, convection, sources and fluxes are in diffusion.hpp and loads.hpp. Incropera
// et al., Fundamentals of Heat and Mass Transfer, ch. 1 and 2; Lewis, Nithiarasu and Seetharamu, Fundamentals of the
// Finite Element Method for Heat and Fluid Flow, 2004, ch. 6 (enthalpy). In two dimensions `weight` is the thickness;
// of a body of revolution it is 2 pi, and r joins it.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/forms/piecewise_linear.hpp"

#include <array>

namespace ritz {

// -div(k(u) grad u).
template <int G>
struct Conduction {
  static constexpr const char* name = G == 3 ? "conduction3" : "conduction2";
  static constexpr int components = 1, dimension = G, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = true;  // the value enters k, and f.value stays 0
  static constexpr const char *unknown = "temperature", *derives = "heat_flux";
  static constexpr int derived = G;  // heat flux -k grad u [W/m^2]
  PiecewiseLinear conductivity;      // [W/(m K)] over the temperature
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    T k = weight * conductivity.value(u.value[0]);
    if (axisymmetric) k = k * p.x[0];
    f.value[0] = 0.0;
    for (int d = 0; d < G; ++d) f.gradient[0][d] = k * u.gradient[0][d];
  }
  template <class T>
  constexpr void derive(const Location<T, G>&, const Fields<T, 1, G>& u, T* out) const {
    const T k = conductivity.value(u.value[0]);
    for (int d = 0; d < G; ++d) out[d] = -1.0 * k * u.gradient[0][d];
  }
};

// Stored heat, density c u: what changes in time. Not the rate of it: an integrator takes differences.
template <int G>
struct HeatCapacity {
  static constexpr const char* name = G == 3 ? "heat_capacity3" : "heat_capacity2";
  static constexpr int components = 1, dimension = G, extra_degree = G == 2 ? 1 : 0;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr const char* unknown = "temperature";
  static constexpr std::array<ParameterFacts, 2> given = {
      {{.name = "density", .unit = "kg/m^3", .about = "of the body", .above = 0},
       {.name = "specific_heat", .unit = "J/(kg K)", .about = "at constant pressure", .above = 0}}};
  double density;        // [kg/m^3]
  double specific_heat;  // [J/(kg K)]
  double weight = 1;
  bool axisymmetric = false;
  constexpr std::array<double, 2> numbers() const { return {density, specific_heat}; }

  template <class T>
  constexpr void operator()(const Location<T, G, 2>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = weight * p.given[0] * p.given[1] * u.value[0];
    if (axisymmetric) f.value[0] = f.value[0] * p.x[0];
  }
};

// Stored heat of a specific heat that depends on the temperature, the enthalpy density H(u) = density times the
// integral of c. H is zero at the first row of the table. A peak of c is the latent heat of a change of phase.
template <int G>
struct Enthalpy {
  static constexpr const char* name = G == 3 ? "enthalpy3" : "enthalpy2";
  static constexpr int components = 1, dimension = G, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true;
  static constexpr const char* unknown = "temperature";
  double density;                 // [kg/m^3]
  PiecewiseLinear specific_heat;  // c [J/(kg K)] over the temperature
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = (weight * density) * specific_heat.integral(u.value[0]);
    if (axisymmetric) f.value[0] = f.value[0] * p.x[0];
  }
};

// Stefan's and Boltzmann's constant [W/(m^2 K^4)]: CODATA 2018, exact in the SI.
inline constexpr double stefan_boltzmann = 5.670374419e-8;

// emissivity sigma (a^4 - b^4), a and b absolute temperatures of the surface and of what surrounds it. Below absolute
// zero, where Newton's method may pass, the law goes on as an odd function: it stays monotone.
template <class T, class Ambient>
constexpr T radiated(const T& u, const Ambient& ambient, double absolute_zero) {
  const T a = u - absolute_zero, b = ambient - absolute_zero, size = select(a, a, -a);
  return a * size * size * size - b * b * b * b;
}

// Radiation from facets to large surroundings of one temperature: this heat leaves the body.
template <int G>
struct Radiation {
  static constexpr const char* name = G == 3 ? "radiation3" : "radiation2";
  static constexpr int components = 1, dimension = G, codimension = 1, extra_degree = 3;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true;
  static constexpr const char* unknown = "temperature";
  static constexpr std::array<ParameterFacts, 2> given = {
      {{.name = "emissivity", .about = "1: a black body", .maximum = 1, .above = 0, .example = 0.9},
       {.name = "ambient", .unit = "K", .about = "temperature of the surroundings", .example = 300}}};
  double emissivity;
  double ambient;                   // in the unit of all temperatures
  double absolute_zero = 0;         // in the unit of all temperatures: -273.15 for degrees Celsius
  double sigma = stefan_boltzmann;  // [W/(m^2 K^4)]
  double weight = 1;                // thickness [m]; or, when axisymmetric, 2 pi
  bool axisymmetric = false;
  static constexpr Parameter<Radiation> parameters[] = {
      {&Radiation::absolute_zero,
       {.name = "absolute_zero",
        .unit = "K",
        .about = "in the unit of all temperatures: 0 for kelvin, -273.15 for degrees Celsius",
        .maximum = 0,
        .example = 0}},
      {&Radiation::sigma,
       {.name = "sigma",
        .unit = "W/(m^2 K^4)",
        .about = "Stefan's and Boltzmann's constant in the units of the case",
        .above = 0,
        .fallback = stefan_boltzmann}},
      {&Radiation::weight,
       {.name = "thickness", .unit = "m", .about = "of a plate; 1 in three dimensions", .above = 0, .fallback = 1}}};
  constexpr std::array<double, 2> numbers() const { return {emissivity, ambient}; }

  template <class T>
  constexpr void operator()(const Location<T, G, 2>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = (weight * sigma) * p.given[0] * radiated(u.value[0], p.given[1], absolute_zero);
    if (axisymmetric) f.value[0] = f.value[0] * p.x[0];
  }
};

}  // namespace ritz
