// Von Mises plasticity with linear hardening by the radial return, as a form with internal variables: written apart
// from the law J2, by Simo and Hughes, Computational Inelasticity, 1998, boxes 3.1 and 3.2.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/numbers/dual.hpp"

#include <array>
#include <cmath>

namespace ritz::test {

struct RadialReturn {
  static constexpr const char *name = "test_radial_return", *unknown = "displacement", *derives = "stress";
  static constexpr int components = 3, dimension = 3, derived = 6;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true;
  static constexpr bool objective = true, small_displacements = true, rate_independent = true;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "equivalent_plastic_strain", .about = "its rate is sqrt(2/3 D:D), D that of the plastic strain"}}};
  double young, poisson, yield_stress, isotropic_hardening, kinematic_hardening;
  // Facts and texts of them are those of fem/plugins/von_mises.hpp.
  static constexpr Parameter<RadialReturn> parameters[] = {
      {&RadialReturn::young, {.name = "young", .example = 1}},
      {&RadialReturn::poisson, {.name = "poisson", .example = 0.3}},
      {&RadialReturn::yield_stress, {.name = "yield_stress", .example = 0.05}},
      {&RadialReturn::isotropic_hardening, {.name = "isotropic_hardening", .example = 0.2}},
      {&RadialReturn::kinematic_hardening, {.name = "kinematic_hardening", .example = 0.1}}};

  template <class T>
  constexpr void operator()(const Location<T, 3>&, const Fields<T, 3, 3>& u, const T (&before)[7], T (&now)[7],
                            Fields<T, 3, 3>& f) const {
    using std::sqrt;
    const double G = shear(), root = sqrt(2.0 / 3);
    // deviator of the strain; of the trial stress less the shift of the yield surface
    T e[6], xi[6], length = 0.0;
    const T trace = deviator(u, e);
    for (int k = 0; k < 6; ++k) {
      xi[k] = (2 * G) * e[k] - (2 * G + 2.0 / 3 * kinematic_hardening) * before[k];
      length += (k < 3 ? 1.0 : 2.0) * (xi[k] * xi[k]);
    }
    length = sqrt(length);
    const T radius = root * (yield_stress + isotropic_hardening * before[6]), beyond = length - radius;  // f of box 3.2
    // A state on the yield surface, up to rounding, counts as elastic: an increment begins there, and unloads in one
    // step.
    const T yields = beyond - 1e-10 * radius;
    const T slip = select(yields, beyond / (2 * G + 2.0 / 3 * (isotropic_hardening + kinematic_hardening)), T(0.0));
    const T along = select(yields, slip / length, T(0.0));
    for (int k = 0; k < 6; ++k) now[k] = before[k] + along * xi[k];
    now[6] = before[6] + root * slip;
    T stress[6];
    stress_of(trace, e, now, stress);
    for (int k = 0; k < 6; ++k) f.gradient[row(k)][column(k)] = f.gradient[column(k)][row(k)] = stress[k];
  }
  template <class T>
  constexpr void derive(const Location<T, 3>&, const Fields<T, 3, 3>& u, const T* state, T* out) const {
    T e[6];
    const T trace = deviator(u, e);
    stress_of(trace, e, state, out);
  }

 private:
  static constexpr int row(int k) { return k < 3 ? k : k == 4 ? 1 : 0; }  // xx yy zz xy yz xz
  static constexpr int column(int k) { return k < 3 ? k : k == 3 ? 1 : 2; }
  constexpr double shear() const { return young / (2 * (1 + poisson)); }
  constexpr double bulk() const { return young / (3 * (1 - 2 * poisson)); }

  // Deviator of the strain; returns the strain's trace.
  template <class T>
  constexpr T deviator(const Fields<T, 3, 3>& u, T (&e)[6]) const {
    const auto& g = u.gradient;
    const T trace = g[0][0] + g[1][1] + g[2][2];
    for (int k = 0; k < 6; ++k) e[k] = 0.5 * (g[row(k)][column(k)] + g[column(k)][row(k)]);
    for (int k = 0; k < 3; ++k) e[k] -= (1.0 / 3) * trace;
    return trace;
  }
  template <class T>
  constexpr void stress_of(const T& trace, const T (&e)[6], const T* plastic, T* out) const {
    for (int k = 0; k < 6; ++k) {
      out[k] = (2 * shear()) * (e[k] - plastic[k]);
      if (k < 3) out[k] += bulk() * trace;
    }
  }
};

}  // namespace ritz::test
