// Small dense systems by elimination with full pivoting.
#include "solvers/algebra/dense_pivoted.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ritz::test::dense_pivoted_test {
namespace {

// Rows and columns of sizes from 1e-6 to 1e6, with a multiplier, and without symmetry.
TEST(PivotedFactor, SolvesASystemOfManySizes) {
  const double size[4] = {1e-6, 1, 1e6, 1e3};
  const double plain[4][4] = {{4, 1, 0.5, 1}, {1.5, 3, 1, -2}, {0, 1, 5, 1}, {1, -2, 1, 0}};
  std::vector<double> A, b(4, 0.0), x;
  for (std::size_t i = 0; i < 4; ++i) x.push_back((double(i) - 1.5) / size[i]);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      A.push_back(size[i] * plain[i][j] * size[j]);
      b[i] += A.back() * x[j];
    }
  const PivotedFactor factor(A, 4, 3, 1e-12);
  EXPECT_TRUE(factor.dependent().empty());
  const std::vector<double> found = factor.solve(b);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i] * size[i], x[i] * size[i], 1e-13);
}

// The third row is the sum of the others: with a right-hand side that fits, any solution does.
TEST(PivotedFactor, LeavesOutWhatFollowsFromOthers) {
  const std::vector<double> A = {2, 1, 3, 1, 2, 3, 3, 3, 6}, b = {4, 5, 9};
  const PivotedFactor factor(A, 3, 3, 1e-12);
  ASSERT_EQ(factor.dependent().size(), 1U);
  const std::vector<double> x = factor.solve(b);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2], b[i], 1e-14);
}

}  // namespace
}  // namespace ritz::test::dense_pivoted_test
