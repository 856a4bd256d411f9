// Linear viscoelasticity by a series of Prony of up to three terms: after a jump of strain the shear modulus falls as
// 1 - sum_i g_i (1 - exp(-t / tau_i)), the bulk modulus likewise with k_i; young and poisson are the constants of a
// fast load. Exact for strain that is linear in time over a step. Simo and Hughes, Computational Inelasticity, 1998,
// section 10.3 (equations 10.3.12 to 10.3.16); *VISCOELASTIC, TIME=PRONY of Abaqus. Without time it is elastic, as for
// a fast load.
// At the temperature T time runs by the factor 10^(c1 d / (c2 + d)), d = T - wlf_temperature, faster than at that one:
// Williams, Landel and Ferry, J. Am. Chem. Soc. 77 (1955) 3701; *TRS of Abaqus. The factor of an increment is that at
// its end. Nothing relaxes below wlf_temperature - c2.
#pragma once

#include "fem/materials/law.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace ritz {

template <class L>
constexpr Parameter<L> share_that_relaxes(double L::*member, const char* name, double example) {
  return {member,
          {.name = name, .about = "share that relaxes", .minimum = 0, .below = 1, .fallback = 0, .example = example}};
}

struct Prony {
  static constexpr const char* name = "prony";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool reads_time = true;
  static constexpr std::array<StateFacts, 4> state = {
      {{.name = "instantaneous_stress", .unit = "Pa", .about = "elastic stress of the strain", .components = 6},
       {.name = "viscous_stress_1", .unit = "Pa", .about = "elastic stress that has relaxed, term 1", .components = 6},
       {.name = "viscous_stress_2", .unit = "Pa", .about = "of term 2", .components = 6},
       {.name = "viscous_stress_3", .unit = "Pa", .about = "of term 3", .components = 6}}};
  double young, poisson, g1, k1, tau1, g2, k2, tau2, g3, k3, tau3, wlf_c1, wlf_c2, wlf_temperature;
  static constexpr Parameter<Prony> parameters[] = {
      young_of(&Prony::young),
      poisson_of(&Prony::poisson),
      share_that_relaxes(&Prony::g1, "g1", 0.3),
      share_that_relaxes(&Prony::k1, "k1", 0.1),
      {&Prony::tau1, {.name = "tau1", .unit = "s", .about = "time of term 1", .above = 0, .example = 1}},
      share_that_relaxes(&Prony::g2, "g2", 0.2),
      share_that_relaxes(&Prony::k2, "k2", 0),
      {&Prony::tau2,
       {.name = "tau2", .unit = "s", .about = "time of term 2", .above = 0, .fallback = 1, .example = 10}},
      share_that_relaxes(&Prony::g3, "g3", 0),
      share_that_relaxes(&Prony::k3, "k3", 0.1),
      {&Prony::tau3,
       {.name = "tau3", .unit = "s", .about = "time of term 3", .above = 0, .fallback = 1, .example = 0.1}},
      {&Prony::wlf_c1,
       {.name = "wlf_c1",
        .about = "c1 of Williams, Landel and Ferry; 0: the temperature does not enter",
        .minimum = 0,
        .fallback = 0,
        .example = 17.44}},
      {&Prony::wlf_c2,
       {.name = "wlf_c2",
        .unit = "K",
        .about = "c2 of Williams, Landel and Ferry",
        .above = 0,
        .fallback = 51.6,
        .example = 51.6}},
      {&Prony::wlf_temperature,
       {.name = "wlf_temperature",
        .about = "temperature at which tau1, tau2 and tau3 hold, in the unit of the body's",
        .fallback = 0,
        .example = 0}}};
  constexpr bool needs_temperature() const { return wlf_c1 > 0; }

  template <class T>
  constexpr Symmetric<T> stress(const Time& time, const Plain<T>& temperature, const Symmetric<T>& strain,
                                const Plain<T>* before, T* now) const {
    using std::exp;
    using X = Plain<T>;
    const Symmetric<T> fast = elastic_stress(ElasticModuli::from(young, poisson), strain);
    const double g[3] = {g1, g2, g3}, k[3] = {k1, k2, k3}, tau[3] = {tau1, tau2, tau3};
    for (int c = 0; c < 6; ++c) now[c] = fast[c];
    const X span = time.dt * speed(temperature);
    // q_i' = (fast - q_i) / tau_i; the stress is fast less the shares of q_i
    Symmetric<T> stress = fast;
    for (int i = 0; i < 3; ++i) {
      const X x = (1 / tau[i]) * span, decay = exp(-1.0 * x);
      // of the strain's rise over the step, and of what it was before
      const X some = x - 1e-4, share = (1.0 - decay) / select(some, x, X(1.0));
      const X rise = select(some, 1.0 - share, 0.5 * x - (1.0 / 6) * (x * x)),
              rest = select(some, share - decay, 0.5 * x - (1.0 / 3) * (x * x));
      Symmetric<T> q;
      for (int c = 0; c < 6; ++c) q[c] = T(decay * before[6 + 6 * i + c] + rest * before[c]) + T(rise) * fast[c];
      const Symmetric<T> shear = deviator(q);
      const T mean = (1.0 / 3) * trace(q);
      for (int c = 0; c < 6; ++c) {
        now[6 + 6 * i + c] = q[c];
        stress[c] -= g[i] * shear[c];
        if (c < 3) stress[c] -= k[i] * mean;
      }
    }
    return stress;
  }

 private:
  template <class X>
  constexpr X speed(const X& temperature) const {
    using std::exp;
    if (!(wlf_c1 > 0)) return X(1.0);
    const X above = temperature - wlf_temperature, denominator = above + wlf_c2;
    const X exponent = (std::numbers::ln10 * wlf_c1) * above / select(denominator, denominator, X(1.0));
    return select(denominator, exp(exponent), X(0.0));
  }
};

}  // namespace ritz
