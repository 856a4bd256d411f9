// A law of materials: stress at one point from strain, the internal variables before the increment, and time. It knows
// nothing of meshes, dimensions or displacements: fem/materials/kinematics.hpp makes strains and forces. A law is one
// plain struct in one file, and one row in fem/materials/laws.hpp.
//
//   struct LinearElastic {
//     static constexpr const char* name = "linear_elastic";
//     static constexpr Strain large = Strain::green_lagrange;      // its strain where displacements are large
//     double young, poisson;                                       // [Pa]; parameters as of any form
//     template <class T>
//     constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const;
//   };
//
// Or, for elastic laws of large strain alone, the energy per undeformed volume [J/m^3]:
//
//     template <class T> constexpr T energy(const Invariants<T>& c) const;
//
// A law whose numbers depend on the temperature takes it after the time, stress(time, temperature, strain, before,
// now). T is a number or a pack of them, or dual numbers of these while the moduli are derived: no branch on values.
// The stress is conjugate to the strain: Cauchy's for small strain, Piola and Kirchhoff's second for that of Green and
// Lagrange, and of the logarithmic strain the one that moves with it [Pa]. Optional members, with their defaults:
//   small = true       the law may be used with small displacements, where the strain is the linear one
//   symmetric = true   the moduli are
//   isotropic = true   no direction of the material differs from another
//   state              internal variables (fem/forms/point_state.hpp)
//   parameters         fem/forms/parameter.hpp
//   reads_time = false time or step enter
//   needs_time(), needs_temperature()  whether they do with these numbers; else always, where the law takes them
#pragma once

#include "fem/forms/parameter.hpp"
#include "fem/forms/point_state.hpp"
#include "fem/forms/time.hpp"
#include "fem/forms/strain.hpp"
#include "fem/numbers/tensor.hpp"

#include <cstddef>

namespace ritz {

// Invariants of F^T F at constant volume, J^(-2/3) F^T F, and J = det F.
template <class T>
struct Invariants {
  T first, second, volume;
};

template <class L>
concept EnergyLaw = requires(const L& law, const Invariants<double>& c) {
  { law.energy(c) } -> std::convertible_to<double>;
};
template <class L>
concept TemperatureLaw = requires(const L& law, const Symmetric<double>& strain, const double* before, double* now) {
  { law.stress(Time{}, 0.0, strain, before, now) } -> std::same_as<Symmetric<double>>;
};
template <class L>
concept StressLaw = TemperatureLaw<L> ||
    requires(const L& law, const Symmetric<double>& strain, const double* before, double* now) {
  { law.stress(Time{}, strain, before, now) } -> std::same_as<Symmetric<double>>;
};

// [bytes] As forms, laws are copied into kernels.
inline constexpr std::size_t largest_law = 512;

// A plain struct that states its facts.
template <class L>
concept Law = (EnergyLaw<L> || StressLaw<L>)&&std::is_trivially_copyable_v<L> &&
              (sizeof(L) <= largest_law) && requires {
  { L::name } -> std::convertible_to<const char*>;
  { L::large } -> std::convertible_to<Strain>;
};

template <Law L>
struct LawFacts {
  // clang-format off
  static constexpr bool small =
      [] { if constexpr (requires { L::small; }) return L::small; else return !EnergyLaw<L>; }();
  static constexpr bool symmetric =
      [] { if constexpr (requires { L::symmetric; }) return L::symmetric; else return true; }();
  static constexpr bool isotropic =
      [] { if constexpr (requires { L::isotropic; }) return L::isotropic; else return true; }();
  static constexpr bool reads_time =
      [] { if constexpr (requires { L::reads_time; }) return L::reads_time; else return false; }();
  // clang-format on
  static constexpr int state = state_numbers_of<L>();
};

// S = 2 dW/dC, by the chain rule over the invariants; Holzapfel, Nonlinear Solid Mechanics, 2000, equations 6.32, 6.97.
template <EnergyLaw L, class T>
constexpr Symmetric<T> stress_of_energy(const L& law, const Symmetric<T>& E) {
  using std::sqrt, std::pow;
  using V = Dual<T>;
  const Symmetric<T> one = Symmetric<T>::identity(), C = one + 2.0 * E, cofactor = cofactors(C);
  const T square = 1.0 + det_less_one(2.0 * E), J = sqrt(square);
  const T first = trace(C), second = trace(cofactor), scale = pow(square, -1.0 / 3), scale2 = scale * scale;
  const Invariants<V> c{V(scale * first), V(scale2 * second), V(J)};
  const auto slope = [&](V Invariants<V>::*along) {
    Invariants<V> x = c;
    (x.*along).derivative = 1.0;
    return law.energy(x).derivative;
  };
  const T W1 = slope(&Invariants<V>::first), W2 = slope(&Invariants<V>::second), WJ = slope(&Invariants<V>::volume);
  // dJ/dC = J/2 C^-1, d(tr C) = I, d(tr cof C) = tr(C) I - C
  const T a = 2.0 * (W1 * scale + W2 * scale2 * first), b = -2.0 * (W2 * scale2);
  const T pressure = J * WJ - (2.0 / 3) * (W1 * scale * first) - (4.0 / 3) * (W2 * scale2 * second);
  return a * one + b * C + (pressure / square) * cofactor;
}

// Conditions of an increment besides its strain.
template <class T>
struct Conditions {
  Time time = {};
  T temperature = 0.0;  // at the end of it
};

// The stress for any law; `now` begins as `before`.
template <Law L, class T>
constexpr Symmetric<T> stress_of(const L& law, const Conditions<Plain<T>>& at, const Symmetric<T>& strain,
                                 const Plain<T>* before, T* now) {
  if constexpr (EnergyLaw<L>) {
    return stress_of_energy(law, strain);
  } else {
    for (int i = 0; i < LawFacts<L>::state; ++i) now[i] = T(before[i]);
    if constexpr (TemperatureLaw<L>) return law.stress(at.time, at.temperature, strain, before, now);
    else return law.stress(at.time, strain, before, now);
  }
}

// Stress, moduli d(stress)/d(strain) by shears as engineers count them (xy + yx), and internal variables.
template <class T>
struct Response {
  Symmetric<T> stress;
  T moduli[6][6];
};
template <Law L, class T>
constexpr Response<T> response_of(const L& law, const Conditions<T>& at, const Symmetric<T>& strain, const T* before,
                                  T* now) {
  using V = Duals<T, 6>;
  constexpr int S = LawFacts<L>::state;
  Symmetric<V> x;
  V after[S > 0 ? S : 1];
  for (int k = 0; k < 6; ++k) {
    x[k] = V(strain[k]);
    x[k].derivative[k] = k < 3 ? 1.0 : 0.5;
  }
  const Symmetric<V> stress = stress_of(law, at, x, before, after);
  Response<T> r;
  for (int k = 0; k < 6; ++k) {
    r.stress[k] = stress[k].value;
    for (int l = 0; l < 6; ++l) r.moduli[k][l] = stress[k].derivative[l];
  }
  for (int i = 0; i < S; ++i) now[i] = after[i].value;
  return r;
}

// One column of the moduli, where each has a thread.
template <class T>
struct Column {
  Symmetric<T> stress;
  T moduli[6];
};
template <Law L, class T>
constexpr Column<T> column_of(const L& law, const Conditions<T>& at, const Symmetric<T>& strain, int column,
                              const T* before, T* now) {
  using V = Dual<T>;
  constexpr int S = LawFacts<L>::state;
  Symmetric<V> x;
  V after[S > 0 ? S : 1];
  for (int k = 0; k < 6; ++k) x[k] = V(strain[k], k != column ? T(0.0) : k < 3 ? T(1.0) : T(0.5));
  const Symmetric<V> stress = stress_of(law, at, x, before, after);
  Column<T> c;
  for (int k = 0; k < 6; ++k) {
    c.stress[k] = stress[k].value;
    c.moduli[k] = stress[k].derivative;
  }
  for (int i = 0; i < S; ++i) now[i] = after[i].value;
  return c;
}

// Shear and bulk modulus. [Pa]
struct ElasticModuli {
  double shear, bulk;
  static constexpr ElasticModuli from(double young, double poisson) {
    return {young / (2 * (1 + poisson)), young / (3 * (1 - 2 * poisson))};
  }
};
template <class T>
constexpr Symmetric<T> elastic_stress(const ElasticModuli& m, const Symmetric<T>& strain) {
  const T pressure = (m.bulk - 2.0 / 3 * m.shear) * trace(strain);
  Symmetric<T> s = (2 * m.shear) * strain;
  for (int k = 0; k < 3; ++k) s[k] += pressure;
  return s;
}

// sqrt(3/2 s : s) of a deviator, von Mises's stress.
template <class T>
constexpr T von_mises(const Symmetric<T>& deviator) {
  using std::sqrt;
  return sqrt(1.5 * contract(deviator, deviator));
}

// Parameters that many laws share.
template <class L>
constexpr Parameter<L> young_of(double L::*member) {
  return {member, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0, .example = 1000}};
}
template <class L>
constexpr Parameter<L> poisson_of(double L::*member) {
  return {member, {.name = "poisson", .about = "Poisson's ratio", .above = -1, .below = 0.5, .example = 0.3}};
}
template <class L>
constexpr Parameter<L> bulk_of(double L::*member) {
  return {member, {.name = "bulk", .unit = "Pa", .about = "bulk modulus, 2 / D1", .above = 0, .example = 2000}};
}

}  // namespace ritz
