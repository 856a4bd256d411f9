// The laws that an error estimate recovers strains by, against the stress and strain tensors of a point in space.
#include "fem/results/error_laws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ritz::test {
namespace {

constexpr double lambda = 1.7, mu = 0.9;
constexpr std::array<double, 2> lame{lambda, mu};

struct Tensor {
  double at[3][3] = {};
};

Tensor symmetric_part(const double (&g)[3][3]) {
  Tensor strain;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) strain.at[i][k] = 0.5 * (g[i][k] + g[k][i]);
  return strain;
}

double trace(const Tensor& t) { return t.at[0][0] + t.at[1][1] + t.at[2][2]; }

// sigma = lambda tr(eps) I + 2 mu eps
Tensor stress_of(const Tensor& strain) {
  Tensor stress;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) stress.at[i][k] = 2 * mu * strain.at[i][k] + (i == k ? lambda * trace(strain) : 0);
  return stress;
}

double contraction(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) sum += a.at[i][k] * b.at[i][k];
  return sum;
}

// Von Mises' stress squared: 3/2 of the deviator with itself.
double von_mises_square_of(const Tensor& stress) {
  Tensor deviator = stress;
  for (int i = 0; i < 3; ++i) deviator.at[i][i] -= trace(stress) / 3;
  return 1.5 * contraction(deviator, deviator);
}

template <class Law>
std::array<double, Law::M> recovered(const double (&g)[3][3], double hoop = 0) {
  std::array<double, Law::M> e{};
  Law::recovered(g, hoop, e.data());
  return e;
}

template <class Law>
void expect_law_of(const Tensor& strain, const std::array<double, Law::M>& e, bool plane_stress = false) {
  const Tensor stress = stress_of(strain);
  EXPECT_NEAR(Law::energy(lame, plane_stress, e.data()), contraction(stress, strain), 1e-13);
  EXPECT_NEAR(Law::magnitude(lame, plane_stress, e.data()), von_mises_square_of(stress), 1e-13);
}

// Displacement gradients without order; `axes` of them, the rest zero.
void fill(double (&g)[3][3], int axes, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < axes; ++i)
    for (int k = 0; k < axes; ++k) g[i][k] = number(random);
}

TEST(ErrorLaws, OfASolidAreTheEnergyAndTheStressOfItsTensors) {
  for (int seed = 0; seed < 20; ++seed) {
    double g[3][3] = {};
    fill(g, 3, seed);
    expect_law_of<Solid>(symmetric_part(g), recovered<Solid>(g));
  }
}

// Each of the three planes by itself: 2 mu (2 (gamma / 2)^2) = mu gamma^2, and sqrt(3) tau.
TEST(ErrorLaws, ShearInOnePlaneHasTheEnergyOfThatShear) {
  const double gamma = 0.3;
  for (const auto& [i, k] : {std::pair{0, 1}, {1, 2}, {2, 0}})
    for (const double share : {0.0, 0.5, 1.0}) {  // of the angle that turns the first axis
      double g[3][3] = {};
      g[i][k] = share * gamma;
      g[k][i] = (1 - share) * gamma;
      const auto e = recovered<Solid>(g);
      EXPECT_NEAR(Solid::energy(lame, false, e.data()), mu * gamma * gamma, 1e-15);
      EXPECT_NEAR(Solid::magnitude(lame, false, e.data()), 3 * mu * mu * gamma * gamma, 1e-15);
    }
}

TEST(ErrorLaws, SmallRotationsAboutAnyAxisAreNoStrain) {
  for (const auto& [i, k] : {std::pair{0, 1}, {1, 2}, {2, 0}}) {
    double g[3][3] = {};
    g[i][k] = 1;
    g[k][i] = -1;
    for (const double strain : recovered<Solid>(g)) EXPECT_EQ(strain, 0);
    if (i == 0 && k == 1) {
      for (const double strain : recovered<Plane>(g)) EXPECT_EQ(strain, 0);
      for (const double strain : recovered<Revolution>(g)) EXPECT_EQ(strain, 0);
    }
  }
}

TEST(ErrorLaws, PlaneStrainIsASolidWithoutStrainAcross) {
  for (int seed = 0; seed < 20; ++seed) {
    double g[3][3] = {};
    fill(g, 2, seed);
    expect_law_of<Plane>(symmetric_part(g), recovered<Plane>(g));
  }
}

TEST(ErrorLaws, PlaneStressIsASolidWithoutStressAcross) {
  for (int seed = 0; seed < 20; ++seed) {
    double g[3][3] = {};
    fill(g, 2, seed);
    Tensor strain = symmetric_part(g);
    strain.at[2][2] = -lambda / (lambda + 2 * mu) * trace(strain);
    ASSERT_NEAR(stress_of(strain).at[2][2], 0, 1e-15);
    expect_law_of<Plane>(strain, recovered<Plane>(g), true);
  }
}

// Radius, axis and hoop are three directions at right angles; without torsion the only shear is that of radius and
// axis.
TEST(ErrorLaws, ABodyOfRevolutionIsASolidWithAHoopStrain) {
  for (int seed = 0; seed < 20; ++seed) {
    double g[3][3] = {};
    fill(g, 2, seed);
    const double hoop = 0.1 * seed - 1;
    Tensor strain = symmetric_part(g);
    strain.at[2][2] = hoop;
    expect_law_of<Revolution>(strain, recovered<Revolution>(g, hoop));
  }
}

// q = -k grad T: energy k |grad T|^2, square of the flux k^2 |grad T|^2
TEST(ErrorLaws, OfHeatAreItsDissipationAndItsFlux) {
  const double g[3][3] = {{3, -4, 12}};
  const std::array<double, 2> conductivity{2.5, 0};
  const auto plane = recovered<Heat<2, false>>(g);
  EXPECT_DOUBLE_EQ((Heat<2, false>::energy(conductivity, false, plane.data())), 2.5 * 25);
  EXPECT_DOUBLE_EQ((Heat<2, false>::magnitude(conductivity, false, plane.data())), 2.5 * 2.5 * 25);
  const auto space = recovered<Heat<3, false>>(g);
  EXPECT_DOUBLE_EQ((Heat<3, false>::energy(conductivity, false, space.data())), 2.5 * 169);
  EXPECT_DOUBLE_EQ((Heat<3, false>::magnitude(conductivity, false, space.data())), 2.5 * 2.5 * 169);
}

}  // namespace
}  // namespace ritz::test
