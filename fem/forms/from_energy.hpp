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
// A form of displacements in space (components = dimension = 3, objective, of the gradient alone) has its stress as a
// derived quantity, where it derives none of its own: Cauchy's stress xx yy zz xy yz xz [Pa], then that of Piola and
// Kirchhoff, of the first kind, row by row. Forms of small displacements have the one stress there is.
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
  using Facts = FormFacts<E>;
  static constexpr bool symmetric = true;
  static constexpr int C = E::components, G = E::dimension, S = Facts::state, M = Facts::given;
  static constexpr bool derives_stress = Facts::derived == 0 && S == 0 && C == 3 && G == 3 && Facts::codimension == 0 &&
                                         Facts::objective && E::uses_gradient && !E::uses_value;
  static constexpr int derived = !derives_stress ? Facts::derived : Facts::small_displacements ? 6 : 15;
  static constexpr const char* derives = !derives_stress              ? Facts::derives
                                         : Facts::small_displacements ? "stress"
                                                                      : "cauchy_stress:6 piola_kirchhoff_stress:9";

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

  template <class T>
  constexpr void derive(const Location<T, G, M>& p, const Fields<T, C, G>& u, T* out) const requires(derives_stress) {
    Fields<T, C, G> nominal{};
    (*this)(p, u, nominal);
    const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    if constexpr (Facts::small_displacements) {
      for (int k = 0; k < 6; ++k) out[k] = nominal.gradient[row[k]][column[k]];
    } else {
      const auto& P = nominal.gradient;
      T F[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) F[i][j] = u.gradient[i][j] + (i == j ? 1.0 : 0.0);
      const T J = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) -
                  F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) + F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
      for (int k = 0; k < 6; ++k) {  // sigma = P F^T / J
        T sum = 0.0;
        for (int m = 0; m < 3; ++m) sum += P[row[k]][m] * F[column[k]][m];
        out[k] = sum / J;
      }
      for (int k = 0; k < 9; ++k) out[6 + k] = P[k / 3][k % 3];
    }
  }
  template <class T>
  constexpr void derive(const Location<T, G, M>& p, const Fields<T, C, G>& u, T* out) const
      requires(S == 0 && Facts::derived > 0) {
    E::derive(p, u, out);
  }
  template <class T>
  constexpr void derive(const Location<T, G, M>& p, const Fields<T, C, G>& u, const T* state, T* out) const
      requires(S > 0 && Facts::derived > 0) {
    E::derive(p, u, state, out);
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
