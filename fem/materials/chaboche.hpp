// Cyclic plasticity of metals: von Mises's yield surface, a table of isotropic hardening, and three back stresses that
// saturate, da = 2/3 C d(eps_p) - g a dp. In tension the back stresses end at C / g each. Implicit Euler: with
// w_i = 1 / (1 + g_i dp), one scalar equation for dp,
//   |s_trial - sum_i w_i a_i| = (3 G + sum_i w_i C_i) dp + yield(p + dp).
// Chaboche, Int. J. Plasticity 5 (1989) 247; Kobayashi and Ohno, Int. J. Numer. Meth. Engng. 53 (2002) 2217. The moduli
// are not symmetric.
#pragma once

#include "fem/materials/plastic_trial.hpp"
#include "fem/materials/root.hpp"

#include <array>

namespace ritz {

struct Chaboche {
  static constexpr const char* name = "chaboche";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool symmetric = false;
  static constexpr std::array<StateFacts, 5> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "equivalent_plastic_strain", .about = "its rate is sqrt(2/3 D:D), D that of the plastic strain"},
       {.name = "back_stress_1", .unit = "Pa", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "back_stress_2", .unit = "Pa", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "back_stress_3", .unit = "Pa", .about = "xx yy zz xy yz xz", .components = 6}}};
  double young, poisson, c1, g1, c2, g2, c3, g3;
  Hardening yield;
  static constexpr Parameter<Chaboche> parameters[] = {
      young_of(&Chaboche::young),
      poisson_of(&Chaboche::poisson),
      {&Chaboche::c1, {.name = "c1", .unit = "Pa", .about = "modulus of back stress 1", .minimum = 0, .example = 300}},
      {&Chaboche::g1, {.name = "g1", .about = "its recall", .minimum = 0, .fallback = 0, .example = 40}},
      {&Chaboche::c2, {.name = "c2", .unit = "Pa", .about = "of 2", .minimum = 0, .fallback = 0, .example = 100}},
      {&Chaboche::g2, {.name = "g2", .about = "its recall", .minimum = 0, .fallback = 0, .example = 8}},
      {&Chaboche::c3, {.name = "c3", .unit = "Pa", .about = "of 3", .minimum = 0, .fallback = 0, .example = 20}},
      {&Chaboche::g3, {.name = "g3", .about = "its recall", .minimum = 0, .fallback = 0}}};
  static constexpr Hardening Chaboche::*table = &Chaboche::yield;

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using X = Plain<T>;
    PlasticTrial<T> begin = plastic_trial(young, poisson, yield, strain, before);
    const ElasticModuli m = begin.moduli;
    const Symmetric<T>& trial = begin.deviator;
    const Symmetric<X> plain = begin.plain_deviator();
    const X start = begin.plastic_strain, limit = begin.limit, size = von_mises(plain);
    const X yields = begin.yields(von_mises(relative(plain, before, X(0.0))));
    const auto beyond = [&](const auto& s, const auto& dp) {
      return von_mises(relative(s, before, dp)) - resistance(m, dp) * dp - yield.at(start + dp);
    };
    const auto of_increment = [&](const Dual<X>& dp) {
      Symmetric<Dual<X>> s;
      for (int k = 0; k < 6; ++k) s[k] = Dual<X>(plain[k]);
      return beyond(s, dp);
    };
    X recalled = 0.0;
    for (int i = 0; i < 3; ++i) recalled += von_mises(back_stress(before, i));
    const X root = root_of_decreasing(of_increment, X((1 / (3 * m.shear)) * (size + recalled)), limit);
    const T dp = select(
        T(yields), with_derivatives<T>(root, beyond(trial, T(root)), of_increment(Dual<X>(root, X(1.0))).derivative),
        T(0.0));
    const Symmetric<T> direction = relative(trial, before, dp);
    const T along = select(T(yields), 1.5 * dp / von_mises(direction), T(0.0));  // of the plastic strain
    const double c[3] = {c1, c2, c3};
    for (int k = 0; k < 6; ++k) {
      const T slip = along * direction[k];
      now[k] = T(before[k]) + slip;
      begin.elastic[k] -= slip;
      for (int i = 0; i < 3; ++i)
        now[7 + 6 * i + k] = weight(i, dp) * (before[7 + 6 * i + k] + (2.0 / 3 * c[i]) * slip);
    }
    now[6] = T(start) + dp;
    return elastic_stress(m, begin.elastic);
  }

 private:
  template <class T>
  constexpr T weight(int i, const T& dp) const {
    return T(1.0) / (1.0 + (i == 0 ? g1 : i == 1 ? g2 : g3) * dp);
  }
  template <class X>
  static constexpr Symmetric<X> back_stress(const X* before, int i) {
    Symmetric<X> a;
    for (int k = 0; k < 6; ++k) a[k] = before[7 + 6 * i + k];
    return a;
  }
  template <class T>
  constexpr Symmetric<T> relative(Symmetric<T> s, const Plain<T>* before, const T& dp) const {
    for (int i = 0; i < 3; ++i) {
      const T w = weight(i, dp);
      for (int k = 0; k < 6; ++k) s[k] -= w * before[7 + 6 * i + k];
    }
    return s;
  }
  template <class T>
  constexpr T resistance(const ElasticModuli& m, const T& dp) const {
    return 3 * m.shear + c1 * weight(0, dp) + c2 * weight(1, dp) + c3 * weight(2, dp);
  }
};

}  // namespace ritz
