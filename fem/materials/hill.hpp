// Anisotropic metal plasticity by Hill's yield surface of 1948 along the axes of coordinates, with a table of isotropic
// hardening:
//   q^2 = F (s_yy - s_zz)^2 + G (s_zz - s_xx)^2 + H (s_xx - s_yy)^2 + 2 L s_yz^2 + 2 M s_xz^2 + 2 N s_xy^2
// r_xx ... r_xz are the yield stresses of the six directions divided by that of the table, as Abaqus has them (shears:
// times sqrt(3)); all 1: von Mises. Elastic isotropy; implicit Euler with one scalar unknown, dp / q. Hill, Proc. R.
// Soc. Lond. A 193 (1948) 281; de Souza Neto, Peric and Owen, Computational Methods for Plasticity, 2008, section 10.2.
#pragma once

#include "fem/materials/plastic_trial.hpp"
#include "fem/materials/root.hpp"

#include <array>

namespace ritz {

template <class L>
constexpr Parameter<L> ratio_of_yield(double L::*member, const char* name, double example) {
  return {member,
          {.name = name, .about = "yield stress of this direction", .above = 0, .fallback = 1, .example = example}};
}

struct Hill {
  static constexpr const char* name = "hill";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool isotropic = false;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "equivalent_plastic_strain", .about = "conjugate to Hill's stress"}}};
  double young, poisson, r_xx, r_yy, r_zz, r_xy, r_yz, r_xz;
  Hardening yield;
  static constexpr Parameter<Hill> parameters[] = {young_of(&Hill::young),
                                                   poisson_of(&Hill::poisson),
                                                   ratio_of_yield(&Hill::r_xx, "r_xx", 1),
                                                   ratio_of_yield(&Hill::r_yy, "r_yy", 1.1),
                                                   ratio_of_yield(&Hill::r_zz, "r_zz", 0.9),
                                                   ratio_of_yield(&Hill::r_xy, "r_xy", 1.2),
                                                   ratio_of_yield(&Hill::r_yz, "r_yz", 0.8),
                                                   ratio_of_yield(&Hill::r_xz, "r_xz", 1)};
  static constexpr Hardening Hill::*table = &Hill::yield;

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using X = Plain<T>;
    PlasticTrial<T> begin = plastic_trial(young, poisson, yield, strain, before);
    const ElasticModuli m = begin.moduli;
    const Symmetric<T>& trial = begin.deviator;
    const Symmetric<X> plain = begin.plain_deviator();
    const X start = begin.plastic_strain, limit = begin.limit;
    // unknown x: dp = x / (1 - x) limit / E, so that [0, 1) holds all increments
    const double E = young;
    const auto ratio_of = [&](const auto& x) { return x / (1.0 - x) * (1 / E); };
    const auto beyond = [&](const auto& s, const auto& x) {  // of 1 / stress, almost linear
      const auto r = ratio_of(x);
      const auto q = stress_at(m, s, r);
      return q - yield.at(start + r * q);
    };
    const auto of_unknown = [&](const Dual<X>& x) {
      Symmetric<Dual<X>> s;
      for (int k = 0; k < 6; ++k) s[k] = Dual<X>(plain[k]);
      return beyond(s, x);
    };
    const X yields = begin.yields(stress_at(m, plain, X(0.0)));
    const X root = root_of_decreasing(of_unknown, X(1.0), limit);
    const T x =
        select(T(yields),
               with_derivatives<T>(root, beyond(trial, T(root)), of_unknown(Dual<X>(root, X(1.0))).derivative), T(0.0));
    const T r = ratio_of(x);
    const Symmetric<T> s = relaxed(m, trial, r), flow = gradient(s);
    for (int k = 0; k < 6; ++k) {
      now[k] = T(before[k]) + r * flow[k];
      begin.elastic[k] -= r * flow[k];
    }
    now[6] = T(start) + select(T(yields), r * equivalent(s), T(0.0));
    return elastic_stress(m, begin.elastic);
  }

 private:
  struct Coefficients {
    double F, G, H, L, M, N;
  };
  constexpr Coefficients coefficients() const {
    const double x = 1 / (r_xx * r_xx), y = 1 / (r_yy * r_yy), z = 1 / (r_zz * r_zz);
    return {(y + z - x) / 2,     (z + x - y) / 2,     (x + y - z) / 2,
            1.5 / (r_yz * r_yz), 1.5 / (r_xz * r_xz), 1.5 / (r_xy * r_xy)};
  }
  // q times d(q)/d(s): linear in s.
  template <class T>
  constexpr Symmetric<T> gradient(const Symmetric<T>& s) const {
    const auto [F, G, H, L, M, N] = coefficients();
    return {{(G + H) * s[0] - H * s[1] - G * s[2], (F + H) * s[1] - H * s[0] - F * s[2],
             (F + G) * s[2] - F * s[1] - G * s[0], N * s[3], L * s[4], M * s[5]}};
  }
  template <class T>
  constexpr T equivalent(const Symmetric<T>& s) const {
    using std::sqrt;
    return sqrt(contract(s, gradient(s)));
  }
  // The deviatoric stress for a plastic strain increment r times its gradient: (1 + 2 G r P) s = trial.
  template <class T>
  constexpr Symmetric<T> relaxed(const ElasticModuli& m, const Symmetric<T>& trial, const T& r) const {
    const auto [F, G, H, L, M, N] = coefficients();
    const T x = (2 * m.shear) * r;
    const Symmetric<T> a{{1.0 + (G + H) * x, 1.0 + (F + H) * x, 1.0 + (F + G) * x, -H * x, -F * x, -G * x}},
        b = inverse(a);
    return {{b[0] * trial[0] + b[3] * trial[1] + b[5] * trial[2], b[3] * trial[0] + b[1] * trial[1] + b[4] * trial[2],
             b[5] * trial[0] + b[4] * trial[1] + b[2] * trial[2], trial[3] / (1.0 + N * x), trial[4] / (1.0 + L * x),
             trial[5] / (1.0 + M * x)}};
  }
  template <class T>
  constexpr T stress_at(const ElasticModuli& m, const Symmetric<T>& trial, const T& r) const {
    return equivalent(relaxed(m, trial, r));
  }
};

}  // namespace ritz
