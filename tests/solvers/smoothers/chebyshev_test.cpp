#include "solvers/smoothers/chebyshev.hpp"

#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace ritz::testing {
namespace {

TEST(Chebyshev, IsSymmetric) {
  for (const std::string& name : back_ends())
    for (const int degree : {1, 2, 3, 6}) {
      const Device device = Device::named(name);
      const SparseMatrix A = on(device, grid_matrix(6, 3));
      const ChebyshevPreconditioner P(A, {.degree = degree});
      const auto size = static_cast<std::size_t>(A.rows());
      const Vector u(device, random_numbers(size, 1), "test"), v(device, random_numbers(size, 2), "test");
      Vector Pu(device, A.rows(), "test"), Pv(device, A.rows(), "test");
      P.apply(u, Pu);
      P.apply(v, Pv);
      EXPECT_NEAR(dot(Pu, v), dot(u, Pv), 1e-12 * norm2(Pu) * norm2(v)) << name << ", degree " << degree;
    }
}

TEST(Chebyshev, IsPositiveDefinite) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(8));
  for (const int degree : {1, 2, 3, 4, 7}) {
    const ChebyshevPreconditioner P(A, {.degree = degree});
    Vector Pu(device, A.rows(), "test");
    for (unsigned seed = 0; seed < 100; ++seed) {
      const Vector u(device, random_numbers(512, seed), "test");
      P.apply(u, Pu);
      ASSERT_GT(dot(Pu, u), 0);
    }
  }
}

TEST(Chebyshev, ReducesTheNumberOfIterations) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(30));
  const Vector b(device, random_numbers(27000, 3), "test");
  int before = ConjugateGradient{}.max_iterations;
  for (const int degree : {1, 2, 4, 8}) {
    const ChebyshevPreconditioner P(A, {.degree = degree, .ratio = 100});
    Vector x(device, std::vector<double>(27000, 0.0), "test");
    const SolveReport report = ConjugateGradient{}.solve(A, b, x, &P);
    EXPECT_TRUE(report.converged());
    EXPECT_LT(report.iterations, before) << "degree " << degree;
    before = report.iterations;
  }
  EXPECT_LE(before, 20);
}

// 7-point Laplacian on n^3 points: lambda_max of D^-1 A is 1 + cos(pi / (n + 1)).
TEST(Chebyshev, EigenvalueBoundIsAboveAndNear) {
  for (const int n : {2, 5, 10, 25}) {
    const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(n));
    const double exact = 1 + std::cos(std::numbers::pi / (n + 1));
    const double estimate = largest_eigenvalue(A, inverse_diagonal(A.diagonal()));
    EXPECT_LE(estimate, exact * (1 + 1e-12)) << n;
    EXPECT_GE(estimate, 0.9 * exact) << n;
    EXPECT_GE(ChebyshevPreconditioner(A).eigenvalue_bound(), exact) << n;
  }
}

TEST(Chebyshev, EigenvalueEstimateGoesOnWhereItStopped) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(10));
  const Vector inverse = inverse_diagonal(A.diagonal());
  LargestEigenvalue estimate(A, inverse);
  const double early = estimate.after(3);
  EXPECT_EQ(early, largest_eigenvalue(A, inverse, 3));
  EXPECT_EQ(estimate.after(7), largest_eigenvalue(A, inverse, 7));
  EXPECT_LT(early, estimate.after(7));
}

// Eigenvalues of D^-1 A on n^3 points: 1 - (cos a + cos b + cos c) / 3, with a, b, c multiples of pi / (n + 1).
TEST(Chebyshev, AnEigenvalueIsWithinTheResidualOfTheEstimate) {
  const int n = 7;
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(n));
  const auto wave = [](int k) { return std::cos(k * std::numbers::pi / (n + 1)) / 3; };
  const Vector inverse = inverse_diagonal(A.diagonal());
  LargestEigenvalue estimate(A, inverse);
  double last = 3;
  for (const int steps : {1, 2, 3, 5, 7, 12, 30}) {
    const double largest = estimate.after(steps), residual = estimate.residual();
    double nearest = 3;
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        for (int k = 1; k <= n; ++k) nearest = std::min(nearest, std::abs(1 - wave(i) - wave(j) - wave(k) - largest));
    EXPECT_LE(nearest, residual + 1e-12) << steps;
    last = residual;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(Chebyshev, OneUnknownIsSolved) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, diagonal_matrix({4}));
  const ChebyshevPreconditioner P(A);
  Vector x(device, std::vector<double>{0}, "test");
  EXPECT_TRUE(ConjugateGradient{}.solve(A, Vector(device, std::vector<double>{2}, "test"), x, &P).converged());
  EXPECT_NEAR(x.host()[0], 0.5, 1e-9);
}

TEST(Chebyshev, IndefiniteMatrixAndNonsenseOptionsAreRejected) {
  const Device device = Device::named("cpu");
  const SparseMatrix indefinite = on(device, dense_matrix({{1, 3}, {3, 1}}));
  EXPECT_THROW(ChebyshevPreconditioner{indefinite}, Error);
  const SparseMatrix A = on(device, poisson_matrix(2));
  EXPECT_THROW(ChebyshevPreconditioner(A, {.degree = 0}), Error);
  EXPECT_THROW(ChebyshevPreconditioner(A, {.ratio = 1.0}), Error);
}

TEST(Chebyshev, IsBitwiseTheSameForAnyNumberOfThreads) {
  std::vector<double> reference;
  for (const int threads : {1, 2, 3}) {
    const Device device = Device::named("cpu", threads);
    const SparseMatrix A = on(device, grid_matrix(16, 2));
    const ChebyshevPreconditioner P(A);
    Vector y(device, A.rows(), "test");
    P.apply(Vector(device, random_numbers(static_cast<std::size_t>(A.rows()), 4), "test"), y);
    if (reference.empty()) reference = y.host();
    EXPECT_EQ(y.host(), reference);
  }
}

}  // namespace
}  // namespace ritz::testing
