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
      const Column<double> c =
          column_of(point.law, {point.time, point.temperature}, strain, k, point.before, point.now);
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
  if (!std::is_same_v<TypeParam, Orthotropic> && !std::is_same_v<TypeParam, Anisotropic>)
    EXPECT_NEAR(r.moduli[0][0] - r.moduli[0][1], 2 * shear, 1e-9 * shear);
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
  expect_stress_of_energy<Polynomial>();
  expect_stress_of_energy<Yeoh>();
  expect_stress_of_energy<ArrudaBoyce>();
}

// Cauchy's principal stresses for stretches along the axes.
template <Law L>
std::array<double, 3> cauchy(const L& law, double a, double b, double c) {
  double none = 0;
  const S s = stress_of(law, {}, S::diagonal((a * a - 1) / 2, (b * b - 1) / 2, (c * c - 1) / 2), &none, &none);
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
    const auto cubic = example_of<Polynomial>();
    const double y = a * a * b * b + b * b * c * c + c * c * a * a - 3;
    const double W1 = cubic.c10 + 2 * cubic.c20 * x + cubic.c11 * y + 3 * cubic.c30 * x * x + 2 * cubic.c21 * x * y +
                      cubic.c12 * y * y,
                 W2 = cubic.c01 + cubic.c11 * x + 2 * cubic.c02 * y + cubic.c21 * x * x + 2 * cubic.c12 * x * y +
                      3 * cubic.c03 * y * y;
    EXPECT_NEAR(difference(cubic), of_slopes(a, b, c, W1, W2), 1e-9);
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
  EXPECT_NEAR(cauchy(example_of<Polynomial>(), l, l, l)[0], 2000 * (J - 1), 1e-10);
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
  const S s = stress_of(example_of<NeoHooke>(), {}, green_lagrange(H), &none, &none);
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
    const auto r = response_of(law, {}, S::diagonal(49.5, across, across), &none, &none);
    across -= r.stress[1] / (r.moduli[1][1] + r.moduli[1][2]);
  }
  const double lambda = std::sqrt(1 + 2 * across);
  const S s = stress_of(law, {}, S::diagonal(49.5, across, across), &none, &none);
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

// The axial stress after `steps` strains along an axis while the two others keep a pressure on them.
template <Law L>
double triaxial(LawAtPoint<L>& soil, double pressure, double strain, int steps) {
  double lateral = 0;
  S s{};
  for (int step = 1; step <= steps; ++step) {
    for (int i = 0; i < 80; ++i) {
      const auto r = soil.at(S::diagonal(strain * step, lateral, lateral));
      s = r.stress;
      lateral -= (s[1] + pressure) / (r.moduli[1][1] + r.moduli[1][2]);
    }
    soil.step(S::diagonal(strain * step, lateral, lateral));
  }
  return s[0];
}

TEST(DruckerPrager, TriaxialCompressionFailsWhereMohrAndCoulombDo) {
  LawAtPoint<DruckerPrager> soil;
  // cell pressure 20, then axial strain: s1 = s3 (1 + sin) / (1 - sin) + 2 c cos / (1 - sin)
  const double sine = 0.5, pressure = 20, limit = pressure * 3 + 2 * 10 * std::cos(std::numbers::pi / 6) / (1 - sine);
  EXPECT_NEAR(triaxial(soil, pressure, -0.005, 60), -limit, 1e-7);
}

TEST(DruckerPrager, TensionEndsAtTheApexOfTheCone) {
  LawAtPoint<DruckerPrager> soil;
  const S s = soil.stress(S::diagonal(0.2, 0.21, 0.2));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s[k], 10 / std::tan(std::numbers::pi / 6), 1e-10);
  EXPECT_NEAR(size_of(deviator(s)), 0, 1e-12);
}

// k = 3 and 2 c sqrt(k) = 20 sqrt(3), at phi = 30 degrees and c = 10.
TEST(MohrCoulomb, StrengthsInTriaxialCompressionAndExtensionAreThoseOfTheCriterion) {
  const double cohesive = 20 * std::sqrt(3.0);
  LawAtPoint<MohrCoulomb> soil;
  EXPECT_NEAR(triaxial(soil, 20, -0.005, 60), -(3 * 20 + cohesive), 1e-7);
  // the flow: the volume grows by (m - 1) of the plastic strain along the axis, m = (1 + sin psi) / (1 - sin psi)
  const double* const plastic = soil.before;
  const double m = (1 + std::sin(10 * degree)) / (1 - std::sin(10 * degree));
  EXPECT_NEAR(plastic[0] + plastic[1] + plastic[2], (1 - m) * plastic[0], 1e-9);
  // from the cell pressure on the axis is pulled: it is the smallest pressure then
  LawAtPoint<MohrCoulomb> pulled;
  EXPECT_NEAR(triaxial(pulled, 60, 0.002, 60), -(60 - cohesive) / 3, 1e-7);
}

TEST(MohrCoulomb, ABarBreaksAtItsStrengthsAndTheCutOffLimitsTension) {
  const double cohesive = 20 * std::sqrt(3.0);
  LawAtPoint<MohrCoulomb> bar;
  EXPECT_NEAR(triaxial(bar, 0, -0.005, 40), -cohesive, 1e-7);  // in compression
  LawAtPoint<MohrCoulomb> pulled, whole;
  EXPECT_NEAR(triaxial(pulled, 0, 0.005, 40), 8, 1e-8);  // the cut-off is below cohesive / 3
  whole.law.tension = 1e30;
  EXPECT_NEAR(triaxial(whole, 0, 0.005, 40), cohesive / 3, 1e-8);
  // equal tension in all directions ends at the cut-off, without it at the apex c / tan(phi)
  LawAtPoint<MohrCoulomb> grown;
  for (const double tension : {8.0, 1e30}) {
    grown.law.tension = tension;
    const S s = grown.stress(S::diagonal(0.2, 0.2, 0.2));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(s[k], tension < 10 ? tension : 10 / std::tan(30 * degree), 1e-10);
  }
}

TEST(MohrCoulomb, WithoutFrictionItIsTrescas) {
  LawAtPoint<MohrCoulomb> clay;
  clay.law = {1000, 0.3, 10, 0, 0, 1e30};
  S shear = S::zero();
  shear[3] = 0.5;
  EXPECT_NEAR(clay.stress(shear)[3], 10, 1e-10);  // c, von Mises has 2 c / sqrt(3) at this strength of a bar
  EXPECT_NEAR(triaxial(clay, 50, -0.005, 40), -70, 1e-7);
  // nothing yields where all directions are pressed alike
  LawAtPoint<MohrCoulomb> pressed;
  EXPECT_NEAR(pressed.stress(S::diagonal(-1, -1, -1))[0], -3000 / (3 * (1 - 0.6)), 1e-8);
}

// The stress breaks no plane, the plastic work is positive where the flow dilates no more than friction resists.
TEST(MohrCoulomb, NoStressIsOutsideAndPlasticFlowTakesWork) {
  along_a_path<MohrCoulomb>([](LawAtPoint<MohrCoulomb>& point, const S& strain) {
    const S s = point.stress(strain);
    const Spectrum<double> principal = descending(spectrum(s));
    EXPECT_LT(3 * principal.values[0] - principal.values[2], 20 * std::sqrt(3.0) + 1e-9);
    EXPECT_LT(principal.values[0], 8 + 1e-9);
    S flow;
    for (int k = 0; k < 6; ++k) flow[k] = point.now[k] - point.before[k];
    EXPECT_GT(contract(s, flow), -1e-12);
  });
}

TEST(Cap, PressureInAllDirectionsFollowsTheTable) {
  LawAtPoint<Cap> soil;
  const double bulk = 1000.0 / (3 * 0.4);
  // the example's table: 8 at the compaction 0.01, 12 at 0.05
  for (const auto& [compaction, pressure] : {std::pair{0.01, 8.0}, {0.03, 10.0}, {0.05, 12.0}}) {
    const double strain = -(compaction + pressure / bulk) / 3;
    const S s = soil.step(S::diagonal(strain, strain, strain));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(s[k], -pressure, 1e-9);
    EXPECT_NEAR(soil.before[6], compaction, 1e-12);
  }
  const double back = -(0.05 + 4 / bulk) / 3;
  EXPECT_NEAR(soil.step(S::diagonal(back, back, back))[0], -4, 1e-9);
}

TEST(Cap, TriaxialCompressionFailsOnTheConeOrTheCap) {
  // q = d + p tan(b) with p = pressure + q / 3, as of Mohr and Coulomb's criterion
  const double cohesive = 2 * 4 * std::sqrt(3.0);
  LawAtPoint<Cap> soil;
  soil.law.pressure = Hardening::constant(200);
  EXPECT_NEAR(triaxial(soil, 2, -0.002, 60), -(3 * 2 + cohesive), 1e-7);
  EXPECT_EQ(soil.before[6], 0);
  // a cap that does not harden ends where the path of pressure meets it, here 5 beyond the top of its ellipse
  LawAtPoint<Cap> pressed;
  pressed.law.pressure = Hardening::constant(30);
  const double sine = 0.5, slope = 6 * sine / (3 - sine), d = 6 * 4 * std::cos(30 * degree) / (3 - sine), R = 0.6;
  const double top = (30 - R * d) / (1 + R * slope), q = std::sqrt(std::pow(d + slope * top, 2) - std::pow(5 / R, 2));
  EXPECT_NEAR(triaxial(pressed, top + 5 - q / 3, -0.002, 60), -(top + 5 + 2 * q / 3), 1e-7);
}

// Oedometer: no strain across. The stress lies on the cap that belongs to its compaction.
TEST(Cap, StressesLieOnTheCapOfTheirCompactionAndFlowTakesWork) {
  LawAtPoint<Cap> soil;
  for (int step = 1; step <= 20; ++step) {
    const S before = {{soil.before[0], soil.before[1], soil.before[2], 0, 0, 0}};
    const S s = soil.step(S::diagonal(-0.004 * step, 0, 0));
    const double p = -trace(s) / 3, q = von_mises(deviator(s));
    const double sine = 0.5, slope = 6 * sine / (3 - sine), d = 6 * 4 * std::cos(30 * degree) / (3 - sine), R = 0.6;
    const double top = (soil.law.pressure.at(soil.before[6]) - R * d) / (1 + R * slope);
    const double left = std::hypot((p - top) / R, q) - (d + slope * top);
    EXPECT_LT(left, 1e-9);
    if (step > 2) EXPECT_GT(left, -1e-8);
    EXPECT_GE(s[0] * (soil.before[0] - before[0]) + 2 * s[1] * (soil.before[1] - before[1]), -1e-14);
  }
  EXPECT_GT(soil.before[6], 0.02);
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

// Principal strains a <= b <= c of a material without tension, E = 1000, nu = 0.3, with what it carries.
TEST(Unilateral, CarriesWhatABarAPlateOrABodyInCompressionCarries) {
  const double E = 1000, nu = 0.3;
  LawAtPoint<NoTension> wall;
  wall.law = {E, nu, 0};
  LawAtPoint<NoCompression> cloth;
  cloth.law = {E, nu, 0};
  const auto expect = [&](const S& strain, const S& stress) {
    EXPECT_LT(size_of(wall.stress(strain) - stress), 1e-12);
    EXPECT_LT(size_of(cloth.stress(-1.0 * strain) + stress), 1e-12);
  };
  expect(S::diagonal(0.01, 0.02, 0.001), S::zero());
  expect(S::diagonal(-0.01, 0.02, 0.01), S::diagonal(-10, 0, 0));  // a bar that is free across
  expect(S::diagonal(0.01, -0.01, -0.01), S::diagonal(0, -10 / (1 - nu), -10 / (1 - nu)));
  const S all = S::diagonal(-0.02, -0.01, -0.03);
  expect(all, elastic_stress(ElasticModuli::from(E, nu), all));
  // shear: compression along one diagonal, across which the body is wider than a bar
  expect(S{{0, 0, 0.004, 0.01, 0, 0}}, S{{-5, -5, 0, 5, 0, 0}});
}

// The work along a way between two strains does not depend on the way.
TEST(Unilateral, LosesNoWork) {
  const auto work = [](const std::vector<S>& corners) {
    LawAtPoint<NoTension> wall;
    double sum = 0;
    constexpr int steps = 4000;
    for (std::size_t leg = 1; leg < corners.size(); ++leg) {
      const S step = (1.0 / steps) * (corners[leg] - corners[leg - 1]);
      for (int i = 0; i < steps; ++i) sum += contract(wall.stress(corners[leg - 1] + (i + 0.5) * step), step);
    }
    return sum;
  };
  const S end{{-0.02, 0.01, 0.004, 0.013, -0.006, 0.002}};
  const double direct = work({S::zero(), end});
  EXPECT_NEAR(work({S::zero(), S::diagonal(0.01, -0.02, -0.01), S{{-0.01, -0.01, 0.01, -0.02, 0, 0.01}}, end}), direct,
              1e-6 * direct);
}

}  // namespace
}  // namespace ritz
