// A body of revolution about the y axis whose displacement has n waves around it:
//
//   u_r = u cos(n theta),   u_y = v cos(n theta),   u_hoop = w sin(n theta)
//
// So a field of three components u, v, w on the meridian plane (x = r, y) is the motion in space: of n = 0 with w as
// its torsion. The gradient in cylindrical coordinates varies likewise: by the sine where one of component and
// direction is the hoop, else by the cosine. A form of linear elasticity or of mass in space gives the flux; the
// stiffness must not couple both kinds of shear. The integral over theta is a factor of the integral, 2 pi for n = 0
// and pi for all others; r is in the form. Zienkiewicz and Taylor, The Finite Element Method for Solid and Structural
// Mechanics, 6th ed. 2005, section 9.4.
//
//   Integral::over_all_cells({WithWaves<VaryingMass<3>>{{}, 2}, {density}})      // n = 2
#pragma once

#include "fem/forms/form.hpp"

namespace ritz {

template <class F>
struct WithWaves : F {
  static_assert(F::dimension == 3 && F::components == 3 && FormFacts<F>::linear && FormFacts<F>::codimension == 0,
                "waves around are those of linear forms of displacements in space");
  static constexpr const char* name = F::uses_gradient ? "elasticity_with_waves" : "mass_with_waves";
  static constexpr int components = 3, dimension = 2, extra_degree = FormFacts<F>::extra_degree + 1, derived = 0,
                       count = FormFacts<F>::given;
  static constexpr bool uses_value = true;
  double waves = 0;  // n

  template <class T>
  constexpr void operator()(const Location<T, 2, count>& p, const Fields<T, 3, 2>& u, Fields<T, 3, 2>& f) const {
    Location<T, 3, count> place{};
    for (int d = 0; d < 2; ++d) place.x[d] = p.x[d];
    if constexpr (count > 0) {
      for (int i = 0; i < count; ++i) place.given[i] = p.given[i];
    }
    Fields<T, 3, 3> fields{}, flux{};
    const T r = p.x[0];
    for (int c = 0; c < 3; ++c) fields.value[c] = u.value[c];
    if constexpr (F::uses_gradient) {
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 2; ++d) fields.gradient[c][d] = u.gradient[c][d];
      fields.gradient[0][2] = -1.0 * (waves * u.value[0] + u.value[2]) / r;
      fields.gradient[1][2] = -waves * u.value[1] / r;
      fields.gradient[2][2] = (waves * u.value[2] + u.value[0]) / r;
    }
    F::operator()(place, fields, flux);
    for (int c = 0; c < 3; ++c) {
      f.value[c] = T(0.0);
      if constexpr (F::uses_value) f.value[c] = r * flux.value[c];
    }
    if constexpr (F::uses_gradient) {
      const auto& g = flux.gradient;
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 2; ++d) f.gradient[c][d] = r * g[c][d];
      f.value[0] += g[2][2] - waves * g[0][2];
      f.value[1] -= waves * g[1][2];
      f.value[2] += waves * g[2][2] - g[0][2];
    }
  }
};

}  // namespace ritz
