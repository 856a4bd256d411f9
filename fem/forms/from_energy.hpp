// A form from its energy density alone: the flux is the density's first derivative, the tangent its second, both by dual
// numbers. The tangent is exactly symmetric, as it is a Hessian of which half is computed.
//
//   struct NeoHooke {                                   // facts as of any form, and
//     static constexpr int components = 3, dimension = 3; ...
//     template <class T> constexpr T energy(const Location<T, 3>&, const Fields<T, 3, 3>& u) const { return ...; }
//   };
//   Integral::over_all_cells(FromEnergy<NeoHooke>{{lambda, mu}})
//
// residual(v) = derivative of the integral of energy(u) in the direction v. Holzapfel, Nonlinear Solid Mechanics, 2000, ch. 8.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/numbers/dual.hpp"

namespace ritz {

template <class E>
concept HasEnergy = requires(const E& form, const Location<double, E::dimension>& p,
                             const Fields<double, E::components, E::dimension>& u) {
  { form.energy(p, u) } -> std::convertible_to<double>;
};

template <HasEnergy E>
struct FromEnergy : E {
  static constexpr bool symmetric = true;
  static constexpr int C = E::components, G = E::dimension;

  static_assert(FormFacts<E>::state == 0, "a form with a point state is written by its flux");
  static_assert(FormFacts<E>::given == 0, "energies take no numbers that vary from point to point");

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, C, G>& u, Fields<T, C, G>& f) const {
    Location<Dual<T>, G> point{};
    for (int d = 0; d < G; ++d) {
      point.x[d] = {p.x[d], T(0.0)};
      if constexpr (FormFacts<E>::codimension == 1) point.normal[d] = {p.normal[d], T(0.0)};
    }
    Fields<Dual<T>, C, G> v{};
    for (int c = 0; c < C; ++c) {
      if constexpr (E::uses_value) v.value[c] = {u.value[c], T(0.0)};
      if constexpr (E::uses_gradient) {
        for (int d = 0; d < G; ++d) v.gradient[c][d] = {u.gradient[c][d], T(0.0)};
      }
    }
    for (int c = 0; c < C; ++c) {
      if constexpr (E::uses_value) f.value[c] = along(point, v, v.value[c]);
      if constexpr (E::uses_gradient) {
        for (int d = 0; d < G; ++d) f.gradient[c][d] = along(point, v, v.gradient[c][d]);
      }
    }
  }

 private:
  // The derivative with respect to one number of v.
  template <class T>
  constexpr T along(const Location<Dual<T>, G>& point, const Fields<Dual<T>, C, G>& v, Dual<T>& number) const {
    number.derivative = 1.0;
    const T derivative = this->energy(point, v).derivative;
    number.derivative = 0.0;
    return derivative;
  }
};

}  // namespace ritz
