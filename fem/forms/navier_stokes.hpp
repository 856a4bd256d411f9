// Steady flow of an incompressible fluid, Navier and Stokes: density (v . grad) v - div(2 mu sym grad v - p) = force,
// div v = 0. As Stokes (fem/forms/stokes.hpp), with inertia: nonlinear, the tangent is not symmetric. Newton's method
// converges from the flow without inertia at Reynolds numbers of some hundreds; there is no stabilisation for more.
#pragma once

#include "fem/forms/stokes.hpp"

namespace ritz {

template <int D>
struct NavierStokes {
  static constexpr const char* name = D == 3 ? "navier_stokes3" : "navier_stokes2";
  static constexpr int dimension = D, extra_degree = 2;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "velocity", .components = D, .order = 2}, Stokes<D>::fields[1]}};
  static constexpr bool couples(int test, int trial) { return Stokes<D>::couples(test, trial); }
  double viscosity = 1, density = 1;
  static constexpr Parameter<NavierStokes> parameters[] = {
      {&NavierStokes::viscosity, Stokes<D>::facts},
      {&NavierStokes::density, {.name = "density", .unit = "kg/m^3", .about = "mass per volume", .minimum = 0}}};

  template <class T>
  constexpr void operator()(const Location<T, D>&, const MixedFields<T, NavierStokes>& u,
                            MixedFields<T, NavierStokes>& f) const {
    const auto& [v, p] = u;
    auto& [momentum, mass] = f;
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        momentum.gradient[i][j] = viscosity * (v.gradient[i][j] + v.gradient[j][i]);
        momentum.value[i] += density * (v.value[j] * v.gradient[i][j]);
      }
      momentum.gradient[i][i] -= p.value[0];
      mass.value[0] -= v.gradient[i][i];
    }
  }
};

}  // namespace ritz
