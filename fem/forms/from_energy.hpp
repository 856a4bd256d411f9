// A form from its energy density alone: the flux is the density's first derivative, the tangent its second, both by
// dual numbers. The tangent is exactly symmetric, as it is a Hessian of which half is computed.
//
//   struct NeoHooke {                                   // facts as of any form, and
//     static constexpr int components = 3, dimension = 3; ...
//     template <class T> constexpr T energy(const Location<T, 3>&, const Fields<T, 3, 3>& u) const { return ...; }
//   };
//   Integral::over_all_cells(FromEnergy<NeoHooke>{{lambda, mu}})
//
// residual(v) = derivative of the integral of energy(u) in the direction v. Holzapfel, Nonlinear Solid Mechanics, 2000,
// ch. 8.
//
// With a point state the energy is that of an increment, energy(p, u, before, now) with arrays as of the call operator;
// for what is kept to be that of the material, it is stationary in `now`: Ortiz and Stainier, Comput. Methods Appl.
// Mech. Engrg. 171, 1999.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/numbers/dual.hpp"

namespace ritz {

template <class E>
concept HasPlainEnergy = requires(const E& form, const Location<double, E::dimension, FormFacts<E>::given>& p,
                                  const Fields<double, E::components, E::dimension>& u) {
  { form.energy(p, u) } -> std::convertible_to<double>;
};
template <class E>
concept HasEnergyOfIncrements = requires(const E& form, const Location<double, E::dimension, FormFacts<E>::given>& p,
                                         const Fields<double, E::components, E::dimension>& u,
                                         const double (&before)[FormFacts<E>::state],
                                         double (&now)[FormFacts<E>::state]) {
  { form.energy(p, u, before, now) } -> std::convertible_to<double>;
};
template <class E>
concept HasEnergy = HasPlainEnergy<E> || HasEnergyOfIncrements<E>;

template <HasEnergy E>
struct FromEnergy : E {
  static constexpr bool symmetric = true;
  static constexpr int C = E::components, G = E::dimension, S = FormFacts<E>::state, M = FormFacts<E>::given;

  template <class T>
  constexpr void operator()(const Location<T, G, M>& p, const Fields<T, C, G>& u, Fields<T, C, G>& f) const
      requires(S == 0) {
    differentiate(p, u, f, [this](const auto& point, const auto& v) { return this->energy(point, v).derivative; });
  }
  template <class T>
  constexpr void operator()(const Location<T, G, M>& p, const Fields<T, C, G>& u, const T (&before)[S > 0 ? S : 1],
                            T (&now)[S > 0 ? S : 1], Fields<T, C, G>& f) const requires(S > 0) {
    differentiate(p, u, f, [&](const auto& point, const auto& v) {
      Dual<T> earlier[S], later[S];
      for (int i = 0; i < S; ++i) earlier[i] = later[i] = Dual<T>(before[i], T(0.0));
      const T derivative = this->energy(point, v, earlier, later).derivative;
      for (int i = 0; i < S; ++i) now[i] = later[i].value;
      return derivative;
    });
  }

 private:
  // f = what `derivative` gives along each number of u.
  template <class T, class Derivative>
  constexpr void differentiate(const Location<T, G, M>& p, const Fields<T, C, G>& u, Fields<T, C, G>& f,
                               const Derivative& derivative) const {
    Location<Dual<T>, G, M> point{};
    point.t = p.t;
    point.dt = p.dt;
    for (int d = 0; d < G; ++d) {
      point.x[d] = {p.x[d], T(0.0)};
      if constexpr (FormFacts<E>::codimension == 1) point.normal[d] = {p.normal[d], T(0.0)};
    }
    if constexpr (M > 0) {
      for (int m = 0; m < M; ++m) point.given[m] = {p.given[m], T(0.0)};
    }
    Fields<Dual<T>, C, G> v{};
    for (int c = 0; c < C; ++c) {
      if constexpr (E::uses_value) v.value[c] = {u.value[c], T(0.0)};
      if constexpr (E::uses_gradient) {
        for (int d = 0; d < G; ++d) v.gradient[c][d] = {u.gradient[c][d], T(0.0)};
      }
    }
    const auto along = [&](Dual<T>& number) {
      number.derivative = 1.0;
      const T result = derivative(point, v);
      number.derivative = 0.0;
      return result;
    };
    for (int c = 0; c < C; ++c) {
      if constexpr (E::uses_value) f.value[c] = along(v.value[c]);
      if constexpr (E::uses_gradient) {
        for (int d = 0; d < G; ++d) f.gradient[c][d] = along(v.gradient[c][d]);
      }
    }
  }
};

}  // namespace ritz
