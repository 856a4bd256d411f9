#include "solvers/algebra/dense_symmetric.hpp"

#include "device/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace ritz::testing {
namespace {

std::vector<double> random_symmetric(std::size_t n) {
  std::mt19937 generator(n);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> A(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) A[i * n + j] = A[j * n + i] = uniform(generator);
  return A;
}

// max |A v - lambda v|, max |V^T V - I|
std::pair<double, double> errors(const std::vector<double>& A, const SymmetricEigen& e, std::size_t n) {
  double residual = 0, orthogonality = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double* v = &e.vectors[k * n];
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -e.values[k] * v[i];
      for (std::size_t j = 0; j < n; ++j) sum += A[i * n + j] * v[j];
      residual = std::max(residual, std::abs(sum));
    }
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = k == l ? -1 : 0;
      for (std::size_t i = 0; i < n; ++i) sum += v[i] * e.vectors[l * n + i];
      orthogonality = std::max(orthogonality, std::abs(sum));
    }
  }
  return {residual, orthogonality};
}

TEST(DenseSymmetric, VectorsAreOrthonormalAndSolveTheProblem) {
  for (const std::size_t n : {1u, 2u, 3u, 10u, 101u}) {
    const std::vector<double> A = random_symmetric(n);
    const SymmetricEigen e = symmetric_eigen(A, static_cast<int>(n));
    EXPECT_TRUE(std::ranges::is_sorted(e.values));
    const auto [residual, orthogonality] = errors(A, e, n);
    EXPECT_LE(residual, 1e-15 * 10 * double(n)) << n;
    EXPECT_LE(orthogonality, 1e-15 * 10 * double(n)) << n;
  }
}

// -u'' with differences: 2 - 2 cos(k pi / (n + 1))
TEST(DenseSymmetric, SecondDifferencesHaveTheirKnownEigenvalues) {
  constexpr std::size_t n = 40;
  std::vector<double> A(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    A[i * n + i] = 2;
    if (i > 0) A[i * n + i - 1] = A[(i - 1) * n + i] = -1;
  }
  const SymmetricEigen e = symmetric_eigen(A, n);
  for (std::size_t k = 0; k < n; ++k)
    EXPECT_NEAR(e.values[k], 2 - 2 * std::cos(double(k + 1) * std::numbers::pi / (n + 1)), 1e-14);
}

TEST(DenseSymmetric, MultipleEigenvaluesAndZerosAreNoTrouble) {
  constexpr std::size_t n = 12;
  std::vector<double> ones(n * n, 1.0), zeros(n * n, 0.0);
  const SymmetricEigen e = symmetric_eigen(ones, n);
  for (std::size_t k = 0; k + 1 < n; ++k) EXPECT_NEAR(e.values[k], 0, 1e-14);
  EXPECT_NEAR(e.values.back(), double(n), 1e-13);
  EXPECT_LE(errors(ones, e, n).second, 1e-14);
  EXPECT_EQ(symmetric_eigen(zeros, n).values, std::vector<double>(n, 0.0));
}

TEST(DenseSymmetric, NotFiniteEntriesAreAnErrorThatNamesThem) {
  std::vector<double> A = random_symmetric(4);
  A[2 * 4 + 1] = std::numeric_limits<double>::quiet_NaN();
  try {
    symmetric_eigen(A, 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::not_converged);
    EXPECT_NE(error.message().find("(2, 1)"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace ritz::testing
