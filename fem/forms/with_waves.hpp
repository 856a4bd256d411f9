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
//   Integral::over_all_cells({WithWaves<Mass<3, 3>>{{}, 2}, {density}})      // n = 2
#pragma once

#include "fem/forms/geometric_stiffness.hpp"

namespace ritz {

// The gradient in cylindrical coordinates: [component][r, y, hoop].
template <class T>
constexpr void gradient_around(const T& r, double waves, const Fields<T, 3, 2>& u, T (&gradient)[3][3]) {
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 2; ++d) gradient[c][d] = u.gradient[c][d];
  gradient[0][2] = -1.0 * (waves * u.value[0] + u.value[2]) / r;
  gradient[1][2] = -waves * u.value[1] / r;
  gradient[2][2] = (waves * u.value[2] + u.value[0]) / r;
}

// Adds r times the work of a flux on that gradient.
template <class T>
constexpr void put_around(const T& r, double waves, const T (&flux)[3][3], Fields<T, 3, 2>& f) {
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 2; ++d) f.gradient[c][d] = r * flux[c][d];
  f.value[0] += flux[2][2] - waves * flux[0][2];
  f.value[1] -= waves * flux[1][2];
  f.value[2] += waves * flux[2][2] - flux[0][2];
}

template <class F>
struct WithWaves : F {
  static_assert(F::dimension == 3 && F::components == 3 && FormFacts<F>::linear && FormFacts<F>::codimension == 0,
                "waves around are those of linear forms of displacements in space");
  static constexpr bool across = requires(F form) { form.axis; };
  static constexpr const char* name = F::uses_gradient ? "elasticity_with_waves"
                                      : across         ? "mass_across_with_waves"
                                                       : "mass_with_waves";
  static constexpr int components = 3, dimension = 2, extra_degree = FormFacts<F>::extra_degree + 1, derived = 0,
                       count = FormFacts<F>::given;
  static constexpr bool uses_value = true;
  double waves = 0;  // n

  template <class T>
  constexpr void operator()(const Location<T, 2, count>& p, const Fields<T, 3, 2>& u, Fields<T, 3, 2>& f) const {
    const T r = p.x[0];
    Fields<T, 3, 3> flux = flux_at(p, u, waves);
    for (int c = 0; c < 3; ++c) {
      f.value[c] = T(0.0);
      if constexpr (F::uses_value) f.value[c] = r * flux.value[c];
    }
    if constexpr (F::uses_gradient) put_around(r, waves, flux.gradient, f);
  }

 protected:
  template <class T>
  constexpr Fields<T, 3, 3> flux_at(const Location<T, 2, count>& p, const Fields<T, 3, 2>& u, double around) const {
    Location<T, 3, count> place{};
    for (int d = 0; d < 2; ++d) place.x[d] = p.x[d];
    if constexpr (count > 0) {
      for (int i = 0; i < count; ++i) place.given[i] = p.given[i];
    }
    Fields<T, 3, 3> fields{}, flux{};
    for (int c = 0; c < 3; ++c) fields.value[c] = u.value[c];
    if constexpr (F::uses_gradient) gradient_around(p.x[0], around, u, fields.gradient);
    F::operator()(place, fields, flux);
    return flux;
  }
};

// Under the stress of a state without waves.
template <class F>
requires(F::uses_gradient) struct GeometricStiffness<WithWaves<F>> : WithWaves<F> {
  static constexpr bool linear = false, symmetric = true, has_matrix = true, objective = false;
  static constexpr int count = FormFacts<F>::given;

  template <class T>
  constexpr void operator()(const Location<T, 2, count>& p, const Fields<T, 3, 2>& u, Fields<T, 3, 2>& f) const {
    Fields<T, 3, 2> held;
    for (int c = 0; c < 3; ++c) {
      held.value[c] = frozen(u.value[c]);
      for (int d = 0; d < 2; ++d) held.gradient[c][d] = frozen(u.gradient[c][d]);
    }
    const Fields<T, 3, 3> stress = this->flux_at(p, held, 0);
    T moved[3][3], flux[3][3];
    gradient_around(p.x[0], this->waves, u, moved);
    for (int c = 0; c < 3; ++c) {
      f.value[c] = T(0.0);
      for (int d = 0; d < 3; ++d) {
        flux[c][d] = moved[c][0] * stress.gradient[0][d];
        for (int k = 1; k < 3; ++k) flux[c][d] += moved[c][k] * stress.gradient[k][d];
      }
    }
    put_around(p.x[0], this->waves, flux, f);
  }
};

}  // namespace ritz
