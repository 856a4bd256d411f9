// Facts of free and clamped elastic bodies.
#include "tests/solvers/eigen/models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ritz::testing::vibration_test {
namespace {

constexpr EigenMethod methods[] = {EigenMethod::lanczos, EigenMethod::lobpcg};

TEST(Vibration, AFreeBodyHasExactlySixZeros) {
  for (const CellKind kind : {CellKind::hex8, CellKind::tet10, CellKind::prism15})
    for (const EigenMethod method : methods) {
      const Vibration v = elastic_box(3, {2, 1, 1}, kind, false);
      const EigenSolution s = v.solve({.count = 12, .method = method, .zero_count = 6});
      ASSERT_TRUE(s.converged()) << traits(kind).name << ' ' << s.method;
      for (std::size_t k = 0; k < 6; ++k)
        EXPECT_LE(std::abs(s.values[k]), 1e-9 * s.values[6]) << traits(kind).name << ' ' << s.method;
      EXPECT_GT(s.values[6], 100) << s.method;
      EXPECT_EQ(s.verified, method == EigenMethod::lanczos) << s.verification;
    }
}

// A cube's spectrum has double and triple eigenvalues; a rod with Poisson's ratio zero stretches at (i pi c / L)^2.
TEST(Vibration, AFreeRodWithoutContractionStretchesAtItsExactFrequencies) {
  const Vibration v = elastic_box(1, {12, 1, 1}, CellKind::hex20, false, 0);
  for (const EigenMethod method : methods) {
    const EigenSolution s = v.solve({.count = 30, .method = method, .zero_count = 6});
    ASSERT_TRUE(s.converged());
    for (const int i : {1, 2}) {
      const double exact = 1000 * std::pow(i * std::numbers::pi / 12, 2);
      double nearest = 1e300;
      for (const double value : s.values) nearest = std::min(nearest, std::abs(value - exact));
      EXPECT_LE(nearest, 2e-4 * exact) << i;
    }
  }
}

TEST(Vibration, ACubeHasTheMultiplicitiesOfItsSymmetry) {
  const Vibration v = elastic_box(3, {1, 1, 1}, CellKind::hex20, false);
  for (const EigenMethod method : methods) {
    const EigenSolution s = v.solve({.count = 17, .method = method, .zero_count = 6});
    ASSERT_TRUE(s.converged());
    std::vector<int> multiplicity;
    for (std::size_t k = 6; k < s.values.size(); ++k) {
      if (k == 6 || s.values[k] > s.values[k - 1] * (1 + 1e-6)) multiplicity.push_back(0);
      ++multiplicity.back();
    }
    // Twisting and breathing of the faces: 2, then 3 and 3, ... irreducible representations of the cube have 1, 2 or 3.
    for (std::size_t i = 0; i + 1 < multiplicity.size(); ++i) EXPECT_LE(multiplicity[i], 3);
    EXPECT_EQ(multiplicity.front(), 2) << s.method;
    EXPECT_EQ(multiplicity[1], 3) << s.method;
  }
}

// Euler and Bernoulli's cantilever; a solid that is 60 times longer than thick and cannot contract stays within 0.5 %.
TEST(Vibration, ASlenderCantileverBendsLikeABeam) {
  const double length = 60;
  const Vibration v = elastic_box(1, {length, 1, 1}, CellKind::hex20, true, 0);
  const double root[] = {1.875104, 4.694091};
  for (const EigenMethod method : methods) {
    const EigenSolution s = v.solve({.count = 4, .method = method});
    ASSERT_TRUE(s.converged());
    for (std::size_t k = 0; k < 4; ++k) {  // two planes of bending
      const double exact = std::pow(root[k / 2] / length, 4) * 1000 / 12;
      EXPECT_NEAR(s.values[k], exact, 0.01 * exact) << s.method << k;
      EXPECT_LT(s.values[k], exact) << "shear makes it softer";
    }
  }
}

}  // namespace
}  // namespace ritz::testing::vibration_test
