// Creep, rates and viscoelasticity at one point, by closed forms.
#include "tests/fem/materials/point_of_law.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace ritz::test_laws {
namespace {

TEST(Norton, AFastStepOfAHighExponentStillFindsItsStress) {
  LawAtPoint<Norton> point;
  point.law.n = 12;
  point.law.a = 1;
  point.time = {1e6, 1e6};
  S e = S::zero();
  e[3] = 0.4;
  const double q = von_mises(point.stress(e)), trial = std::sqrt(3.0) * 2 * 0.4 * 1000 / 2.6;
  EXPECT_NEAR(q + 3 * 1000 / 2.6 * 1e6 * std::pow(q, 12), trial, 1e-7 * trial);
}

// The table of the example is 5, 8, 12, 30 at the plastic strains 0, 0.01, 0.05, 1 and 20 degrees, half of it at 120.
TEST(J2Rate, ABarFollowsTheTableOfItsTemperature) {
  for (const auto& [temperature, part] : {std::pair{0.0, 1.0}, {20.0, 1.0}, {70.0, 0.75}, {120.0, 0.5}, {500.0, 0.5}}) {
    LawAtPoint<J2Rate> bar;
    bar.law.rate = 0;
    bar.temperature = temperature;
    EXPECT_NEAR(pull(bar, 0.01 + part * 8 / 1000), part * 8, 1e-9) << temperature;
    EXPECT_NEAR(bar.before[6], 0.01, 1e-12);
    EXPECT_NEAR(pull(bar, 0.03 + part * 10 / 1000), part * 10, 1e-9);
  }
  // as it warms, the same strain yields again
  LawAtPoint<J2Rate> warmed;
  warmed.law.rate = 0;
  EXPECT_NEAR(pull(warmed, 0.03 + 10.0 / 1000), 10, 1e-9);
  warmed.temperature = 120;
  EXPECT_GT(warmed.before[6], 0.0299);
  const double stress = pull(warmed, 0.04), p = warmed.before[6];
  EXPECT_NEAR(stress, 0.5 * (8 + 100 * (p - 0.01)), 1e-9);
  EXPECT_NEAR(stress, 1000 * (0.04 - p), 1e-9);
}

// (1 + (p' / 0.05)^(1/3)) times the yield stress; at rest of the strain the overstress relaxes.
TEST(J2Rate, ABarAtAConstantRateHasTheOverstressOfCowperAndSymonds) {
  LawAtPoint<J2Rate> bar;
  bar.law.yield = HardeningOverTemperature::constant(5);
  for (const double rate : {1e-9, 0.05, 0.4, 50.0}) {
    LawAtPoint<J2Rate> fast = bar;
    double s = 0;
    for (int step = 1; step <= 10; ++step) s = pull(fast, 0.1 * step, 0.1 / rate);
    EXPECT_NEAR(s, 5 * (1 + std::cbrt(rate / 0.05)), 1e-8 * s) << rate;
  }
  EXPECT_NEAR(pull(bar, 0.1), 100, 1e-9);  // an increment without time is elastic
  LawAtPoint<J2Rate> held = bar;
  pull(held, 0.2, 0.1);
  for (int step = 0; step < 200; ++step) pull(held, 0.2, 10);
  EXPECT_NEAR(pull(held, 0.2, 1e9), 5, 5e-3);
}

// The creep strain along a bar under a stress, after a time more; its strain goes along.
template <Law L>
double creep_under(LawAtPoint<L>& bar, double& strain, double stress, double dt) {
  bar.time.t += dt;
  bar.time.dt = dt;
  double across = -0.5 * strain;
  for (int i = 0; i < 60; ++i) {
    const auto r = bar.at(S::diagonal(strain, across, across));
    const double A = r.moduli[0][0], B = 2 * r.moduli[0][1], C = r.moduli[1][0], D = r.moduli[1][1] + r.moduli[1][2];
    const double x = r.stress[0] - stress, y = r.stress[1], d = A * D - B * C;
    strain -= (D * x - B * y) / d;
    across -= (A * y - C * x) / d;
  }
  bar.keep(S::diagonal(strain, across, across));
  return strain - stress / 1000;
}

TEST(Norton, AtConstantStressTheCreepStrainIsThatOfTheLaw) {
  LawAtPoint<Norton> bar;
  double strain = 0, creep = 0;
  for (int step = 0; step < 5; ++step) creep = creep_under(bar, strain, 12, 10);
  EXPECT_NEAR(creep, 1e-6 * std::pow(12, 3) * 50, 1e-10);
  EXPECT_NEAR(bar.before[6], creep, 1e-10);
}

// 8 for 3, then 12 until 10: time hardening continues along the curve of 12 at its time, strain hardening at its
// strain.
TEST(Norton, AStepOfStressCreepsByTimeOrByStrainHardening) {
  const double a = 1e-5, n = 3, m = -0.4;
  const auto at = [&](double stress, double t) { return a * std::pow(stress, n) * std::pow(t, m + 1) / (m + 1); };
  LawAtPoint<Norton> by_time;
  LawAtPoint<NortonStrain> by_strain;
  by_time.law = {1000, 0.3, a, n, m};
  by_strain.law = {1000, 0.3, a, n, m};
  double x = 0, y = 0, of_time = 0, of_strain = 0;
  for (int step = 0; step < 3; ++step) {
    of_time = creep_under(by_time, x, 8, 1);
    of_strain = creep_under(by_strain, y, 8, 1);
    EXPECT_NEAR(of_time, at(8, step + 1), 1e-11);
    EXPECT_NEAR(of_strain, at(8, step + 1), 1e-11);
  }
  for (int step = 0; step < 2; ++step) {
    of_time = creep_under(by_time, x, 12, 3.5);
    of_strain = creep_under(by_strain, y, 12, 3.5);
  }
  EXPECT_NEAR(of_time, at(8, 3) + at(12, 10) - at(12, 3), 1e-11);
  const double shifted = 3 * std::pow(std::pow(8.0 / 12, n), 1 / (m + 1));
  EXPECT_NEAR(of_strain, at(12, shifted + 7), 1e-11);
  EXPECT_GT(of_strain, 1.05 * of_time);  // the two differ
}

TEST(NortonStrain, WithoutHardeningItIsNorton) {
  LawAtPoint<NortonStrain> strain;
  LawAtPoint<Norton> time;
  strain.law.m = time.law.m = 0;
  std::mt19937 random(6);
  S e = S::zero();
  for (int step = 0; step < 5; ++step) {
    e += random_strain(random, 0.02);
    EXPECT_LT(size_of(strain.step(e, 3) - time.step(e, 3)), 1e-9);
  }
}

TEST(Prony, TheModulusRelaxesAsItsSeries) {
  LawAtPoint<Prony> bar;
  bar.law = {100, 0.3, 0.5, 0.5, 1, 0, 0, 1, 0, 0, 1};
  EXPECT_NEAR(pull(bar, 0.01) / 0.01, 100, 1e-9);  // at once
  double s = 0;
  for (int step = 0; step < 4; ++step) s = pull(bar, 0.01, 0.25);
  EXPECT_NEAR(s / 0.01, 68.394, 5e-4);
  EXPECT_NEAR(pull(bar, 0.01, 1e6) / 0.01, 50, 1e-3);
}

// 10^(17.44 * 5 / (51.6 + 5)) = 34.67 times as fast at 5 degrees above the reference.
TEST(Prony, TimeRunsFasterInTheWarm) {
  const Prony polymer = {100, 0.3, 0.5, 0.5, 1, 0, 0, 1, 0, 0, 1, 17.44, 51.6, 20};
  const auto after = [&](double temperature, double time) {
    LawAtPoint<Prony> bar{.law = polymer, .temperature = temperature};
    pull(bar, 0.01);
    return pull(bar, 0.01, time) / 0.01;
  };
  EXPECT_NEAR(after(20, 1), 68.394, 5e-4);
  EXPECT_NEAR(after(25, 1 / std::pow(10, 17.44 * 5 / 56.6)), 68.394, 5e-4);
  EXPECT_NEAR(after(15, 1 / std::pow(10, -17.44 * 5 / 46.6)), 68.394, 5e-4);
  for (const double cold : {-31.6, -40.0}) EXPECT_NEAR(after(cold, 1e6), 100, 1e-9) << "nothing moves";
}

}  // namespace
}  // namespace ritz::test_laws
