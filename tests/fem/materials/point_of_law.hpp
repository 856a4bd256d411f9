// A point of a law with its history, for tests of closed forms.
#pragma once

#include "tests/fem/materials/every_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace ritz::test_laws {

using S = Symmetric<double>;

inline double size_of(const S& a) { return std::sqrt(contract(a, a)); }

// A point with its history.
template <Law L>
struct LawAtPoint {
  static constexpr int count = std::max(1, LawFacts<L>::state);
  L law = example_of<L>();
  double before[count] = {}, now[count] = {};
  Time time{};
  double temperature = 0;

  Response<double> at(const S& strain) { return response_of(law, {time, temperature}, strain, before, now); }
  S stress(const S& strain) { return stress_of(law, {time, temperature}, strain, before, now); }
  S keep(const S& strain) {
    const S s = stress(strain);
    std::copy(now, now + count, before);
    return s;
  }
  S step(const S& strain, double dt = 0) {
    time.t += dt;
    time.dt = dt;
    return keep(strain);
  }
};

inline S random_strain(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  S e;
  for (int k = 0; k < 6; ++k) e[k] = number(random);
  return e;
}

// The strain across that leaves a bar without stress there, for a given strain along it; then a step.
template <Law L>
double pull(LawAtPoint<L>& point, double along, double dt = 0) {
  point.time.t += dt;
  point.time.dt = dt;
  double across = point.before[0] == 0 ? -0.3 * along : -0.5 * along;
  S s{};
  for (int step = 0; step < 60; ++step) {
    const auto r = point.at(S::diagonal(along, across, across));
    s = r.stress;
    if (std::abs(s[1]) < 1e-13 * std::abs(s[0])) break;
    across -= s[1] / (r.moduli[1][1] + r.moduli[1][2]);
  }
  point.keep(S::diagonal(along, across, across));
  return s[0];
}

// Along a path that yields, creeps and turns back.
template <class L, class Use>
void along_a_path(const Use& use) {
  std::mt19937 random(5);
  for (int path = 0; path < 4; ++path) {
    LawAtPoint<L> point;
    const double size = L::large == Strain::green_lagrange ? 0.04 : 0.03;
    S strain = S::zero();
    for (int step = 0; step < 4; ++step) {
      strain += random_strain(random, size);
      point.time = {0.5 * (step + 1), 0.5};
      use(point, strain);
      point.keep(strain);
    }
  }
}

}  // namespace ritz::test_laws
