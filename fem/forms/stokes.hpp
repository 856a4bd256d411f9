// Slow flow of an incompressible fluid, Stokes: -div(2 mu sym grad v - p) = force, div v = 0. Velocities of one order
// more than the pressure are stable (Taylor and Hood, Computers and Fluids 1, 1973; Boffi, Brezzi and Fortin, Mixed
// Finite Element Methods and Applications, 2013, section 8.8). Its natural condition is the traction; forces and
// tractions are loads of the field 0 (fem/forms/loads.hpp).
#pragma once

#include "fem/forms/mixed_form.hpp"

namespace ritz {

template <int D>
struct Stokes {
  static constexpr const char* name = D == 3 ? "stokes3" : "stokes2";
  static constexpr int dimension = D;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "velocity", .components = D, .order = 2, .uses_value = false, .uses_gradient = true},
       {.name = "pressure", .components = 1, .order = 1, .uses_value = true, .uses_gradient = false}}};
  static constexpr bool symmetric = true, linear = true;
  static constexpr bool couples(int test, int trial) { return test == 0 || trial == 0; }
  double viscosity = 1;
  static constexpr ParameterFacts facts{.name = "viscosity", .unit = "Pa s", .about = "dynamic", .above = 0};
  static constexpr std::array given{facts};
  constexpr std::array<double, 1> numbers() const { return {viscosity}; }

  template <class T>
  constexpr void operator()(const Location<T, D, 1>& at, const MixedFields<T, Stokes>& u,
                            MixedFields<T, Stokes>& f) const {
    const auto& [v, p] = u;
    auto& [momentum, mass] = f;
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) momentum.gradient[i][j] = at.given[0] * (v.gradient[i][j] + v.gradient[j][i]);
      momentum.gradient[i][i] -= p.value[0];
      mass.value[0] -= v.gradient[i][i];
    }
  }
};

}  // namespace ritz
