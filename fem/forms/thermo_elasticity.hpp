// Linear thermo-elasticity of a displacement u and a temperature rise t, both ways: sigma = C eps - stress t I, and the
// balance of heat  capacity t + heating tr(eps) - div(conductivity grad t) = 0  (Biot, J. Appl. Phys. 27, 1956, 240).
// Also the flow through a porous body that deforms, with the pressure for t (Biot, J. Appl. Phys. 12, 1941, 155).
//
// Steady: capacity = heating = 0, the conductivity as it is. An implicit step of length dt from rest: the balance times
// dt / T0, so that heating = stress, capacity = rho c / T0, conductivity = dt k / T0. Where a step starts from another
// state, the same form with capacity and heating alone is what the residual holds of that.
#pragma once

#include "fem/forms/mixed_form.hpp"

namespace ritz {

template <int D>
struct ThermoElasticity {
  static constexpr const char* name = D == 3 ? "thermo_elasticity3" : "thermo_elasticity2";  // of the plane: its strain
  static constexpr int dimension = D;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "displacement", .components = D, .order = 2, .uses_value = false},
       {.name = "temperature", .components = 1, .order = 1}}};
  static constexpr bool linear = true;
  double lambda = 0, mu = 0;  // [Pa]
  double stress = 0;          // 3 K alpha: thermal expansion times three bulk moduli [Pa/K]
  double heating = 0, capacity = 0, conductivity = 0;
  static constexpr Parameter<ThermoElasticity> parameters[] = {
      {&ThermoElasticity::lambda, {.name = "lambda", .unit = "Pa", .about = "Lame's first parameter", .example = 1.2}},
      {&ThermoElasticity::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus", .minimum = 0, .example = 0.8}},
      {&ThermoElasticity::stress,
       {.name = "stress", .unit = "Pa/K", .about = "stress per temperature", .fallback = 0, .example = 0.7}},
      {&ThermoElasticity::heating,
       {.name = "heating", .unit = "Pa/K", .about = "heat per strain", .fallback = 0, .example = 0.5}},
      {&ThermoElasticity::capacity,
       {.name = "capacity",
        .unit = "Pa/K^2",
        .about = "heat per temperature",
        .minimum = 0,
        .fallback = 0,
        .example = 1}},
      {&ThermoElasticity::conductivity,
       {.name = "conductivity", .unit = "m^2 Pa/K^2", .about = "heat flux per gradient", .minimum = 0, .example = 2}}};

  template <class T>
  constexpr void operator()(const Location<T, D>&, const MixedFields<T, ThermoElasticity>& u,
                            MixedFields<T, ThermoElasticity>& f) const {
    const auto& [v, t] = u;
    auto& [force, heat] = f;
    T expansion = 0.0;
    for (int i = 0; i < D; ++i) expansion += v.gradient[i][i];
    const T isotropic = lambda * expansion - stress * t.value[0];
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) force.gradient[i][j] = mu * (v.gradient[i][j] + v.gradient[j][i]);
      force.gradient[i][i] += isotropic;
      heat.gradient[0][i] = conductivity * t.gradient[0][i];
    }
    heat.value[0] = capacity * t.value[0] + heating * expansion;
  }
};

}  // namespace ritz
