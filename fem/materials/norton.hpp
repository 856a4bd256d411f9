// Creep of metals by Norton's law with time hardening, d(eps_c)/dt = a q^n t^m along the deviator, q von Mises's
// stress; m = 0: secondary creep. Elastic besides. Implicit Euler with one scalar equation, q + 3 G a (integral of t^m)
// q^n = q_trial. Bower, Applied Mechanics of Solids, 2010, section 3.8; *CREEP of Abaqus and CalculiX (LAW=NORTON).
#pragma once

#include "fem/materials/law.hpp"

#include <array>
#include <cmath>

namespace ritz {

// The end of an increment in which the deviator creeps: q + q power(q) = q_trial, where q power(q) is 3 G times the
// creep strain of the increment at the stress q, a convex function. highest(q_trial): a stress that is not below q, and
// not many times above it. at_rest: power(0). The laws keep six creep strains and then the equivalent one.
template <class T, class Power, class Highest>
constexpr Symmetric<T> creep(const ElasticModuli& e, const Symmetric<T>& strain, const Plain<T>* before, T* now,
                             const Power& power, double at_rest, const Highest& highest) {
  using X = Plain<T>;
  Symmetric<T> elastic = strain;
  for (int k = 0; k < 6; ++k) elastic[k] -= before[k];
  const Symmetric<T> trial = deviator(elastic);
  const T q = (2 * e.shear) * von_mises(trial);
  const X size = plain_of(q);
  X root = highest(size), slope = 1.0;
  constexpr int steps = 10;  // Newton's method descends on a convex function
  for (int step = 0; step < steps; ++step) {
    const Dual<X> x(root, X(1.0)), sum = x + x * power(x);
    slope = sum.derivative;
    root = select(size, root - (sum.value - size) / slope, root);
  }
  // q / q_trial = 1 / (1 + power); d(root) = d(q_trial) / slope
  const auto share = [](const auto& p) { return p / (1.0 + p); };
  const T left = with_derivatives<T>(root, T(0.0) - q, slope);
  const T along = select(q, share(power(left)), T(select(size, share(power(root)), X(share(at_rest)))));
  for (int k = 0; k < 6; ++k) {
    now[k] = T(before[k]) + along * trial[k];
    elastic[k] -= along * trial[k];
  }
  now[6] = T(before[6]) + select(q, along * q, T(0.0)) * (1 / (3 * e.shear));
  return elastic_stress(e, elastic);
}

struct Norton {
  static constexpr const char* name = "norton";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool reads_time = true;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "creep_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "equivalent_creep_strain", .about = "its rate is sqrt(2/3 D:D), D that of the creep strain"}}};
  double young, poisson, a, n, m;
  static constexpr Parameter<Norton> parameters[] = {
      young_of(&Norton::young),
      poisson_of(&Norton::poisson),
      {&Norton::a,
       {.name = "a", .unit = "1/(Pa^n s^(m+1))", .about = "rate at unit stress", .minimum = 0, .example = 1e-6}},
      {&Norton::n, {.name = "n", .about = "exponent of the stress", .minimum = 1, .example = 3}},
      {&Norton::m, {.name = "m", .about = "exponent of the time", .above = -1, .fallback = 0, .example = 0}}};

  template <class T>
  constexpr Symmetric<T> stress(const Time& time, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using std::pow;
    using X = Plain<T>;
    const ElasticModuli e = ElasticModuli::from(young, poisson);
    const double start = time.t - time.dt > 0 ? time.t - time.dt : 0;
    const double span = time.dt > 0 ? (pow(time.t, m + 1) - pow(start, m + 1)) / (m + 1) : 0;
    const double factor = 3 * e.shear * a * span;
    // q is less than the trial stress, and than the stress that creeps as much as the trial is elastic
    const auto highest = [&](const X& size) {
      if (!(factor > 0)) return size;
      const X other = pow(size * (1 / factor), 1 / n);
      return select(size - other, other, size);
    };
    return creep(
        e, strain, before, now, [&](const auto& q) { return factor * pow(q, n - 1); }, n > 1 ? 0 : factor, highest);
  }
};

}  // namespace ritz
