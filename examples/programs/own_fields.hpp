// A body that does not change its volume: displacement u and pressure p as two fields, sigma = 2 mu eps - p I and
// div u + p / lambda = 0 (Herrmann, AIAA Journal 3, 1965, 1896). Plane strain.
#pragma once

#include "fem/forms/mixed_form.hpp"

struct Incompressible {
  static constexpr const char* name = "incompressible";
  static constexpr int dimension = 2;
  static constexpr std::array<ritz::FieldFacts, 2> fields{
      {{.name = "displacement", .components = 2, .order = 2, .uses_value = false},
       {.name = "pressure", .components = 1, .order = 1, .uses_gradient = false}}};
  static constexpr bool symmetric = true, linear = true;
  double mu = 1, compliance = 0;
  static constexpr ritz::Parameter<Incompressible> parameters[] = {
      {&Incompressible::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus", .above = 0}},
      {&Incompressible::compliance,
       {.name = "compliance", .unit = "1/Pa", .about = "1 / lambda", .minimum = 0, .fallback = 0}}};

  template <class T>
  constexpr void operator()(const ritz::Location<T, 2>&, const ritz::MixedFields<T, Incompressible>& u,
                            ritz::MixedFields<T, Incompressible>& f) const {
    const auto& [v, p] = u;
    auto& [force, volume] = f;
    volume.value[0] = -compliance * p.value[0];
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) force.gradient[i][j] = mu * (v.gradient[i][j] + v.gradient[j][i]);
      force.gradient[i][i] -= p.value[0];
      volume.value[0] -= v.gradient[i][i];
    }
  }
};
