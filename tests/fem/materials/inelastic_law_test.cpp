// Plasticity of metals and soils at one point, by closed forms.
#include "tests/fem/materials/point_of_law.hpp"

#include <array>
#include <numbers>
#include <utility>
#include <vector>

namespace ritz::test_laws {
namespace {

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
    if (step > 2) { EXPECT_GT(left, -1e-8); }
    EXPECT_GE(s[0] * (soil.before[0] - before[0]) + 2 * s[1] * (soil.before[1] - before[1]), -1e-14);
  }
  EXPECT_GT(soil.before[6], 0.02);
}

}  // namespace
}  // namespace ritz::test_laws
