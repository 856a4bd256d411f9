// The bytes that solvers report for their kernels agree with a count by hand: every array read and written once.
#include "solvers/algebra/multi_vector.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace ritz::testing {
namespace {

constexpr Index n = 200, number = sizeof(double);

HostMatrix identity() {
  HostMatrix A;
  for (Index i = 0; i < n; ++i) {
    A.offsets.push_back(i);
    A.columns.push_back(static_cast<std::int32_t>(i));
    A.values.push_back(1);
  }
  A.offsets.push_back(n);
  return A;
}

// Blocks [2 -1; -1 2] on the diagonal: pairs that couple to nothing else.
HostMatrix pairs() {
  HostMatrix A;
  for (Index i = 0; i < n; ++i) {
    A.offsets.push_back(2 * i);
    for (const Index j : {i / 2 * 2, i / 2 * 2 + 1}) {
      A.columns.push_back(static_cast<std::int32_t>(j));
      A.values.push_back(i == j ? 2 : -1);
    }
  }
  A.offsets.push_back(2 * n);
  return A;
}

Index matrix_bytes(Index rows, Index nonzeros) { return (number + 4) * nonzeros + 8 * (rows + 1); }

// Bytes for a system whose solution is its right-hand side, in one iteration.
Index counted(const std::function<SolveReport(const SparseMatrix&, const Vector&, Vector&)>& solve) {
  const Device device = Device::named("cpu", 1);
  const SparseMatrix A = sparse_matrix(device, identity());
  const Vector b(device, random_numbers(static_cast<std::size_t>(n), 1), "test");
  Vector x(device, n, "test");
  x.fill_zero();
  {
    const auto phase = device.profile().phase("solve");
    const SolveReport report = solve(A, b, x);
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.iterations, 1);
  }
  return device.profile().phases().front().bytes;
}

constexpr Index vector = n * number;
const Index product = matrix_bytes(n, n) + 2 * vector;

// ||b||: 2 vectors; is x finite: 1; each true residual, one before and one after, a product and 3.
constexpr Index around = 9;

TEST(CountedBytes, OfGmresAreThoseOfItsBasisAndProducts) {
  // Start: ||r|| 2, eight columns of the basis allocated and cleared 16, v = r / ||r|| 3, into the basis 2; a product;
  // twice V^T q (8 columns and q) and q -= V h (8, q read and written); x += V y the same.
  EXPECT_EQ(counted([](const auto& A, const auto& b, auto& x) {
              return Gmres{.relative = 1e-12, .restart = 4}.solve(A, b, x);
            }),
            3 * product + (around + 2 + 16 + 3 + 2 + 2 * (9 + 10) + 10) * vector);
}

// z -= alpha d q with z.r and r.r 4 (without the diagonal d: 3), x += alpha p with p = z + beta p 5, the product's two:
// 88 bytes of vectors for an unknown (80).
TEST(CountedBytes, OfConjugateGradientsAreThoseOfTwoMergedKernels) {
  const auto bytes = [](int iterations, bool scaled) {
    const Device device = Device::named("cpu", 1);
    const SparseMatrix A = on(device, poisson_matrix(6));
    const JacobiPreconditioner jacobi(A);
    const Vector b(device, random_numbers(216, 1), "test");
    Vector x(device, 216, "test");
    x.fill_zero();
    {
      const auto phase = device.profile().phase("solve");
      const ConjugateGradient method{.relative = 1e-12, .max_iterations = iterations};
      EXPECT_EQ(method.solve(A, b, x, scaled ? &jacobi : nullptr).iterations, iterations);
    }
    return device.profile().phases().back().bytes;
  };
  const Index product = matrix_bytes(216, 7 * 216 - 6 * 36) + 2 * 216 * number;
  EXPECT_EQ(bytes(8, true) - bytes(4, true), 4 * (product + (4 + 5) * 216 * number));
  EXPECT_EQ(bytes(8, false) - bytes(4, false), 4 * (product + (3 + 5) * 216 * number));
}

TEST(CountedBytes, OfBicgstabAreThoseOfItsMergedKernels) {
  // Start: the shadow and p copied 4, the product of shadow and residual 2. shadow.v 2 and s = r - alpha v 3; s copied
  // 2; t.s and t.t 2; x and r updated from p, s, t and the shadow 8. Two products. Later iterations also p = r + beta
  // (p - omega v) 4.
  EXPECT_EQ(counted([](const auto& A, const auto& b, auto& x) { return Bicgstab{.relative = 1e-12}.solve(A, b, x); }),
            4 * product + (around + 6 + 5 + 2 + 2 + 8) * vector);
}

TEST(CountedBytes, OfMinresAreThoseOfItsMergedKernels) {
  // Three vectors cleared, one copied 2, r2.r2 and r.r2 2; the new Lanczos vector 4, its products 2; w, x and r from y,
  // w1, w2 and r2: 9.
  EXPECT_EQ(counted([](const auto& A, const auto& b, auto& x) { return Minres{.relative = 1e-12}.solve(A, b, x); }),
            3 * product + (around + 3 + 2 + 2 + 4 + 2 + 9) * vector);
}

// Bytes of five more iterations of conjugate gradients.
Index five_iterations(const SparseMatrix& A, const LinearOperator& M, bool flexible) {
  const Device& device = A.device();
  const Vector b(device, random_numbers(static_cast<std::size_t>(A.rows()), 1), "test");
  const auto bytes_of = [&](int iterations) {
    Vector x(device, A.rows(), "test");
    x.fill_zero();
    const std::string name = std::string(flexible ? "flexible, " : "") + std::to_string(iterations);
    {
      const auto phase = device.profile().phase(name);
      const ConjugateGradient method{.relative = 1e-15, .max_iterations = iterations, .flexible = flexible};
      EXPECT_EQ(method.solve(A, b, x, &M).iterations, iterations);
    }
    const auto& phases = device.profile().phases();
    return std::ranges::find(phases, name, &PhaseRecord::name)->bytes;
  };
  const Index few = bytes_of(3);
  return bytes_of(8) - few;
}

// The update q, r (twice), and r in single precision (28 bytes for an unknown); z in single precision, r and z (20),
// for flexible conjugate gradients q, too (28); direction z, p and x (40).
TEST(CountedBytes, OfAnIterationWithMultigridAre88ForAnUnknownBesideProductAndCycle) {
  const Device device = Device::named("cpu", 1);
  const SparseMatrix A = on(device, poisson_matrix(12));
  const SmoothedAggregation multigrid(A, {.coarsest_size = 100});
  const Index rows = A.rows(), conversions = 2 * (4 + number) * rows;
  Vector b(device, rows, "test"), x(device, rows, "test");
  Index cycle = 0;
  {
    b.fill_zero();
    {
      const auto phase = device.profile().phase("cycle");
      multigrid.apply(b, x);
    }
    const auto& phases = device.profile().phases();
    cycle = std::ranges::find(phases, "cycle", &PhaseRecord::name)->bytes - conversions;
  }
  const Index multiply = matrix_bytes(rows, A.values().size()) + 2 * number * rows;
  EXPECT_EQ(five_iterations(A, multigrid, false), 5 * (multiply + cycle + 88 * rows));
  EXPECT_EQ(five_iterations(A, multigrid, true), 5 * (multiply + cycle + 96 * rows));
}

TEST(CountedBytes, OfReductionsAreThoseOfEachVectorOnce) {
  const Device device = Device::named("cpu", 1);
  const Vector x(device, random_numbers(static_cast<std::size_t>(n), 1), "test"), y(device, x.host(), "test");
  {
    const auto phase = device.profile().phase("work");
    dot(x, y);
    max_abs(x);
    first_not_finite(x);
    all_positive(x);
  }
  EXPECT_EQ(device.profile().phases().front().bytes, (2 + 1 + 1 + 1) * vector);
}

TEST(CountedBytes, OfMultiVectorsAreThoseOfWholeGroupsOfEight) {
  const Device device = Device::named("cpu", 1);
  const MultiVector X(device, n, 3), Y(device, n, 11);
  MultiVector Z(device, n, 11);
  const auto bytes_of = [&](const std::function<void()>& work) {
    {
      const auto phase = device.profile().phase("work");
      work();
    }
    static Index before = 0;
    const Index now = device.profile().phases().front().bytes;
    return now - std::exchange(before, now);
  };
  EXPECT_EQ(bytes_of([&] { gram(X, Y); }), 2 * 16 * vector);
  EXPECT_EQ(bytes_of([&] { gram(X, X); }), 8 * vector);
  EXPECT_EQ(bytes_of([&] { combine(X, std::vector<double>(33, 1.0), 0, Z); }), 2 * 16 * vector);
  EXPECT_EQ(bytes_of([&] { combine(X, std::vector<double>(33, 1.0), 1, Z); }), 2 * 24 * vector);
  EXPECT_EQ(bytes_of([&] { column_dots(Y, Z); }), 32 * vector);
}

// Every pair is an aggregate: P has an entry in each row, and the coarser matrix is a diagonal.
TEST(CountedBytes, OfTheGalerkinProductAreThoseOfItsFourMatrices) {
  const Device device = Device::named("cpu", 1);
  const SparseMatrix A = sparse_matrix(device, pairs());
  const SmoothedAggregation multigrid(A, {.coarsest_size = 60});
  ASSERT_EQ(multigrid.levels().size(), 2u);
  ASSERT_EQ(multigrid.levels()[1].nonzeros, n / 2);
  const auto& phases = device.profile().phases();
  const auto found =
      std::ranges::find_if(phases, [](const PhaseRecord& phase) { return phase.name.ends_with("product"); });
  ASSERT_NE(found, phases.end());
  const Index inverse_of_diagonal = 8 * (n / 2 + 1) + 4 * (n / 2) + 2 * number * (n / 2);
  EXPECT_EQ(found->bytes, matrix_bytes(n, 2 * n) + matrix_bytes(n, n) + matrix_bytes(n / 2, n) +
                              matrix_bytes(n / 2, n / 2) + inverse_of_diagonal);
}

// A triangle with its diagonal is 3/2 n entries at least; substitution reads it twice.
TEST(CountedBytes, OfAFactorisationAreThoseOfMatrixAndFactor) {
  const Device device = Device::named("cpu", 1);
  const SparseMatrix A = sparse_matrix(device, pairs());
  std::optional<DirectSolver> solver;
  {
    const auto phase = device.profile().phase("factorisation");
    solver.emplace(A, DirectKind::positive_definite);
  }
  EXPECT_GE(solver->factor_entries(), 3 * n / 2);
  EXPECT_EQ(device.profile().phases().front().bytes, A.values().bytes() + number * solver->factor_entries());
}

}  // namespace
}  // namespace ritz::testing
