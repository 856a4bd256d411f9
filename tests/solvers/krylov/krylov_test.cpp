// Facts of every Krylov method, from one list of methods and one list of matrices.
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "tests/solvers/matrices.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace ritz::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Limits {
  double relative = 1e-10;
  int max_iterations = 2000;
};

enum class Needs { positive_definite, symmetric, nothing };

struct Method {
  std::string name;
  Needs needs;
  std::function<SolveReport(const Limits&, const LinearOperator&, const Vector&, Vector&, const LinearOperator*)> solve;
};

template <class M>
Method method(const char* name, Needs needs, M options) {
  return {
      name, needs,
      [options](const Limits& limits, const LinearOperator& A, const Vector& b, Vector& x, const LinearOperator* P) {
        M method = options;
        method.relative = limits.relative;
        method.max_iterations = limits.max_iterations;
        return method.solve(A, b, x, P);
      }};
}

std::vector<Method> methods() {
  return {method("conjugate gradients", Needs::positive_definite, ConjugateGradient{}),
          method("flexible conjugate gradients", Needs::positive_definite, ConjugateGradient{.flexible = true}),
          method("MINRES", Needs::symmetric, Minres{}), method("GMRES", Needs::nothing, Gmres{.restart = 60}),
          method("BiCGSTAB", Needs::nothing, Bicgstab{})};
}

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

Solved solve(const Method& m, const SparseMatrix& A, const std::vector<double>& b, const Limits& limits = {},
             std::vector<double> guess = {}, const LinearOperator* preconditioner = nullptr) {
  guess.resize(b.size());
  Vector x(A.device(), guess, "test");
  Solved solved;
  solved.report = m.solve(limits, A, Vector(A.device(), b, "test"), x, preconditioner);
  solved.x = x.host();
  return solved;
}

Blocks dense_blocks(std::size_t n, const std::function<double(std::size_t, std::size_t)>& entry) {
  std::vector<std::vector<double>> rows(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = entry(i, j);
  return dense_matrix(rows);
}

// [K B^T; B 0] with K the Laplacian of a chain of 40 and 10 constraints: symmetric, 40 positive and 10 negative
// eigenvalues.
Blocks saddle_point_matrix() {
  const std::vector<double> B = random_numbers(400, 31);
  return dense_blocks(50, [&](std::size_t i, std::size_t j) {
    if (i < 40 && j < 40) return i == j ? 2.0 : (i + 1 == j || j + 1 == i) ? -1.0 : 0.0;
    if (i >= 40 && j >= 40) return 0.0;
    return i >= 40 ? B[(i - 40) * 40 + j] : B[(j - 40) * 40 + i];
  });
}

// Convection along +x through n^3 points by upwind differences, Peclet number of a cell 2: far from symmetric.
Blocks convection_matrix(int n) {
  Blocks A = poisson_matrix(n);
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      if (A.columns[k] == Index(row)) A.values[k] += 2;
      if (A.columns[k] == Index(row) - 1) A.values[k] -= 2;
    }
  return A;
}

TEST(Krylov, GivesTheSolutionOfEliminationWhereItsConditionsHold) {
  for (const std::string& back_end : back_ends()) {
    const Device device = Device::named(back_end, 2);
    const std::vector<std::tuple<const char*, Needs, Blocks>> matrices = {
        {"definite", Needs::positive_definite, grid_matrix(4, 2)},
        {"saddle point", Needs::symmetric, saddle_point_matrix()},
        {"convection", Needs::nothing, convection_matrix(5)}};
    for (const auto& [name, property, blocks] : matrices) {
      const SparseMatrix A = on(device, blocks);
      const std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 1);
      const std::vector<long double> exact = solve_dense(dense(A), {b.begin(), b.end()});
      for (const Method& m : methods()) {
        if (m.needs < property) continue;
        if (m.name == "BiCGSTAB" && property == Needs::symmetric) continue;  // no guarantee on strongly indefinite ones
        SCOPED_TRACE(m.name + ", " + name);
        const Solved solved = solve(m, A, b);
        EXPECT_TRUE(solved.report.converged()) << summary(solved.report);
        EXPECT_LE(relative_residual(A, solved.x, b), 1.0001e-10);
        EXPECT_EQ(static_cast<int>(solved.report.history.size()), solved.report.iterations);
        for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(solved.x[i], double(exact[i]), 1e-6);
      }
    }
  }
}

TEST(Krylov, PreconditionedMethodsGiveTheSameSolutionInFewerSteps) {
  std::vector<double> scale(343);
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = std::pow(10.0, double(i % 7) / 2);
  Blocks blocks = poisson_matrix(7);
  for (std::size_t row = 0; row < scale.size(); ++row)
    for (Index k = blocks.offsets[row]; k < blocks.offsets[row + 1]; ++k)
      blocks.values[k] *= scale[row] * scale[blocks.columns[k]];
  const SparseMatrix A = on(Device::named("cpu"), blocks);
  const JacobiPreconditioner jacobi(A);
  const std::vector<double> b = random_numbers(343, 2);
  for (const Method& m : methods()) {
    SCOPED_TRACE(m.name);
    const Solved plain = solve(m, A, b), with = solve(m, A, b, {}, {}, &jacobi);
    EXPECT_TRUE(with.report.converged()) << summary(with.report);
    EXPECT_LE(relative_residual(A, with.x, b), 1.0001e-10);
    EXPECT_LT(with.report.iterations, plain.report.iterations / 2);
    EXPECT_EQ(with.report.preconditioner, "Jacobi");
    EXPECT_EQ(with.report.restarts, 0);
    // the method's own residual is the true one
    EXPECT_NEAR(with.report.history.back() / with.report.true_relative_residual, 1.0, 0.01);
  }
}

// In exact arithmetic, as many steps as there are different eigenvalues.
TEST(Krylov, ThreeEigenvaluesTakeThreeSteps) {
  const Device device = Device::named("cpu");
  for (const bool definite : {true, false}) {
    std::vector<double> diagonal(300);
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      diagonal[i] = i % 3 == 1 && !definite ? -2.0 : 1.0 + double(i % 3);
    const SparseMatrix A = on(device, diagonal_matrix(diagonal));
    for (const Method& m : methods()) {
      if (m.needs == Needs::positive_definite && !definite) continue;
      const Solved solved = solve(m, A, random_numbers(300, 3));
      EXPECT_TRUE(solved.report.converged()) << summary(solved.report);
      EXPECT_LE(solved.report.iterations, 3) << m.name;
    }
  }
}

TEST(Krylov, OneBatchOfNumbersCrossesToTheHostPerIteration) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(8));
  const std::vector<double> b = random_numbers(512, 4);
  const JacobiPreconditioner jacobi(A);
  struct Hidden final : LinearOperator {  // so that conjugate gradients cannot fuse it
    explicit Hidden(const LinearOperator& M) : M(M) {}
    const Device& device() const override { return M.device(); }
    Index rows() const override { return M.rows(); }
    void apply(const Vector& x, Vector& y) const override { M.apply(x, y); }
    const LinearOperator& M;
  } const hidden(jacobi);
  for (const Method& m : methods())
    for (const LinearOperator* M :
         {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&hidden)}) {
      const auto reads = [&](int iterations) {
        const Index before = device.machine().traffic().scalar_reads;
        EXPECT_EQ(solve(m, A, b, {1e-300, iterations}, {}, M).report.iterations, iterations);
        return device.machine().traffic().scalar_reads - before;
      };
      EXPECT_EQ(reads(12) - reads(4), 8) << m.name;
    }
}

// On a device of its own the next iteration is launched before the host looks at this one, if another is expected.
TEST(Krylov, LaunchingAheadChangesNoBitAndWastesAtMostOnePreconditioning) {
  struct Counted final : LinearOperator {
    explicit Counted(const JacobiPreconditioner& jacobi) : M(jacobi) {}
    const Device& device() const override { return M.device(); }
    Index rows() const override { return M.rows(); }
    void apply(const Vector& x, Vector& y) const override {
      M.apply(x, y);
      ++calls;
    }
    const JacobiPreconditioner& M;
    mutable int calls = 0;
  };
  const std::vector<double> b = random_numbers(12 * 12 * 12, 21);
  for (const Method& m : methods()) {
    std::vector<double> reference, history;
    for (const char* name : {"cpu", "fake"}) {
      SCOPED_TRACE(m.name + ", " + name);
      const SparseMatrix A = on(Device::named(name, 1), poisson_matrix(12));
      const JacobiPreconditioner jacobi(A);
      const Counted counted(jacobi);
      const Solved solved = solve(m, A, b, {}, {}, &counted);
      EXPECT_TRUE(solved.report.converged()) << summary(solved.report);
      EXPECT_GT(solved.report.iterations, 15);
      const int once = m.name == "BiCGSTAB" ? 2 : 1, before = m.name == "MINRES" ? 1 : 0;
      const int least = once * solved.report.iterations + before;
      EXPECT_GE(counted.calls, least);
      EXPECT_LE(counted.calls, least + (std::string(name) == "cpu" ? 0 : 1));
      if (reference.empty()) {
        reference = solved.x;
        history = solved.report.history;
      }
      EXPECT_EQ(solved.x, reference);
      EXPECT_EQ(solved.report.history, history);
    }
  }
}

TEST(Krylov, SolutionsAreBitwiseTheSameForAnyNumberOfThreads) {
  const Blocks blocks = grid_matrix(17, 1);
  const std::vector<double> b = random_numbers(17 * 17 * 17, 5);
  for (const Method& m : methods()) {
    std::vector<double> reference;
    for (const int threads : {1, 2, 3}) {
      const Solved solved = solve(m, on(Device::named("cpu", threads), blocks), b);
      if (reference.empty()) reference = solved.x;
      EXPECT_EQ(solved.x, reference) << m.name;
    }
  }
}

TEST(Krylov, ZeroRightHandSideExactGuessOneUnknownAndNone) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(3)), one = on(device, diagonal_matrix({4})),
                     none = on(device, Blocks{});
  const std::vector<double> ones(27, 1.0);
  std::vector<double> b;
  for (const long double value : product(host_matrix(A), ones).y) b.push_back(static_cast<double>(value));
  for (const Method& m : methods()) {
    SCOPED_TRACE(m.name);
    const Solved zero = solve(m, A, std::vector<double>(27, 0.0), {}, std::vector<double>(27, 5.0));
    EXPECT_TRUE(zero.report.converged());
    EXPECT_EQ(zero.report.iterations, 0);
    EXPECT_EQ(zero.x, std::vector<double>(27, 0.0));
    const Solved exact = solve(m, A, b, {}, ones);
    EXPECT_TRUE(exact.report.converged());
    EXPECT_EQ(exact.report.iterations, 0);
    EXPECT_EQ(exact.x, ones);
    const Solved single = solve(m, one, {2}, {1e-15, 10});
    EXPECT_TRUE(single.report.converged()) << summary(single.report);
    EXPECT_EQ(single.report.iterations, 1);
    EXPECT_NEAR(single.x[0], 0.5, 1e-16);
    EXPECT_TRUE(solve(m, none, {}).report.converged());
  }
}

// The pool gives vectors what was in them.
TEST(Krylov, NumbersThatMemoryHeldBeforeDoNotMatter) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(5));
  const JacobiPreconditioner jacobi(A);
  for (const Method& m : methods())
    for (const LinearOperator* P :
         {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&jacobi)}) {
      {
        std::vector<Vector> before;
        for (int k = 0; k < 16; ++k) before.emplace_back(device, std::vector<double>(125, nan), "test");
      }
      const SolveReport report = solve(m, A, random_numbers(125, 6), {}, {}, P).report;
      EXPECT_TRUE(report.converged()) << m.name << ": " << summary(report);
    }
}

TEST(Krylov, NaNIsReportedWithItsPlace) {
  const Device device = Device::named("cpu");
  const Blocks good = poisson_matrix(3);
  Blocks bad = good;
  bad.values[static_cast<std::size_t>(bad.offsets[11])] = nan;
  const SparseMatrix A = on(device, good), broken = on(device, bad);
  std::vector<double> b(27, 1.0), guess(27, 0.0);
  b[17] = nan;
  guess[5] = std::numeric_limits<double>::infinity();
  for (const Method& m : methods()) {
    SCOPED_TRACE(m.name);
    SolveReport report = solve(m, A, b).report;
    EXPECT_EQ(report.reason, StopReason::not_finite);
    EXPECT_EQ(report.where, "entry 17 of the right-hand side is nan");
    EXPECT_EQ(solve(m, A, std::vector<double>(27, 1.0), {}, guess).report.where, "entry 5 of the initial guess is inf");
    report = solve(m, broken, std::vector<double>(27, 1.0)).report;
    EXPECT_EQ(report.reason, StopReason::not_finite);
    EXPECT_EQ(report.entry, 11);
  }
}

// The finite matrix and right-hand side are not to blame; the diagonal and the matrix take separate paths.
TEST(Krylov, APreconditionerThatReturnsNaNIsReportedByItsName) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(3));
  Blocks identity = diagonal_matrix(std::vector<double>(27, 1.0));
  for (const double value : {nan, std::numeric_limits<double>::infinity()}) {
    identity.values[11] = value;
    const SparseMatrix P = on(device, identity);
    for (const Method& m : methods()) {
      SCOPED_TRACE(m.name);
      const SolveReport report = solve(m, A, random_numbers(27, 6), {}, {}, &P).report;
      EXPECT_EQ(report.reason, StopReason::preconditioner_not_finite) << summary(report);
      EXPECT_EQ(report.where, "the preconditioner '" + P.name() + "' returns values that are not finite");
      EXPECT_EQ(report.entry, -1);  // another method may do
    }
  }
}

TEST(Krylov, WrongSizesAreRejectedAndTheLimitIsNotSuccess) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(5)), small = on(device, poisson_matrix(2));
  const Vector b(device, random_numbers(125, 6), "test");
  for (const Method& m : methods()) {
    SCOPED_TRACE(m.name);
    Vector x(device, std::vector<double>(125, 0.0), "test"), y(device, std::vector<double>(8, 0.0), "test");
    EXPECT_THROW(m.solve({}, A, b, y, nullptr), Error);
    EXPECT_THROW(m.solve({}, small, b, x, nullptr), Error);
    EXPECT_THROW(m.solve({}, A, b, x, &small), Error);
    const SolveReport report = m.solve({1e-12, 3}, A, b, x, nullptr);
    EXPECT_EQ(report.reason, StopReason::iteration_limit);
    EXPECT_EQ(report.iterations, 3);
    EXPECT_THROW(throw_unless_converged(report), Error);
  }
  Vector x(device, 125, "test");
  EXPECT_THROW(Gmres{.restart = 0}.solve(A, b, x), Error);
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

double largest_row_sum(const Blocks& blocks) {  // of single entries
  double result = 0;
  for (std::size_t row = 0; row + 1 < blocks.offsets.size(); ++row) {
    double sum = 0;
    for (Index k = blocks.offsets[row]; k < blocks.offsets[row + 1]; ++k)
      sum += std::abs(blocks.values[static_cast<std::size_t>(k)]);
    result = std::max(result, sum);
  }
  return result;
}

// Whatever happens, `converged` is true of the residual computed by another path, and the residual reported is the true
// one.
TEST(Krylov, NeverClaimsConvergenceFalsely) {
  const Device device = Device::named("cpu");
  std::vector<double> spread(40), singular(40, 1.0), signs(40);
  for (int i = 0; i < 40; ++i) {
    spread[i] = std::pow(10.0, -0.4 * i);
    signs[i] = i % 2 == 0 ? spread[i] : -spread[i];
  }
  singular[7] = 0;
  Blocks disconnected = poisson_matrix(4), tiny = poisson_matrix(4), huge = tiny, stiff = poisson_matrix(4);
  for (std::size_t row = 0; row < 64; ++row)
    for (Index k = disconnected.offsets[row]; k < disconnected.offsets[row + 1]; ++k) {
      if ((row < 32) != (disconnected.columns[k] < 32)) disconnected.values[k] = 0;
      if (row < 32 && stiff.columns[k] < 32) stiff.values[k] *= 1e12;
    }
  for (double& value : tiny.values) value *= 1e-150;
  for (double& value : huge.values) value *= 1e150;
  const std::vector<std::pair<std::string, Blocks>> list = {
      {"Hilbert", dense_blocks(12, [](auto i, auto j) { return 1.0 / double(i + j + 1); })},
      {"rotation",
       dense_blocks(12, [](auto i, auto j) { return i == j       ? 1.0
                                                    : j == i + 1 ? 5.0
                                                    : i == j + 1 ? -5.0
                                                                 : 0.0; })},
      {"cyclic shift", dense_blocks(12, [](auto i, auto j) { return j == (i + 1) % 12 ? 1.0 : 0.0; })},
      {"zero diagonal", dense_blocks(12, [](auto i, auto j) { return i == j ? 0.0 : 1.0; })},
      {"spread 1e16", diagonal_matrix(spread)},
      {"indefinite spread", diagonal_matrix(signs)},
      {"singular", diagonal_matrix(singular)},
      {"saddle point", saddle_point_matrix()},
      {"convection", convection_matrix(4)},
      {"disconnected", disconnected},
      {"1e12", stiff},
      {"tiny", tiny},
      {"huge", huge},
      {"zero", diagonal_matrix(std::vector<double>(5, 0.0))}};
  for (const Method& m : methods())
    for (const auto& [name, blocks] : list)
      for (const double scale : {1.0, 1e-150, 1e150})
        for (const double tolerance : {1e-6, 1e-12, 0.0}) {
          SCOPED_TRACE(m.name + ", " + name);
          const SparseMatrix A = on(device, blocks);
          std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 7);
          for (double& value : b) value *= scale;
          const Solved solved = solve(m, A, b, {tolerance, 500});
          const double truth = relative_residual(A, solved.x, b);
          if (solved.report.converged()) {
            EXPECT_LE(truth, 1.01 * tolerance + 1e-15);  // 1e-15: rounding of b - A x itself
          }
          // of A x, where x is large
          const double rounding = 1e-16 * largest_row_sum(blocks) * largest(solved.x) / largest(b);
          if (std::isfinite(truth) && truth > std::max(1e-13, 100 * rounding)) {
            EXPECT_NEAR(solved.report.true_relative_residual / truth, 1.0, 0.5) << summary(solved.report);
          }
          if (name == "disconnected" && tolerance == 1e-6) {
            EXPECT_TRUE(solved.report.converged()) << summary(solved.report);
          }
          if (name == "zero") { EXPECT_FALSE(solved.report.converged()); }
        }
}

// b outside of the range: the best x leaves a residual, and no method calls that a solution.
TEST(Krylov, SingularAndInconsistentSystemsDoNotConverge) {
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix({1, 2, 3, 0}));
  for (const Method& m : methods()) {
    const Solved solved = solve(m, A, {1, 1, 1, 1}, {1e-8, 200});
    EXPECT_FALSE(solved.report.converged()) << m.name << ": " << summary(solved.report);
  }
}

TEST(Krylov, IndefinitePreconditionersAreNamed) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(3)), M = on(device, diagonal_matrix(std::vector<double>(27, -1.0)));
  for (const Method& m : methods())
    if (m.needs != Needs::nothing) {
      EXPECT_EQ(solve(m, A, std::vector<double>(27, 1.0), {}, {}, &M).report.reason,
                StopReason::indefinite_preconditioner)
          << m.name;
    }
}

// (A b).(A b) is beyond the largest double, b.(A b) is not.
TEST(Minres, AnIterationThatOverflowsIsNone) {
  Blocks large = poisson_matrix(3);
  for (double& value : large.values) value *= 1e200;
  const SolveReport report =
      solve(method("MINRES", Needs::symmetric, Minres{}), on(Device::named("cpu"), large), random_numbers(27, 4))
          .report;
  EXPECT_EQ(report.reason, StopReason::not_finite);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_TRUE(report.history.empty());
}

TEST(Minres, ResidualNeverGrowsAndIsThatOfUnrestartedGmres) {
  const SparseMatrix A = on(Device::named("cpu"), saddle_point_matrix());
  const std::vector<double> b = random_numbers(50, 8);
  const SolveReport minres = solve(methods()[2], A, b).report, gmres = solve(methods()[3], A, b).report;
  ASSERT_TRUE(minres.converged() && gmres.converged());
  for (std::size_t i = 1; i < minres.history.size(); ++i)
    EXPECT_LE(minres.history[i], minres.history[i - 1] * (1 + 1e-12));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(minres.history[i], gmres.history[i], 1e-8);
}

// An indefinite matrix with the positive definite preconditioner diag(K)^-1, diag(B diag(K)^-1 B^T)^-1, scaled badly
// before.
TEST(Minres, PreconditionedResidualOfAnIndefiniteMatrixIsTheTrueOne) {
  const Device device = Device::named("cpu");
  Blocks blocks = saddle_point_matrix();
  std::vector<double> scale(50), inverse(50);
  for (std::size_t i = 0; i < 50; ++i) {
    scale[i] = std::pow(10.0, double(i % 5) - 2);
    // 40 entries uniform in (-1, 1): squares add up to 13
    inverse[i] = (i < 40 ? 0.5 : 2.0 / 13) / (scale[i] * scale[i]);
  }
  for (std::size_t row = 0; row < 50; ++row)
    for (Index k = blocks.offsets[row]; k < blocks.offsets[row + 1]; ++k)
      blocks.values[k] *= scale[row] * scale[blocks.columns[k]];
  const SparseMatrix A = on(device, blocks), M = on(device, diagonal_matrix(inverse));
  const std::vector<double> b = random_numbers(50, 12);
  const Solved plain = solve(methods()[2], A, b), with = solve(methods()[2], A, b, {}, {}, &M);
  EXPECT_TRUE(with.report.converged()) << summary(with.report);
  EXPECT_LE(relative_residual(A, with.x, b), 1.0001e-10);
  EXPECT_EQ(with.report.restarts, 0);
  EXPECT_NEAR(with.report.history.back() / with.report.true_relative_residual, 1.0, 0.05);
  EXPECT_LT(with.report.iterations, plain.report.iterations / 2);
}

// Restarted after two iterations, GMRES reaches eigenvalues of 1 and hardly those of 1e-8.
TEST(Gmres, EndsEarlyWhereItsPaceWouldTakeTenTimesTheIterationsThatAreLeft) {
  std::vector<double> diagonal;
  for (int i = 0; i < 400; ++i) diagonal.push_back(std::pow(10.0, -8.0 * i / 399));
  const SparseMatrix A = on(Device::named("cpu"), diagonal_matrix(diagonal));
  const std::vector<double> ones(400, 1.0);
  const Vector b(A.device(), std::span<const double>(ones), "test");
  Vector x(A.device(), b.size(), "test");
  x.fill_zero();
  const SolveReport report = Gmres{.max_iterations = 50000, .restart = 2}.solve(A, b, x);
  EXPECT_EQ(report.reason, StopReason::iteration_limit) << summary(report);
  EXPECT_LT(report.iterations, 10000);
  EXPECT_NE(report.where.find("at the pace of the last 10 cycles"), std::string::npos) << summary(report);
}

// min || b - A x || over x in span{b, A b, ..., A^(k-1) b}: an orthonormal basis Q of A K_k, and b - Q Q^T b.
TEST(Gmres, ResidualIsTheLeastOfTheKrylovSpace) {
  const SparseMatrix A = on(Device::named("cpu"), convection_matrix(4));
  const std::vector<double> b = random_numbers(64, 9);
  const Dense D = dense(A);
  const auto times = [&](const std::vector<long double>& x) {
    std::vector<long double> y(64, 0.0L);
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t j = 0; j < 64; ++j) y[i] += D[i][j] * x[j];
    return y;
  };
  const auto dot = [](const auto& x, const auto& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0L); };
  std::vector<std::vector<long double>> Q;
  std::vector<long double> residual(b.begin(), b.end()), direction = residual;
  const SolveReport report = solve(methods()[3], A, b).report;
  const long double b_norm = std::sqrt(dot(residual, residual));
  for (std::size_t k = 0; k < 12; ++k) {
    std::vector<long double> q = times(direction);
    for (int pass = 0; pass < 3; ++pass)
      for (const auto& other : Q) {
        const long double h = dot(other, q);
        for (std::size_t i = 0; i < 64; ++i) q[i] -= h * other[i];
      }
    const long double size = std::sqrt(dot(q, q));
    for (long double& value : q) value /= size;
    const long double h = dot(q, residual);
    for (std::size_t i = 0; i < 64; ++i) residual[i] -= h * q[i];
    Q.push_back(q);
    direction = q;
    EXPECT_NEAR(report.history[k], double(std::sqrt(dot(residual, residual)) / b_norm), 1e-12) << "step " << k + 1;
  }
}

// An operator that is another diagonal every time it is applied.
class Changing final : public LinearOperator {
 public:
  explicit Changing(const SparseMatrix& A) : jacobi_(A) {}
  const Device& device() const override { return jacobi_.device(); }
  Index rows() const override { return jacobi_.rows(); }
  void apply(const Vector& x, Vector& y) const override {
    std::vector<double> values = x.host();
    ++turn_;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] *= 1.0 + 0.5 * std::sin(double(turn_) * (1.0 + double(i)));
    jacobi_.apply(Vector(device(), values, "test"), y);
  }

 private:
  JacobiPreconditioner jacobi_;
  mutable int turn_ = 0;
};

TEST(Krylov, FlexibleMethodsBearAChangingPreconditioner) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(8));
  const std::vector<double> b = random_numbers(512, 10);
  std::vector<int> iterations;
  for (const Method& m : methods()) {
    const Changing changing(A);
    const Solved solved = solve(m, A, b, {1e-8, 400}, {}, &changing);
    iterations.push_back(solved.report.converged() ? solved.report.iterations : 1000);
  }
  EXPECT_LE(iterations[1], 150) << "flexible conjugate gradients";
  EXPECT_LE(iterations[3], 100) << "GMRES";
  EXPECT_EQ(iterations[0], 1000) << "conjugate gradients converge: the preconditioner proves nothing";
}

// In exact arithmetic; in floating point the iterations of a smooth problem may differ by one.
TEST(Krylov, FlexibleIsThePlainMethodForAFixedPreconditioner) {
  const SparseMatrix A = on(Device::named("cpu"), poisson_matrix(8));
  const ChebyshevPreconditioner chebyshev(A);
  const std::vector<double> b = random_numbers(512, 11);
  const Solved plain = solve(methods()[0], A, b, {}, {}, &chebyshev),
               flexible = solve(methods()[1], A, b, {}, {}, &chebyshev);
  EXPECT_NEAR(plain.report.iterations, flexible.report.iterations, 1);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(plain.report.history[i], flexible.report.history[i], 1e-10);
}

}  // namespace
}  // namespace ritz::testing
