// Facts of every law at one point: moduli are derivatives of the stress, symmetric where it is claimed, elastic at the
// start, and the same in all directions; then closed forms of each.
#include "tests/fem/materials/every_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ritz {
namespace {

using S = Symmetric<double>;

double size_of(const S& a) { return std::sqrt(contract(a, a)); }

// A point with its history.
template <Law L>
struct LawAtPoint {
  static constexpr int count = std::max(1, LawFacts<L>::state);
  L law = example_of<L>();
  double before[count] = {}, now[count] = {};
  Time time{};

  Response<double> at(const S& strain) { return response_of(law, time, strain, before, now); }
  S stress(const S& strain) { return stress_of(law, time, strain, before, now); }
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

S random_strain(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  S e;
  for (int k = 0; k < 6; ++k) e[k] = number(random);
  return e;
}

template <class L>
class EveryLaw : public testing::Test {};
template <class List>
struct TypesOf;
template <Law... L>
struct TypesOf<LawList<L...>> {
  using Types = testing::Types<L...>;
};
using Laws = TypesOf<BuiltInLaws>::Types;
TYPED_TEST_SUITE(EveryLaw, Laws);

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

TYPED_TEST(EveryLaw, TheModuliAreTheDerivativesOfTheStress) {
  along_a_path<TypeParam>([](LawAtPoint<TypeParam>& point, const S& strain) {
    const Response<double> r = point.at(strain);
    EXPECT_LT(size_of(r.stress - point.stress(strain)), 1e-12 * (1 + size_of(r.stress)));
    for (int k = 0; k < 6; ++k) {
      S along = S::zero();
      along[k] = k < 3 ? 1 : 0.5;
      const double h = 1e-5;
      const auto at = [&](double x) { return point.stress(strain + x * along); };
      const S slope = (1 / (12 * h)) * (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h)));
      for (int l = 0; l < 6; ++l) EXPECT_NEAR(r.moduli[l][k], slope[l], 1e-6 * 1000) << l << k;
    }
  });
}

// Threads of a GPU compute columns.
TYPED_TEST(EveryLaw, ColumnsOfTheModuliAloneAreThoseOfAllAtOnce) {
  along_a_path<TypeParam>([](LawAtPoint<TypeParam>& point, const S& strain) {
    const Response<double> r = point.at(strain);
    for (int k = 0; k < 6; ++k) {
      const Column<double> c = column_of(point.law, point.time, strain, k, point.before, point.now);
      EXPECT_LT(size_of(r.stress - c.stress), 1e-12 * (1 + size_of(r.stress)));
      for (int l = 0; l < 6; ++l) EXPECT_NEAR(r.moduli[l][k], c.moduli[l], 1e-9 * 1000);
    }
  });
}

TYPED_TEST(EveryLaw, TheModuliAreSymmetricWhereItIsClaimed) {
  if (!LawFacts<TypeParam>::symmetric) return;
  along_a_path<TypeParam>([](LawAtPoint<TypeParam>& point, const S& strain) {
    const Response<double> r = point.at(strain);
    for (int k = 0; k < 6; ++k)
      for (int l = 0; l < k; ++l) EXPECT_NEAR(r.moduli[k][l], r.moduli[l][k], 1e-10 * 1000);
  });
}

TYPED_TEST(EveryLaw, NoStrainIsNoStressAndTheModuliThereAreElastic) {
  LawAtPoint<TypeParam> point;
  const Response<double> r = point.at(S::zero());
  EXPECT_LT(size_of(r.stress), 1e-12);
  const double shear = r.moduli[3][3];
  EXPECT_GT(shear, 0);
  if (!std::is_same_v<TypeParam, Orthotropic>) EXPECT_NEAR(r.moduli[0][0] - r.moduli[0][1], 2 * shear, 1e-9 * shear);
  for (int k = 0; k < 6; ++k)
    for (int l = 0; l < 6; ++l) EXPECT_TRUE(std::isfinite(r.moduli[k][l]));
}

TYPED_TEST(EveryLaw, TurnedStrainsHaveTurnedStresses) {
  if (!LawFacts<TypeParam>::isotropic) return;
  std::mt19937 random(9);
  Tensor<double> F = Tensor<double>::identity();
  for (auto& row : F.v)
    for (double& x : row) x += std::uniform_real_distribution<double>(-0.7, 0.7)(random);
  const Tensor<double> Q = polar(F).rotation;
  LawAtPoint<TypeParam> here, there;
  S strain = S::zero();
  for (int step = 0; step < 4; ++step) {
    strain += random_strain(random, 0.04);
    const S a = turned(Q, here.step(strain, 0.5)), b = there.step(turned(Q, strain), 0.5);
    EXPECT_LT(size_of(a - b), 1e-11 * (1 + size_of(a)));
  }
}

// Moduli by the derivative of the energy twice: S = dW/dE.
template <class L>
void expect_stress_of_energy() {
  along_a_path<L>([](LawAtPoint<L>& point, const S& E) {
    const auto energy = [&](const S& e) {
      const S C = S::identity() + 2.0 * e;
      const double J = std::sqrt(det(C)), J23 = std::pow(J, -2.0 / 3);
      return point.law.energy(Invariants<double>{J23 * trace(C), J23 * J23 * trace(cofactors(C)), J});
    };
    const S stress = point.stress(E);
    for (int k = 0; k < 6; ++k) {
      S along = S::zero();
      along[k] = k < 3 ? 1 : 0.5;
      const double h = 1e-4;
      const auto at = [&](double x) { return energy(E + x * along); };
      EXPECT_NEAR((8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12 * h), stress[k], 1e-6 * size_of(stress) + 1e-8);
    }
  });
}
TEST(LawsOfEnergies, TheStressIsTheDerivativeOfTheEnergy) {
  expect_stress_of_energy<NeoHooke>();
  expect_stress_of_energy<MooneyRivlin>();
  expect_stress_of_energy<Yeoh>();
  expect_stress_of_energy<ArrudaBoyce>();
}

// Cauchy's principal stresses for stretches along the axes.
template <Law L>
std::array<double, 3> cauchy(const L& law, double a, double b, double c) {
  double none = 0;
  const S s = stress_of(law, Time{}, S::diagonal((a * a - 1) / 2, (b * b - 1) / 2, (c * c - 1) / 2), &none, &none);
  return {a * a * s[0] / (a * b * c), b * b * s[1] / (a * b * c), c * c * s[2] / (a * b * c)};
}
// Difference of Cauchy stresses 1 and 3 at stretches whose product is 1, from 2 (a^2 - c^2) (W1 + b^2 W2).
double of_slopes(double a, double b, double c, double W1, double W2) { return 2 * (a * a - c * c) * (W1 + b * b * W2); }

TEST(LawsOfEnergies, StressesAtConstantVolumeAreThoseOfTheClosedForms) {
  // uniaxial, equibiaxial, pure shear: stretches 1, 2, 3
  const double l = 1.7;
  const std::array<std::array<double, 3>, 3> paths = {
      {{l, 1 / std::sqrt(l), 1 / std::sqrt(l)}, {l, l, 1 / (l * l)}, {l, 1, 1 / l}}};
  for (const auto& [a, b, c] : paths) {
    const double I = a * a + b * b + c * c, x = I - 3;
    const auto difference = [&](const auto& law) {
      const auto s = cauchy(law, a, b, c);
      return s[0] - s[2];
    };
    const auto mooney = example_of<MooneyRivlin>();
    EXPECT_NEAR(difference(mooney), of_slopes(a, b, c, mooney.c10, mooney.c01), 1e-9);
    const auto yeoh = example_of<Yeoh>();
    EXPECT_NEAR(difference(yeoh), of_slopes(a, b, c, yeoh.c10 + 2 * yeoh.c20 * x + 3 * yeoh.c30 * x * x, 0), 1e-9);
    const auto chains = example_of<ArrudaBoyce>();
    const double m = chains.locking_stretch * chains.locking_stretch;
    const double slope = chains.shear * (0.5 + 2 * I / (20 * m) + 33 * I * I / (1050 * m * m) +
                                         76 * std::pow(I / m, 3) / 7000 + 5 * 519 * std::pow(I / m, 4) / 673750);
    EXPECT_NEAR(difference(chains), of_slopes(a, b, c, slope, 0), 1e-9);
    const auto ogden = example_of<Ogden>();
    double sum = 0;
    for (const auto& [mu, alpha] :
         {std::pair{ogden.mu1, ogden.alpha1}, {ogden.mu2, ogden.alpha2}, {ogden.mu3, ogden.alpha3}})
      sum += 2 * mu / alpha * (std::pow(a, alpha) - std::pow(c, alpha));
    EXPECT_NEAR(difference(ogden), sum, 1e-9);
    const auto young = example_of<NeoHooke>();
    EXPECT_NEAR(difference(young), of_slopes(a, b, c, ElasticModuli::from(young.young, young.poisson).shear / 2, 0),
                1e-9);
    const auto foam = example_of<Hyperfoam>();
    sum = 0;
    for (const auto& [mu, alpha] : {std::pair{foam.mu1, foam.alpha1}, {foam.mu2, foam.alpha2}})
      sum += 2 * mu / alpha * (std::pow(a, alpha) - std::pow(c, alpha));
    EXPECT_NEAR(difference(foam), sum, 1e-9);
  }
}

TEST(LawsOfEnergies, VolumetricStretchHasThePressureOfTheClosedForms) {
  const double l = 0.9, J = l * l * l;
  EXPECT_NEAR(cauchy(example_of<MooneyRivlin>(), l, l, l)[0], 2000 * (J - 1), 1e-10);
  EXPECT_NEAR(cauchy(example_of<Yeoh>(), l, l, l)[0], 2000 * (J - 1), 1e-10);
  EXPECT_NEAR(cauchy(example_of<Ogden>(), l, l, l)[0], 2000 * (J - 1), 1e-10);
  EXPECT_NEAR(cauchy(example_of<ArrudaBoyce>(), l, l, l)[0], 1000 * (J - 1 / J), 1e-10);
  const auto foam = example_of<Hyperfoam>();
  double sum = 0;
  for (const auto& [mu, alpha] : {std::pair{foam.mu1, foam.alpha1}, {foam.mu2, foam.alpha2}})
    sum += 2 * mu / alpha * (std::pow(l, alpha) - std::pow(J, -alpha * 0.125)) / J;
  EXPECT_NEAR(cauchy(foam, l, l, l)[0], sum, 1e-10);
  const auto [shear, bulk] = ElasticModuli::from(1000, 0.3);
  EXPECT_NEAR(cauchy(example_of<NeoHooke>(), l, l, l)[0],
              (shear * (l * l - 1) + (bulk - 2 * shear / 3) * std::log(J)) / J, 1e-10);
}

TEST(LawsOfEnergies, SimpleShearOfNeoHookeHasShearStressMuTimesGamma) {
  // F = I + gamma e1 e2: Cauchy's shear stress is mu gamma, the difference of normal stresses mu gamma^2
  const double gamma = 0.8;
  Tensor<double> H{};
  H(0, 1) = gamma;
  double none = 0;
  const S s = stress_of(example_of<NeoHooke>(), Time{}, green_lagrange(H), &none, &none);
  Tensor<double> F = Tensor<double>::identity();
  F(0, 1) = gamma;
  const S sigma = turned(F, s);
  const double mu = 1000 / 2.6;
  EXPECT_NEAR(sigma[3], mu * gamma, 1e-10);
  EXPECT_NEAR(sigma[0] - sigma[1], mu * gamma * gamma, 1e-10);
}

// A stretch of 10 with free sides; the strain across is found by Newton's method.
TEST(NeoHooke, TheBoxStretchedTenTimesHasTheForceOfTheReference) {
  const auto law = example_of<NeoHooke>();
  double across = -0.4, none = 0;
  for (int step = 0; step < 30; ++step) {
    const auto r = response_of(law, Time{}, S::diagonal(49.5, across, across), &none, &none);
    across -= r.stress[1] / (r.moduli[1][1] + r.moduli[1][2]);
  }
  const double lambda = std::sqrt(1 + 2 * across);
  const S s = stress_of(law, Time{}, S::diagonal(49.5, across, across), &none, &none);
  EXPECT_NEAR(lambda, 0.416532, 5e-7);
  EXPECT_NEAR(10 * lambda * lambda, 1.734988, 5e-7);
  EXPECT_NEAR(10 * s[0], 3839.481, 5e-4);
}

// Follower traction p on the end of a bar that is free on its sides: Cauchy's stress is p.
TEST(MooneyRivlin, TheBarUnderFollowerTensionHasTheStretchesOfTheReference) {
  const MooneyRivlin law{1.92505, 0, 2 / 0.026};
  double a = 1.1, b = 0.95;
  for (int step = 0; step < 50; ++step) {
    const auto f = [&](double x, double y) { return cauchy(law, x, y, y); };
    const double h = 1e-6, r0 = f(a, b)[0] - 2, r1 = f(a, b)[1];
    const double A = (f(a + h, b)[0] - f(a - h, b)[0]) / (2 * h), B = (f(a, b + h)[0] - f(a, b - h)[0]) / (2 * h);
    const double C = (f(a + h, b)[1] - f(a - h, b)[1]) / (2 * h), D = (f(a, b + h)[1] - f(a, b - h)[1]) / (2 * h);
    a -= (D * r0 - B * r1) / (A * D - B * C);
    b -= (A * r1 - C * r0) / (A * D - B * C);
  }
  EXPECT_NEAR(8 * (a - 1), 1.412480, 5e-7);  // of a bar of length 8
  EXPECT_NEAR(b - 1, -7.409424e-2, 5e-9);    // of a width of 1
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

TEST(J2, ABarFollowsItsTableAndComesBackElastically) {
  LawAtPoint<J2> bar;
  bar.law.kinematic_hardening = 0;
  // stress 8 at the plastic strain 0.01, 12 at 0.05
  EXPECT_NEAR(pull(bar, 0.01 + 8.0 / 1000), 8, 1e-9);
  EXPECT_NEAR(bar.before[6], 0.01, 1e-12);
  EXPECT_NEAR(pull(bar, 0.03 + 10.0 / 1000), 10, 1e-9);
  EXPECT_NEAR(pull(bar, 0.03 + 4.0 / 1000), 4, 1e-9);
  EXPECT_NEAR(pull(bar, 1.5), 30, 1e-8);  // beyond the table
}

TEST(J2, KinematicHardeningKeepsTheElasticRangeInACycle) {
  LawAtPoint<J2> bar;
  bar.law.yield = Hardening::constant(5);
  bar.law.kinematic_hardening = 100;
  const double tangent = 1000.0 * 100 / 1100;
  // yields at 5, hardens by E H / (E + H), yields in compression at 10 less
  const double top = 5 + tangent * (0.05 - 0.005);
  EXPECT_NEAR(pull(bar, 0.05), top, 1e-9);
  EXPECT_NEAR(pull(bar, 0.05 - 0.01), top - 10, 1e-9);
  EXPECT_NEAR(pull(bar, -0.05), top - 10 - tangent * (0.1 - 0.01), 1e-9);
}

TEST(Chaboche, ABarSaturatesAtTheYieldStressAndTheLimitsOfTheBackStresses) {
  LawAtPoint<Chaboche> bar;
  bar.law = {1000, 0.3, 300, 40, 100, 8, 0, 0, Hardening::constant(5)};
  double s = 0;
  for (int step = 1; step <= 200; ++step) s = pull(bar, 0.01 * step);
  EXPECT_NEAR(s, 5 + 300.0 / 40 + 100.0 / 8, 1e-5);
  // and after that with an offset: reversed yielding begins at twice the yield stress below
  EXPECT_NEAR(pull(bar, 2 - 10.0 / 1000), s - 10, 1e-5);
}

TEST(Chaboche, SmallStepsFollowTheExponentialOfTheBackStress) {
  LawAtPoint<Chaboche> bar;
  bar.law = {1000, 0.3, 300, 40, 0, 0, 0, 0, Hardening::constant(5)};
  double s = 0;
  for (int step = 1; step <= 2000; ++step) s = pull(bar, 2e-5 * step);
  const double p = bar.before[6];
  EXPECT_NEAR(s, 5 + 300.0 / 40 * (1 - std::exp(-40 * p)), 2e-3);  // of the first order in the step
}

TEST(Hill, DirectionsYieldAtTheirRatiosOfTheTable) {
  LawAtPoint<Hill> point;
  point.law.yield = Hardening::constant(10);
  const auto strength = [&](int k) {
    LawAtPoint<Hill> p = point;
    // stress along one component, by strain with the elastic law inverted, far beyond yield
    S strain = S::zero(), s{};
    strain[k] = 0.5;
    for (int step = 0; step < 200; ++step) {
      const auto r = p.at(strain);
      s = r.stress;
      if (k >= 3) break;
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const double d = r.moduli[i][i] * r.moduli[j][j] - r.moduli[i][j] * r.moduli[j][i];
      const double x = (r.moduli[j][j] * s[i] - r.moduli[i][j] * s[j]) / d,
                   y = (r.moduli[i][i] * s[j] - r.moduli[j][i] * s[i]) / d;
      strain[i] -= x;
      strain[j] -= y;
    }
    return s[k];
  };
  EXPECT_NEAR(strength(0), 10 * 1.0, 1e-7);
  EXPECT_NEAR(strength(1), 10 * 1.1, 1e-7);
  EXPECT_NEAR(strength(2), 10 * 0.9, 1e-7);
  EXPECT_NEAR(strength(3), 10 * 1.2 / std::sqrt(3), 1e-7);
  EXPECT_NEAR(strength(4), 10 * 0.8 / std::sqrt(3), 1e-7);
  EXPECT_NEAR(strength(5), 10 * 1.0 / std::sqrt(3), 1e-7);
}

TEST(Hill, WithoutRatiosItIsVonMises) {
  LawAtPoint<Hill> hill;
  hill.law = {1000, 0.3, 1, 1, 1, 1, 1, 1, example_of<J2>().yield};
  LawAtPoint<J2> mises;
  mises.law.kinematic_hardening = 0;
  std::mt19937 random(4);
  S strain = S::zero();
  for (int step = 0; step < 6; ++step) {
    strain += random_strain(random, 0.03);
    EXPECT_LT(size_of(hill.step(strain) - mises.step(strain)), 1e-8);
    EXPECT_NEAR(hill.before[6], mises.before[6], 1e-10);
  }
}

TEST(DruckerPrager, TriaxialCompressionFailsWhereMohrAndCoulombDo) {
  LawAtPoint<DruckerPrager> soil;
  // cell pressure 20, then axial strain: s1 = s3 (1 + sin) / (1 - sin) + 2 c cos / (1 - sin)
  const double sine = 0.5, pressure = 20, limit = pressure * 3 + 2 * 10 * std::cos(std::numbers::pi / 6) / (1 - sine);
  double lateral = 0;
  S s{};
  for (int step = 1; step <= 60; ++step) {
    for (int i = 0; i < 80; ++i) {
      const auto r = soil.at(S::diagonal(-0.005 * step, lateral, lateral));
      s = r.stress;
      lateral -= (s[1] + pressure) / (r.moduli[1][1] + r.moduli[1][2]);
    }
    soil.step(S::diagonal(-0.005 * step, lateral, lateral));
  }
  EXPECT_NEAR(s[0], -limit, 1e-7);
}

TEST(DruckerPrager, TensionEndsAtTheApexOfTheCone) {
  LawAtPoint<DruckerPrager> soil;
  const S s = soil.stress(S::diagonal(0.2, 0.21, 0.2));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s[k], 10 / std::tan(std::numbers::pi / 6), 1e-10);
  EXPECT_NEAR(size_of(deviator(s)), 0, 1e-12);
}

TEST(Norton, AtConstantStressTheCreepStrainIsThatOfTheLaw) {
  LawAtPoint<Norton> bar;
  const double stress = 12, n = 3, a = 1e-6;
  double strain = 0, s = 0;
  for (int step = 0; step < 5; ++step) {
    bar.time.t += 10;
    bar.time.dt = 10;
    // the strain along the bar at this stress
    double across = -0.5 * strain;
    for (int i = 0; i < 60; ++i) {
      const auto r = bar.at(S::diagonal(strain, across, across));
      const double A = r.moduli[0][0], B = 2 * r.moduli[0][1], C = r.moduli[1][0], D = r.moduli[1][1] + r.moduli[1][2];
      s = r.stress[0];
      const double x = s - stress, y = r.stress[1], d = A * D - B * C;
      strain -= (D * x - B * y) / d;
      across -= (A * y - C * x) / d;
    }
    bar.keep(S::diagonal(strain, across, across));
  }
  EXPECT_NEAR(s, stress, 1e-10);
  EXPECT_NEAR(strain, stress / 1000 + a * std::pow(stress, n) * 50, 1e-10);
  EXPECT_NEAR(bar.before[6], a * std::pow(stress, n) * 50, 1e-10);
}

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

TEST(Prony, TheModulusRelaxesAsItsSeries) {
  LawAtPoint<Prony> bar;
  bar.law = {100, 0.3, 0.5, 0.5, 1, 0, 0, 1, 0, 0, 1};
  EXPECT_NEAR(pull(bar, 0.01) / 0.01, 100, 1e-9);  // at once
  double s = 0;
  for (int step = 0; step < 4; ++step) s = pull(bar, 0.01, 0.25);
  EXPECT_NEAR(s / 0.01, 68.394, 5e-4);
  EXPECT_NEAR(pull(bar, 0.01, 1e6) / 0.01, 50, 1e-3);
}

}  // namespace
}  // namespace ritz
