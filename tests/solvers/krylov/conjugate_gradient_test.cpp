#include "solvers/krylov/conjugate_gradient.hpp"

#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace ritz::testing::conjugate_gradient_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

Solved solve(const ConjugateGradient& method, const SparseMatrix& A, const std::vector<double>& b,
             std::vector<double> guess = {}, const LinearOperator* preconditioner = nullptr) {
  guess.resize(b.size());
  Vector x(A.device(), guess, "test");
  Solved solved;
  solved.report = method.solve(A, Vector(A.device(), b, "test"), x, preconditioner);
  solved.x = x.host();
  return solved;
}

TEST(ConjugateGradient, SolvesWithinTheToleranceOnEveryBackEnd) {
  for (const std::string& name : back_ends())
    for (const int b : {1, 2, 3, 4, 5, 6}) {
      const SparseMatrix A = on(Device::named(name, 2), grid_matrix(9, b));
      const std::vector<double> f = random_numbers(static_cast<std::size_t>(A.rows()), 1);
      const JacobiPreconditioner jacobi(A);
      for (const LinearOperator* preconditioner :
           {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&jacobi)}) {
        const Solved solved = solve({.relative = 1e-10}, A, f, {}, preconditioner);
        EXPECT_TRUE(solved.report.converged()) << summary(solved.report);
        EXPECT_LE(relative_residual(A, solved.x, f), 1.0001e-10);
        EXPECT_EQ(static_cast<int>(solved.report.history.size()), solved.report.iterations);
      }
    }
}

// In exact arithmetic, as many steps as there are different eigenvalues.
TEST(ConjugateGradient, ThreeEigenvaluesTakeThreeSteps) {
  std::vector<double> diagonal(300);
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = 1.0 + double(i % 3);
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix(diagonal));
  EXPECT_EQ(solve({}, A, random_numbers(300, 2)).report.iterations, 3);
}

TEST(ConjugateGradient, DiagonalMatrixWithJacobiTakesOneStep) {
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix({1e-6, 2, 3e6, 4}));
  const JacobiPreconditioner jacobi(A);
  const Solved solved = solve({.relative = 1e-14}, A, {1, 2, 3, 4}, {}, &jacobi);
  EXPECT_TRUE(solved.report.converged());
  EXPECT_EQ(solved.report.iterations, 1);
}

// A diagonal that does not say that it is one.
struct Hidden final : LinearOperator {
  explicit Hidden(const JacobiPreconditioner& j) : jacobi(j) {}
  const Device& device() const override { return jacobi.device(); }
  Index rows() const override { return jacobi.rows(); }
  void apply(const Vector& x, Vector& y) const override {
    jacobi.apply(x, y);
    ++calls;
  }
  const JacobiPreconditioner& jacobi;
  mutable int calls = 0;
};

TEST(ConjugateGradient, FusedDiagonalEqualsTheSamePreconditionerApplied) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(8));
  const JacobiPreconditioner jacobi(A);
  const Hidden hidden(jacobi);
  const std::vector<double> b = random_numbers(512, 3);
  const Solved fused = solve({}, A, b, {}, &jacobi), general = solve({}, A, b, {}, &hidden);
  ASSERT_EQ(fused.report.iterations, general.report.iterations);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(fused.x[i], general.x[i], 1e-12);
}

// The residual that is small enough is not preconditioned any more; what the error estimate would have had from it, it
// foresees.
TEST(ConjugateGradient, PreconditionsOnceForEachIteration) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(8));
  const JacobiPreconditioner jacobi(A);
  const Hidden hidden(jacobi);
  const std::vector<double> b = random_numbers(512, 3);
  const SolveReport fused = solve({}, A, b, {}, &jacobi).report, general = solve({}, A, b, {}, &hidden).report;
  EXPECT_EQ(general.restarts, 0);
  EXPECT_EQ(hidden.calls, general.iterations);
  ASSERT_EQ(general.steps.size(), fused.steps.size());
  for (std::size_t k = 0; k + 1 < fused.steps.size(); ++k)
    EXPECT_NEAR(general.steps[k].next_product, fused.steps[k].next_product, 1e-6 * fused.steps[k].next_product);
  EXPECT_NEAR(general.steps.back().next_product, fused.steps.back().next_product, fused.steps.back().next_product);
}

// R13
TEST(ConjugateGradient, ZeroRightHandSideGivesZeroAtOnce) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(3));
  const Solved solved = solve({}, A, std::vector<double>(27, 0.0), std::vector<double>(27, 5.0));
  EXPECT_TRUE(solved.report.converged());
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.report.true_relative_residual, 0.0);
  EXPECT_EQ(solved.x, std::vector<double>(27, 0.0));
}

TEST(ConjugateGradient, ExactInitialGuessTakesNoStep) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(3));
  const std::vector<double> ones(27, 1.0);
  std::vector<double> b;
  for (const long double value : product(host_matrix(A), ones).y) b.push_back(static_cast<double>(value));
  const Solved solved = solve({}, A, b, ones);
  EXPECT_TRUE(solved.report.converged());
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.x, ones);
}

TEST(ConjugateGradient, OneUnknownTakesOneStep) {
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix({4}));
  const Solved solved = solve({.relative = 1e-15}, A, {2});
  EXPECT_TRUE(solved.report.converged());
  EXPECT_EQ(solved.report.iterations, 1);
  EXPECT_EQ(solved.x, std::vector<double>{0.5});
}

TEST(ConjugateGradient, NoUnknownsConverge) {
  const SparseMatrix A = on(Device::named("cpu"), Blocks{});
  EXPECT_TRUE(solve({}, A, {}).report.converged());
}

TEST(ConjugateGradient, BetterInitialGuessTakesFewerSteps) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(10));
  const std::vector<double> b = random_numbers(1000, 4);
  const Solved rough = solve({.relative = 1e-4}, A, b);
  EXPECT_LT(solve({}, A, b, rough.x).report.iterations, solve({}, A, b).report.iterations);
}

TEST(ConjugateGradient, NaNIsReportedWithItsPlace) {
  const Blocks good = poisson_matrix(3);
  const SparseMatrix A = on(Device::named("fake"), good);
  std::vector<double> b(27, 1.0);
  b[17] = nan;
  SolveReport report = solve({}, A, b).report;
  EXPECT_EQ(report.reason, StopReason::not_finite);
  EXPECT_EQ(report.entry, 17);
  EXPECT_EQ(report.where, "entry 17 of the right-hand side is nan");

  std::vector<double> guess(27, 0.0);
  guess[5] = std::numeric_limits<double>::infinity();
  report = solve({}, A, std::vector<double>(27, 1.0), guess).report;
  EXPECT_EQ(report.entry, 5);
  EXPECT_EQ(report.where, "entry 5 of the initial guess is inf");

  Blocks bad = good;
  bad.values[static_cast<std::size_t>(bad.offsets[11])] = nan;
  report = solve({}, on(Device::named("cpu"), bad), std::vector<double>(27, 1.0)).report;
  EXPECT_EQ(report.reason, StopReason::not_finite);
  EXPECT_EQ(report.entry, 11);
}

// R3
TEST(ConjugateGradient, IndefiniteMatrixIsNamed) {
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix({1, 2, -3}));
  const SolveReport report = solve({}, A, {1, 1, 1}).report;
  EXPECT_EQ(report.reason, StopReason::indefinite_matrix);
  EXPECT_THROW(throw_unless_converged(report), Error);
}

TEST(ConjugateGradient, IndefinitePreconditionerIsNamed) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(3));
  Blocks negative = diagonal_matrix(std::vector<double>(27, -1.0));
  const SparseMatrix M = on(device, negative);
  EXPECT_EQ(solve({}, A, std::vector<double>(27, 1.0), {}, &M).report.reason, StopReason::indefinite_preconditioner);
}

TEST(Jacobi, NamesTheRowWithoutAPositiveDiagonal) {
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix({1, 2, 0, -1}));
  try {
    JacobiPreconditioner jacobi(A);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_NE(error.message().find("row 2"), std::string::npos) << error.message();
  }
}

// A positive definite matrix has a positive diagonal: one entry is enough to tell.
TEST(Jacobi, OneDiagonalEntryThatIsNotPositiveIsRefused) {
  for (const double bad :
       {0.0, -1e-300, -2.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<double> entries{1, 2, 3};
      entries[row] = bad;
      const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix(entries));
      try {
        JacobiPreconditioner jacobi(A);
        ADD_FAILURE() << bad << " in row " << row;
      } catch (const Error& error) {
        EXPECT_EQ(error.exit(), Exit::model);
        EXPECT_NE(error.message().find("row " + std::to_string(row)), std::string::npos) << error.message();
      }
    }
}

// R1
TEST(ConjugateGradient, IterationLimitIsNotSuccess) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(10));
  const SolveReport report = solve({.max_iterations = 5}, A, random_numbers(1000, 5)).report;
  EXPECT_EQ(report.reason, StopReason::iteration_limit);
  EXPECT_EQ(report.iterations, 5);
}

// R2: whatever happens, `converged` is true of the residual computed by another path.
TEST(ConjugateGradient, NeverClaimsConvergenceFalsely) {
  const Device device = Device::named("cpu");
  std::vector<std::pair<std::string, Blocks>> list;
  std::vector<std::vector<double>> hilbert(12, std::vector<double>(12)), kahan = hilbert, rotation = hilbert;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      hilbert[i][j] = 1.0 / (i + j + 1);
      kahan[i][j] = std::pow(1e-3, std::abs(i - j));
      rotation[i][j] = i == j ? 1.0 : j == i + 1 ? 5.0 : j == i - 1 ? -5.0 : 0.0;  // not symmetric
    }
  std::vector<double> spread(40), singular(40, 1.0);
  for (int i = 0; i < 40; ++i) spread[i] = std::pow(10.0, -0.4 * i);
  singular[7] = 0;
  Blocks neumann = poisson_matrix(4);  // constants are in the null space
  for (std::size_t row = 0; row < 64; ++row) {
    double sum = 0;
    for (Index k = neumann.offsets[row]; k < neumann.offsets[row + 1]; ++k)
      if (neumann.columns[k] != Index(row)) sum += neumann.values[k];
    for (Index k = neumann.offsets[row]; k < neumann.offsets[row + 1]; ++k)
      if (neumann.columns[k] == Index(row)) neumann.values[k] = -sum;
  }
  Blocks tiny = poisson_matrix(4), huge = tiny;
  for (double& value : tiny.values) value *= 1e-150;
  for (double& value : huge.values) value *= 1e150;
  list = {{"Hilbert", dense_matrix(hilbert)},
          {"Toeplitz", dense_matrix(kahan)},
          {"not symmetric", dense_matrix(rotation)},
          {"spread 1e16", diagonal_matrix(spread)},
          {"singular", diagonal_matrix(singular)},
          {"Neumann", neumann},
          {"tiny", tiny},
          {"huge", huge}};
  for (const auto& [name, blocks] : list)
    for (const double tolerance : {1e-6, 1e-12, 1e-15, 0.0}) {
      const SparseMatrix A = on(device, blocks);
      const std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 6);
      const Solved solved = solve({.relative = tolerance, .max_iterations = 3000}, A, b);
      const double truth = relative_residual(A, solved.x, b);
      if (solved.report.converged()) {
        EXPECT_LE(truth, 1.01 * tolerance + 1e-15) << name << ", " << tolerance;  // 1e-15: rounding of b - A x itself
      }
      if (std::isfinite(truth) && truth > 1e-14) {
        EXPECT_NEAR(solved.report.true_relative_residual / truth, 1.0, 0.5) << name << ", " << summary(solved.report);
      }
    }
}

TEST(ConjugateGradient, ToleranceBelowRoundingStagnates) {
  std::vector<double> spread(60);
  for (int i = 0; i < 60; ++i) spread[i] = std::pow(10.0, -0.15 * i);
  std::vector<std::vector<double>> rows(60, std::vector<double>(60));
  const std::vector<double> v = random_numbers(60, 7);
  double vv = 0;
  for (const double value : v) vv += value * value;
  for (int i = 0; i < 60; ++i)  // H D H with the reflection H = I - 2 v v' / v'v
    for (int j = 0; j < 60; ++j) {
      double sum = 0;
      for (int k = 0; k < 60; ++k)
        sum += ((i == k) - 2 * v[i] * v[k] / vv) * spread[k] * ((k == j) - 2 * v[k] * v[j] / vv);
      rows[i][j] = sum;
    }
  const SparseMatrix A = on(Device::named("cpu"), dense_matrix(rows));
  const SolveReport report = solve({.relative = 1e-17}, A, random_numbers(60, 8)).report;
  EXPECT_EQ(report.reason, StopReason::stagnated) << summary(report);
}

// An operator that is wrong at first: the recursion believes it, the recomputed residual does not.
TEST(ConjugateGradient, RestartsWhenTheRecursionWasWrong) {
  struct Drifting final : LinearOperator {
    explicit Drifting(const SparseMatrix& matrix) : A(matrix) {}
    const Device& device() const override { return A.device(); }
    Index rows() const override { return A.rows(); }
    void apply(const Vector& x, Vector& y) const override {
      A.apply(x, y);
      if (++calls < 12) axpby(0.0, y, 1.001, y);
    }
    const SparseMatrix& A;
    mutable int calls = 0;
  };
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(6));
  const Drifting drifting(A);
  const std::vector<double> b = random_numbers(216, 9);
  Vector x(A.device(), std::vector<double>(216, 0.0), "test");
  const SolveReport report = ConjugateGradient{}.solve(drifting, Vector(A.device(), b, "test"), x);
  EXPECT_TRUE(report.converged()) << summary(report);
  EXPECT_GE(report.restarts, 1);
  EXPECT_LE(relative_residual(A, x.host(), b), 1.0001e-8);
}

// L16: units do not matter.
TEST(ConjugateGradient, ScalingMatrixOrLoadKeepsTheIterationCount) {
  const Device device = Device::named("cpu");
  const std::vector<double> b = random_numbers(1000, 10);
  const int expected = solve({}, on(device, poisson_matrix(10)), b).report.iterations;
  for (const double scale : {1e-200, 1e-12, 1e12, 1e200}) {
    std::vector<double> scaled = b;
    for (double& value : scaled) value *= scale;
    const Solved load = solve({}, on(device, poisson_matrix(10)), scaled);
    EXPECT_TRUE(load.report.converged()) << scale;
    EXPECT_NEAR(load.report.iterations, expected, 1);
    if (std::abs(std::log10(scale)) > 20) continue;
    Blocks blocks = poisson_matrix(10);
    for (double& value : blocks.values) value *= scale;
    EXPECT_NEAR(solve({}, on(device, blocks), b).report.iterations, expected, 1);
  }
}

// L21
TEST(ConjugateGradient, IsBitwiseRepeatableOverRunsAndThreads) {
  const std::vector<double> b = random_numbers(3 * 17 * 17 * 17, 11);
  std::vector<double> reference, history;
  for (const int threads : {1, 1, 2, 3, 3}) {
    const SparseMatrix A = on(Device::named("cpu", threads), grid_matrix(17, 3));
    const JacobiPreconditioner jacobi(A);
    const Solved solved = solve({}, A, b, {}, &jacobi);
    if (reference.empty()) {
      reference = solved.x;
      history = solved.report.history;
    }
    EXPECT_EQ(solved.x, reference) << threads << " threads";
    EXPECT_EQ(solved.report.history, history);
  }
}

TEST(ConjugateGradient, AnIterationReadsOneBatchOfScalarsAndNothingElse) {
  const Device device = Device::named("fake", 1);
  const SparseMatrix A = on(device, poisson_matrix(12));
  const JacobiPreconditioner jacobi(A);
  const Vector b(device, random_numbers(1728, 12), "test");
  const auto cost = [&](int iterations) {
    Vector x(device, 1728, "test");
    x.fill_zero();
    const Traffic before = device.machine().traffic();
    const Index copies = device.machine().calls().count(MachineCall::copy);
    const Index raw = device.memory().statistics().raw_allocations;
    EXPECT_EQ(ConjugateGradient{.max_iterations = iterations}.solve(A, b, x, &jacobi).iterations, iterations);
    const Traffic after = device.machine().traffic();
    return std::array<Index, 5>{
        after.to_device - before.to_device, after.to_host - before.to_host, after.scalar_reads - before.scalar_reads,
        device.machine().calls().count(MachineCall::copy) - copies, device.memory().statistics().raw_allocations - raw};
  };
  cost(5);
  const auto five = cost(5), fifteen = cost(15);
  EXPECT_EQ(fifteen[0], five[0]);
  EXPECT_EQ(fifteen[1], five[1]);
  EXPECT_EQ(fifteen[2] - five[2], 10);
  EXPECT_EQ(fifteen[3] - five[3], 10);  // the reads themselves
  EXPECT_EQ(fifteen[4], 0);
}

TEST(ConjugateGradient, WrongSizesAreRejected) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(2));
  Vector b(device, std::vector<double>(7, 1.0), "test"), x(device, std::vector<double>(8, 0.0), "test");
  EXPECT_THROW(ConjugateGradient{}.solve(A, b, x), Error);
}

}  // namespace
}  // namespace ritz::testing::conjugate_gradient_test
