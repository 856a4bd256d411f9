#include "solvers/direct_solver.hpp"

#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

using Kind = DirectSolver::Kind;

class Direct : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      DirectSolver(on(device, diagonal_matrix({1})), Kind::general);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::environment);
      GTEST_SKIP() << "skipped: " << error.message();
    }
  }
  std::vector<double> solve(const SparseMatrix& A, Kind kind, const std::vector<double>& b, SolveReport& report) {
    DirectSolver solver(A, kind);
    Vector x(A.device(), A.rows(), "test");
    report = solver.solve(Vector(A.device(), b, "test"), x);
    return x.host();
  }
  static Exit exit_of(const SparseMatrix& A, Kind kind, std::string* message = nullptr) {
    try {
      DirectSolver solver(A, kind);
    } catch (const Error& error) {
      if (message != nullptr) *message = error.message();
      return error.exit();
    }
    return Exit::ok;
  }
  Device device = Device::named("cpu");
};

TEST_F(Direct, PositiveDefiniteSystemsAreSolvedToRounding) {
  for (const std::string& name : back_ends())
    for (const int b : {1, 2, 3})
      for (const Kind kind : {Kind::positive_definite, Kind::symmetric, Kind::general}) {
        const SparseMatrix A = on(Device::named(name), grid_matrix(7, b));
        const std::vector<double> f = random_numbers(static_cast<std::size_t>(A.rows()), 1);
        SolveReport report;
        const std::vector<double> x = solve(A, kind, f, report);
        EXPECT_TRUE(report.converged()) << summary(report);
        EXPECT_LE(relative_residual(A, x, f), 1e-12);
      }
}

TEST_F(Direct, IndefiniteSymmetricSystemsAreSolved) {
  const SparseMatrix A = on(device, dense_matrix({{0, 1, 2}, {1, 0, 3}, {2, 3, 0}}));
  SolveReport report;
  const std::vector<double> b{1, 2, 3};
  EXPECT_LE(relative_residual(A, solve(A, Kind::symmetric, b, report), b), 1e-14);
  EXPECT_TRUE(report.converged());
}

TEST_F(Direct, UnsymmetricSystemsAreSolved) {
  const SparseMatrix A = on(device, dense_matrix({{0, 2, 0}, {1, 1, 5}, {-3, 0, 4}}));
  SolveReport report;
  const std::vector<double> b{1, 2, 3};
  EXPECT_LE(relative_residual(A, solve(A, Kind::general, b, report), b), 1e-14);
}

TEST_F(Direct, OneFactorSolvesForManyRightHandSides) {
  const SparseMatrix A = on(device, poisson_matrix(6));
  DirectSolver solver(A, Kind::positive_definite);
  Vector x(device, 216, "test");
  for (unsigned seed = 0; seed < 4; ++seed) {
    const std::vector<double> b = random_numbers(216, seed);
    EXPECT_TRUE(solver.solve(Vector(device, b, "test"), x).converged());
    EXPECT_LE(relative_residual(A, x.host(), b), 1e-13);
  }
  const Vector zero(device, std::vector<double>(216, 0.0), "test");
  EXPECT_TRUE(solver.solve(zero, x).converged());
  EXPECT_EQ(x.host(), std::vector<double>(216, 0.0));
}

TEST_F(Direct, SingularMatrixIsAModelErrorThatNamesTheRow) {
  std::string message;
  for (const Kind kind : {Kind::positive_definite, Kind::symmetric, Kind::general}) {
    EXPECT_EQ(exit_of(on(device, diagonal_matrix({1, 2, 0, 4})), kind, &message), Exit::model);
    EXPECT_NE(message.find("singular"), std::string::npos) << message;
    EXPECT_NE(message.find("row 2"), std::string::npos) << message << ", kind " << int(kind);
  }
}

// No support anywhere: constants are in the null space.
TEST_F(Direct, FreeBodyIsAModelError) {
  Blocks free = poisson_matrix(6);
  for (std::size_t row = 0; row < 216; ++row) {
    const Index first = free.offsets[row], last = free.offsets[row + 1];
    for (Index k = first; k < last; ++k)
      if (free.columns[k] == Index(row)) free.values[k] = double(last - first - 1);
  }
  for (const Kind kind : {Kind::positive_definite, Kind::symmetric, Kind::general})
    EXPECT_EQ(exit_of(on(device, free), kind), Exit::model);
}

TEST_F(Direct, NegativePivotsAreAModelErrorWhereNonePromised) {
  std::string message;
  EXPECT_EQ(exit_of(on(device, diagonal_matrix({1, -2, 3})), Kind::positive_definite, &message), Exit::model);
  EXPECT_NE(message.find("not positive definite"), std::string::npos) << message;
}

TEST_F(Direct, NaNIsAModelErrorThatNamesTheEntry) {
  std::string message;
  EXPECT_EQ(exit_of(on(device, diagonal_matrix({1, std::nan(""), 3})), Kind::general, &message), Exit::model);
  EXPECT_NE(message.find("row 1, column 1"), std::string::npos) << message;
}

TEST_F(Direct, BadRightHandSideIsReported) {
  const SparseMatrix A = on(device, diagonal_matrix({1, 2, 3}));
  SolveReport report;
  solve(A, Kind::general, {1, std::nan(""), 3}, report);
  EXPECT_EQ(report.reason, StopReason::not_finite);
  EXPECT_EQ(report.entry, 1);
}

TEST_F(Direct, MemoryIsForecastAndCounted) {
  const SparseMatrix A = on(device, poisson_matrix(20));
  const Index needed = DirectSolver::memory_needed(A, Kind::positive_definite);
  const Index used = DirectSolver(A, Kind::positive_definite).memory_bytes();
  EXPECT_GT(needed, 0);
  EXPECT_GT(used, 0);
  EXPECT_LE(used, 2 * needed);
}

TEST_F(Direct, SolutionIsBitwiseRepeatable) {
  const SparseMatrix A = on(device, grid_matrix(8, 3));
  const std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 2);
  SolveReport report;
  const std::vector<double> first = solve(A, Kind::positive_definite, b, report);
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(solve(A, Kind::positive_definite, b, report), first);
}

}  // namespace
}  // namespace ritz::testing
