#include "solvers/algebra/dense_general.hpp"

#include "device/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace ritz::testing {
namespace {

using Complex = std::complex<double>;

// max |A v - lambda v|
double largest_residual(const std::vector<Complex>& A, const GeneralEigen& e, std::size_t n) {
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      Complex sum = -e.values[k] * e.vectors[k * n + i];
      for (std::size_t j = 0; j < n; ++j) sum += A[i * n + j] * e.vectors[k * n + j];
      largest = std::max(largest, std::abs(sum));
    }
  return largest;
}

TEST(DenseGeneral, VectorsSolveTheEigenproblemOfRandomMatrices) {
  for (const std::size_t n : {1U, 2U, 3U, 8U, 41U, 150U}) {
    std::mt19937 generator(static_cast<unsigned>(n));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const bool is_complex : {false, true}) {
      std::vector<Complex> A(n * n);
      Complex trace = 0;
      for (Complex& each : A) each = {uniform(generator), is_complex ? uniform(generator) : 0};
      for (std::size_t i = 0; i < n; ++i) trace += A[i * n + i];
      const GeneralEigen e = general_eigen(A, static_cast<int>(n));
      for (const Complex& value : e.values) trace -= value;
      EXPECT_LE(largest_residual(A, e, n), 1e-13 * static_cast<double>(n)) << n;
      EXPECT_LE(std::abs(trace), 1e-13 * static_cast<double>(n)) << n;
    }
  }
}

// A turn by a quarter has i and -i; a Jordan block its number twice.
TEST(DenseGeneral, TurnsAndDefectiveMatricesHaveTheirValues) {
  const GeneralEigen turn = general_eigen({0, -1, 1, 0}, 2);
  for (const Complex& value : turn.values) {
    EXPECT_NEAR(value.real(), 0, 1e-15);
    EXPECT_NEAR(std::abs(value.imag()), 1, 1e-15);
  }
  for (const Complex& value : general_eigen({3, 1, 0, 3}, 2).values) EXPECT_NEAR(std::abs(value - 3.0), 0, 1e-7);
  EXPECT_THROW(general_eigen({std::numeric_limits<double>::quiet_NaN()}, 1), Error);
}

}  // namespace
}  // namespace ritz::testing
