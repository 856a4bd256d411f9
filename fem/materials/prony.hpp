// Linear viscoelasticity by a series of Prony of up to three terms: after a jump of strain the shear modulus falls as
// 1 - sum_i g_i (1 - exp(-t / tau_i)), the bulk modulus likewise with k_i; young and poisson are the constants of a
// fast load. Exact for strain that is linear in time over a step. Simo and Hughes, Computational Inelasticity, 1998,
// section 10.3 (equations 10.3.12 to 10.3.16); *VISCOELASTIC, TIME=PRONY of Abaqus. Without time it is elastic, as for
// a fast load.
#pragma once

#include "fem/materials/law.hpp"

#include <array>
#include <cmath>

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
  double young, poisson, g1, k1, tau1, g2, k2, tau2, g3, k3, tau3;
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
       {.name = "tau3", .unit = "s", .about = "time of term 3", .above = 0, .fallback = 1, .example = 0.1}}};

  template <class T>
  constexpr Symmetric<T> stress(const Time& time, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using std::exp;
    const Symmetric<T> fast = elastic_stress(ElasticModuli::from(young, poisson), strain);
    const double g[3] = {g1, g2, g3}, k[3] = {k1, k2, k3}, tau[3] = {tau1, tau2, tau3};
    for (int c = 0; c < 6; ++c) now[c] = fast[c];
    // q_i' = (fast - q_i) / tau_i; the stress is fast less the shares of q_i
    Symmetric<T> stress = fast;
    for (int i = 0; i < 3; ++i) {
      const double x = time.dt / tau[i], decay = exp(-x);
      // of the strain's rise over the step, and of what it was before
      const double rise = x > 1e-4 ? 1 - (1 - decay) / x : x / 2 - x * x / 6,
                   rest = x > 1e-4 ? (1 - decay) / x - decay : x / 2 - x * x / 3;
      Symmetric<T> q;
      for (int c = 0; c < 6; ++c) q[c] = decay * T(before[6 + 6 * i + c]) + rest * T(before[c]) + rise * fast[c];
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
};

}  // namespace ritz
