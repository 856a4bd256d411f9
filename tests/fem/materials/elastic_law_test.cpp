// Elastic laws at one point, by closed forms: rubber, and materials without tension or compression.
#include "tests/fem/materials/point_of_law.hpp"

#include <array>
#include <utility>
#include <vector>

namespace ritz::test_laws {
namespace {

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
}  // namespace ritz::test_laws
