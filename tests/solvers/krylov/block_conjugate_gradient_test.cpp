#include "solvers/krylov/block_conjugate_gradient.hpp"

#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace ritz::testing::block_conjugate_gradient_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Columns = std::vector<std::vector<double>>;

struct Solved {
  std::vector<SolveReport> reports;
  Columns x;
};

MultiVector on(const Device& device, Index rows, const Columns& columns) {
  MultiVector X(device, rows, static_cast<int>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j)
    X.set_column(static_cast<int>(j), Vector(device, columns[j], "test"));
  return X;
}

Solved solve(const BlockConjugateGradient& method, const SparseMatrix& A, const Columns& b, Columns guess = {},
             const LinearOperator* M = nullptr) {
  if (guess.empty()) guess.assign(b.size(), std::vector<double>(static_cast<std::size_t>(A.rows()), 0.0));
  const MultiVector B = on(A.device(), A.rows(), b);
  MultiVector X = on(A.device(), A.rows(), guess);
  Solved solved{method.solve(A, B, X, M), {}};
  Vector x(A.device(), A.rows(), "test");
  for (std::size_t j = 0; j < b.size(); ++j) {
    X.get_column(static_cast<int>(j), x);
    solved.x.push_back(x.host());
  }
  return solved;
}

Columns random_columns(Index rows, int count) {
  Columns columns;
  for (int j = 0; j < count; ++j) columns.push_back(random_numbers(static_cast<std::size_t>(rows), 50 + j));
  return columns;
}

int single_iterations(const SparseMatrix& A, const std::vector<double>& b, double relative, const LinearOperator* M) {
  Vector x(A.device(), std::vector<double>(b.size(), 0.0), "test");
  return ConjugateGradient{.relative = relative}.solve(A, Vector(A.device(), b, "test"), x, M).iterations;
}

TEST(BlockConjugateGradient, SolvesEveryColumnInNoMoreStepsThanAlone) {
  for (const std::string& name : back_ends())
    for (const auto& [columns, b] : {std::pair{1, 1}, {3, 3}, {8, 2}, {19, 1}}) {
      const SparseMatrix A = testing::on(Device::named(name, 2), grid_matrix(7, b));
      const JacobiPreconditioner jacobi(A);
      const ChebyshevPreconditioner chebyshev(A);
      const Columns f = random_columns(A.rows(), columns);
      for (const LinearOperator* M :
           {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&jacobi),
            static_cast<const LinearOperator*>(&chebyshev)}) {
        const Solved solved = solve({.relative = 1e-10}, A, f, {}, M);
        ASSERT_EQ(static_cast<int>(solved.reports.size()), columns);
        for (int j = 0; j < columns; ++j) {
          EXPECT_TRUE(solved.reports[j].converged()) << summary(solved.reports[j]);
          EXPECT_LE(relative_residual(A, solved.x[j], f[j]), 1.0001e-10);
          // 1: sums in another order
          EXPECT_LE(solved.reports[j].iterations, single_iterations(A, f[j], 1e-10, M) + 1);
          EXPECT_EQ(static_cast<int>(solved.reports[j].history.size()), solved.reports[j].iterations);
        }
      }
    }
}

// Columns that are equal, multiples of each other, dependent or zero.
TEST(BlockConjugateGradient, DependentRightHandSidesAreSolvedLikeAnyOthers) {
  const SparseMatrix A = testing::on(Device::named("cpu", 2), poisson_matrix(8));
  const std::vector<double> a = random_numbers(512, 1), c = random_numbers(512, 2), zero(512, 0.0);
  std::vector<double> sum(512), multiple(512);
  for (int i = 0; i < 512; ++i) {
    sum[i] = a[i] + c[i];
    multiple[i] = 1e-130 * a[i];
  }
  const Solved solved = solve({.relative = 1e-10}, A, {a, a, c, zero, sum, multiple, a, c, zero, a, c});
  for (const SolveReport& report : solved.reports) EXPECT_TRUE(report.converged()) << summary(report);
  EXPECT_EQ(solved.x[0], solved.x[1]);
  EXPECT_EQ(solved.x[0], solved.x[9]);
  EXPECT_EQ(solved.x[3], zero);
  EXPECT_EQ(solved.reports[3].iterations, 0);
  for (int i = 0; i < 512; ++i) {
    EXPECT_NEAR(solved.x[4][i], solved.x[0][i] + solved.x[2][i], 1e-8);
    EXPECT_NEAR(solved.x[5][i] * 1e130, solved.x[0][i], 1e-8);
  }
}

// `absolute` is of the residual as it is given, in the unit of the right-hand side: |b - A x| <= absolute, for loads of
// any size beside each other, alone and at once. The smaller half of them is too small for it to matter.
TEST(BlockConjugateGradient, TheAbsoluteToleranceIsInTheUnitOfTheLoad) {
  const SparseMatrix A = testing::on(Device::named("cpu"), poisson_matrix(6));
  const std::vector<double> load = random_numbers(216, 5);
  for (const double size : {1e-150, 1e-20, 1.0, 1e20, 1e150}) {
    Columns b;
    for (const double factor : {1.0, 1e-3, 1e3, 1e-9}) {
      b.push_back(load);
      for (double& value : b.back()) value *= factor * size;
    }
    const double absolute = 1e-4 * size;
    const Solved solved = solve({.relative = 0, .absolute = absolute}, A, b);
    for (std::size_t j = 0; j < b.size(); ++j) {
      SCOPED_TRACE(size * b[j][0] / load[0]);
      double norm = 0;
      for (const double value : b[j]) norm += value / size * (value / size);
      norm = std::sqrt(norm);
      EXPECT_TRUE(solved.reports[j].converged()) << summary(solved.reports[j]);
      const double residual = relative_residual(A, solved.x[j], b[j]) * norm;
      EXPECT_LE(residual, 1.0001e-4);
      Vector alone(A.device(), std::vector<double>(216, 0.0), "test");
      const SolveReport single =
          ConjugateGradient{.relative = 0, .absolute = absolute}.solve(A, Vector(A.device(), b[j], "test"), alone);
      EXPECT_NEAR(solved.reports[j].iterations, single.iterations, 1);  // sums in another order
    }
  }
}

TEST(BlockConjugateGradient, ColumnsStopOneByOneForTheirOwnReasons) {
  const Device device = Device::named("cpu");
  Blocks blocks = poisson_matrix(5);
  const SparseMatrix A = testing::on(device, blocks);
  std::vector<double> broken(125, 1.0), guess_broken(125, 0.0), smooth(125, 1.0), exact(125, 1.0);
  broken[17] = nan;
  guess_broken[5] = std::numeric_limits<double>::infinity();
  std::vector<double> b_exact;
  for (const long double value : product(host_matrix(A), exact).y) b_exact.push_back(static_cast<double>(value));
  const std::vector<double> none(125, 0.0), rough = random_numbers(125, 3);
  const Solved solved =
      solve({.relative = 1e-10}, A, {broken, smooth, smooth, b_exact, rough}, {none, guess_broken, none, exact, none});
  EXPECT_EQ(solved.reports[0].reason, StopReason::not_finite);
  EXPECT_EQ(solved.reports[0].where, "entry 17 of the right-hand side is nan");
  EXPECT_EQ(solved.reports[1].where, "entry 5 of the initial guess is inf");
  EXPECT_TRUE(solved.reports[2].converged());
  EXPECT_LE(relative_residual(A, solved.x[2], smooth), 1.0001e-10);
  EXPECT_TRUE(solved.reports[3].converged());
  EXPECT_EQ(solved.reports[3].iterations, 0);
  EXPECT_EQ(solved.x[3], exact);
  EXPECT_LT(solved.reports[2].iterations, solved.reports[4].iterations);  // symmetry: fewer eigenvectors in it
}

TEST(BlockConjugateGradient, NamesIndefiniteMatricesLimitsAndBadMatrices) {
  const Device device = Device::named("cpu");
  const SparseMatrix indefinite = testing::on(device, diagonal_matrix({1, 2, -3}));
  const Solved mixed = solve({}, indefinite, {{1, 1, 1}, {1, 1, 0}, {1, 0, 0}});
  EXPECT_EQ(mixed.reports[0].reason, StopReason::indefinite_matrix);
  EXPECT_TRUE(mixed.reports[1].converged());
  EXPECT_TRUE(mixed.reports[2].converged());
  const SparseMatrix A = testing::on(device, poisson_matrix(5)),
                     M = testing::on(device, diagonal_matrix(std::vector<double>(125, -1.0)));
  const Columns b = random_columns(125, 3);
  for (const SolveReport& report : solve({.max_iterations = 4}, A, b).reports) {
    EXPECT_EQ(report.reason, StopReason::iteration_limit);
    EXPECT_EQ(report.iterations, 4);
  }
  for (const SolveReport& report : solve({}, A, b, {}, &M).reports)
    EXPECT_EQ(report.reason, StopReason::indefinite_preconditioner);
  const SparseMatrix spoilt = testing::on(device, diagonal_matrix(std::vector<double>(125, nan)));
  for (const SolveReport& report : solve({}, A, b, {}, &spoilt).reports)
    EXPECT_EQ(report.reason, StopReason::preconditioner_not_finite);
  Blocks bad = poisson_matrix(5);
  bad.values[static_cast<std::size_t>(bad.offsets[11])] = nan;
  for (const SolveReport& report : solve({}, testing::on(device, bad), b).reports) {
    EXPECT_EQ(report.reason, StopReason::not_finite);
    EXPECT_EQ(report.entry, 11);
  }
}

TEST(BlockConjugateGradient, NeverClaimsConvergenceFalsely) {
  const Device device = Device::named("cpu");
  std::vector<double> spread(40), singular(40, 1.0);
  for (int i = 0; i < 40; ++i) spread[i] = std::pow(10.0, -0.4 * i);
  singular[7] = 0;
  Blocks tiny = poisson_matrix(4), huge = tiny;
  for (double& value : tiny.values) value *= 1e-150;
  for (double& value : huge.values) value *= 1e150;
  int converged = 0, failed = 0;
  for (const Blocks& blocks : {diagonal_matrix(spread), diagonal_matrix(singular), tiny, huge, grid_matrix(3, 2)})
    for (const double tolerance : {1e-6, 1e-15, 0.0}) {
      const SparseMatrix A = testing::on(device, blocks);
      const Columns b = random_columns(A.rows(), 5);
      const Solved solved = solve({.relative = tolerance, .max_iterations = 500}, A, b);
      for (std::size_t j = 0; j < b.size(); ++j) {
        const double truth = relative_residual(A, solved.x[j], b[j]);
        ++(solved.reports[j].converged() ? converged : failed);
        if (solved.reports[j].converged()) { EXPECT_LE(truth, 1.01 * tolerance + 1e-15); }
        if (std::isfinite(truth) && truth > 1e-13) {
          EXPECT_NEAR(solved.reports[j].true_relative_residual / truth, 1.0, 0.5) << summary(solved.reports[j]);
        }
      }
    }
  EXPECT_GE(converged, 3 * 5);  // to 1e-6: tiny, huge and the grid
  EXPECT_GE(failed, 5 * 5);     // to 0: none
}

TEST(BlockConjugateGradient, OneBatchOfNumbersPerIterationServesEightColumns) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = testing::on(device, poisson_matrix(8));
  const ChebyshevPreconditioner chebyshev(A);
  const Columns b = random_columns(512, 8);
  const auto reads = [&](int iterations) {
    const Index before = device.machine().traffic().scalar_reads;
    solve({.relative = 1e-300, .max_iterations = iterations}, A, b, {}, &chebyshev);
    return device.machine().traffic().scalar_reads - before;
  };
  EXPECT_EQ(reads(12) - reads(4), 8);
}

TEST(BlockConjugateGradient, IsBitwiseTheSameForAnyNumberOfThreads) {
  const Blocks blocks = grid_matrix(13, 1);
  Columns reference;
  for (const int threads : {1, 2, 3}) {
    const Solved solved =
        solve({}, testing::on(Device::named("cpu", threads), blocks), random_columns(13 * 13 * 13, 3));
    if (reference.empty()) reference = solved.x;
    EXPECT_EQ(solved.x, reference);
  }
}

TEST(BlockConjugateGradient, NoColumnsNoRowsAndWrongSizes) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = testing::on(device, poisson_matrix(3)), none = testing::on(device, Blocks{});
  EXPECT_TRUE(solve({}, A, {}).reports.empty());
  for (const SolveReport& report : solve({}, none, {{}, {}, {}}).reports) EXPECT_TRUE(report.converged());
  MultiVector B(device, 27, 2), X(device, 27, 3), Y(device, 26, 2);
  EXPECT_THROW(BlockConjugateGradient{}.solve(A, B, X), Error);
  EXPECT_THROW(BlockConjugateGradient{}.solve(A, B, Y), Error);
  MultiVector empty(device, 26, 0), other(device, 26, 0);
  EXPECT_THROW(BlockConjugateGradient{}.solve(A, empty, other), Error);
}

}  // namespace
}  // namespace ritz::testing::block_conjugate_gradient_test
