// Rubber that keeps its volume, or nearly so, in plane strain: a neo-Hookean solid by its displacement and its
// pressure. The energy per volume is mu/2 (tr F^T F - 2) - mu ln J - p (J - 1) - compliance p^2 / 2 with the
// deformation gradient F, J = det F: large strains, so that the equations are nonlinear (Bonet and Wood, Nonlinear
// Continuum Mechanics, 2008, section 6.6).
#pragma once

#include "fem/forms/mixed_form.hpp"

struct Rubber {
  static constexpr const char* name = "rubber";
  static constexpr int dimension = 2, extra_degree = 2;
  static constexpr std::array<ritz::FieldFacts, 2> fields{
      {{.name = "displacement", .components = 2, .order = 2, .uses_value = false},
       {.name = "pressure", .components = 1, .order = 1, .uses_gradient = false}}};
  static constexpr bool symmetric = true;
  double mu = 1, compliance = 0;
  static constexpr ritz::Parameter<Rubber> parameters[] = {
      {&Rubber::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus at rest", .above = 0}},
      {&Rubber::compliance,
       {.name = "compliance", .unit = "1/Pa", .about = "1 / bulk modulus", .minimum = 0, .fallback = 0}}};

  template <class T>
  constexpr void operator()(const ritz::Location<T, 2>&, const ritz::MixedFields<T, Rubber>& u,
                            ritz::MixedFields<T, Rubber>& f) const {
    const auto& [v, p] = u;
    auto& [force, volume] = f;
    T F[2][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) F[i][j] = v.gradient[i][j] + (i == j ? 1.0 : 0.0);
    const T cofactor[2][2] = {{F[1][1], -F[1][0]}, {-F[0][1], F[0][0]}};  // J F^-T
    const T J = F[0][0] * F[1][1] - F[0][1] * F[1][0];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        force.gradient[i][j] = mu * (F[i][j] - cofactor[i][j] / J) - p.value[0] * cofactor[i][j];
    volume.value[0] = 1.0 - J - compliance * p.value[0];
  }
};
