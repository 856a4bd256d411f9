#include "solvers/direct/direct_solver.hpp"

#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

#include <numbers>

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
    for (const int b : {1, 2, 3, 4, 5, 6})
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
  const auto [needed, operations] = DirectSolver::needs(A, Kind::positive_definite);
  EXPECT_EQ(operations, DirectSolver(A, Kind::positive_definite).operations());
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

// A library that ordered by several threads would make another factor in each run.
TEST_F(Direct, LibrariesOrderAlikeInEveryRun) {
  const SparseMatrix A = on(device, poisson_matrix(20));
  const Vector b(device, random_numbers(static_cast<std::size_t>(A.rows()), 2), "test");
  for (const DirectOrdering ordering : {DirectOrdering::library, DirectOrdering::scotch, DirectOrdering::pord}) {
    std::vector<double> first;
    for (int repeat = 0; repeat < 4; ++repeat) {
      DirectSolver solver(A, Kind::positive_definite, {.ordering = ordering});
      Vector x(device, A.rows(), "test");
      EXPECT_TRUE(solver.solve(b, x).converged());
      if (repeat == 0) first = x.host();
      EXPECT_EQ(x.host(), first);
    }
  }
}

// Eigenvalues of diag(2 - 2 cos) chains are known: K - s I has as many negative pivots as eigenvalues below s.
TEST_F(Direct, NegativePivotsCountTheEigenvaluesBelowAShift) {
  constexpr int n = 40;
  for (const double shift : {-0.5, 0.1, 1.0, 2.0, 3.9, 4.5}) {
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0.0));
    Index below = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rows[i][i] = 2 - shift;
      if (i > 0) rows[i][i - 1] = -1;
      if (i + 1 < n) rows[i][i + 1] = -1;
      below += 2 - 2 * std::cos(double(i + 1) * std::numbers::pi / (n + 1)) < shift;
    }
    EXPECT_EQ(DirectSolver(on(device, dense_matrix(rows)), Kind::symmetric).negative_pivots(), below)
        << "shift " << shift;
  }
}

TEST_F(Direct, AGeneralFactorHasNoInertia) {
  const DirectSolver solver(on(device, diagonal_matrix({1, -2})), Kind::general);
  EXPECT_THROW(solver.negative_pivots(), Error);
}

TEST_F(Direct, SeveralRightHandSidesAreEachSolvedAndJudged) {
  for (const std::string& name : back_ends())
    for (const Kind kind : {Kind::positive_definite, Kind::general}) {
      const Device d = Device::named(name);
      const SparseMatrix A = on(d, grid_matrix(5, 3));
      constexpr int columns = 11;  // more than one group of lanes
      const auto n = static_cast<std::size_t>(A.rows());
      DirectSolver solver(A, kind);
      MultiVector B(d, A.rows(), columns), X(d, A.rows(), columns);
      std::vector<std::vector<double>> b;
      for (int j = 0; j < columns; ++j) {
        b.push_back(j == 3 ? std::vector<double>(n, 0.0) : random_numbers(n, unsigned(j)));
        if (j == 7) b.back()[2] = std::nan("");
        B.set_column(j, Vector(d, b.back(), "test"));
      }
      const std::vector<SolveReport> reports = solver.solve(B, X);
      ASSERT_EQ(reports.size(), std::size_t{columns});
      for (int j = 0; j < columns; ++j) {
        Vector x(d, A.rows(), "test");
        X.get_column(j, x);
        if (j == 7) {
          EXPECT_EQ(reports[7].reason, StopReason::not_finite);
          EXPECT_EQ(reports[7].entry, 2);
          continue;
        }
        EXPECT_TRUE(reports[std::size_t(j)].converged());
        if (j == 3) EXPECT_EQ(x.host(), b[3]);
        else EXPECT_LE(relative_residual(A, x.host(), b[std::size_t(j)]), 1e-13);
      }
    }
}

TEST_F(Direct, NewValuesAreFactorisedWithTheOldAnalysis) {
  for (const Kind kind : {Kind::positive_definite, Kind::symmetric, Kind::general}) {
    SparseMatrix A = on(device, grid_matrix(6, 2));
    DirectSolver solver(A, kind);
    std::vector<double> values = A.values().host();
    for (double& value : values) value *= 3;
    A.values().upload(values);
    solver.refactorise();
    const std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 4);
    Vector x(device, A.rows(), "test");
    const SolveReport report = solver.solve(Vector(device, b, "test"), x);
    EXPECT_LE(report.iterations, 1);  // no refinement had to make good for an old factor
    EXPECT_LE(relative_residual(A, x.host(), b), 1e-13);
    values[0] = std::nan("");
    A.values().upload(values);
    EXPECT_THROW(solver.refactorise(), Error);
  }
}

// Points of grid_matrix, [node][3].
std::vector<double> grid_points(int n) {
  std::vector<double> points;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) points.insert(points.end(), {double(x), double(y), double(z)});
  return points;
}

TEST_F(Direct, EveryOrderingSolves) {
  const SparseMatrix A = on(device, grid_matrix(6, 3));
  const Vector points(device, grid_points(6), "test");
  const std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 4);
  for (const DirectOrdering ordering : {DirectOrdering::automatic, DirectOrdering::coordinates, DirectOrdering::library,
                                        DirectOrdering::minimum_degree, DirectOrdering::scotch, DirectOrdering::pord})
    for (const Kind kind : {Kind::positive_definite, Kind::symmetric, Kind::general}) {
      DirectSolver solver(A, kind, {.ordering = ordering, .coordinates = &points, .dimension = 3});
      Vector x(device, A.rows(), "test");
      EXPECT_TRUE(solver.solve(Vector(device, b, "test"), x).converged());
      EXPECT_LE(relative_residual(A, x.host(), b), 1e-13);
    }
}

// Dissection by planes needs O(n^4/3) factor entries; an order that sees no structure needs several times as many.
TEST_F(Direct, PositionsOfTheNodesMakeASmallFactor) {
  const SparseMatrix A = on(device, grid_matrix(18, 1));
  const Vector points(device, grid_points(18), "test");
  const Index by_position =
      DirectSolver(A, Kind::positive_definite, {.coordinates = &points, .dimension = 3}).factor_entries();
  const Index by_degree =
      DirectSolver(A, Kind::positive_definite, {.ordering = DirectOrdering::minimum_degree}).factor_entries();
  EXPECT_GT(by_position, 0);
  EXPECT_LT(by_position, by_degree);
}

TEST_F(Direct, CoordinatesOfAnotherMeshAreRefused) {
  const SparseMatrix A = on(device, grid_matrix(4, 1));
  const Vector points(device, grid_points(5), "test");
  EXPECT_THROW(DirectSolver(A, Kind::general, {.coordinates = &points, .dimension = 3}), Error);
}

// Hilbert-like scaling makes x wrong by far more than its residual says; the estimate tells.
TEST_F(Direct, TheErrorEstimateSeesWhatTheResidualHides) {
  constexpr int n = 10;
  std::vector<std::vector<double>> hilbert(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) hilbert[i][j] = 1.0 / double(i + j + 1);
  const SparseMatrix A = on(device, dense_matrix(hilbert));
  std::vector<double> b(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += hilbert[i][j];  // x = 1
  DirectSolver solver(A, Kind::symmetric);
  solver.estimate_error = true;
  Vector x(device, n, "test");
  const SolveReport report = solver.solve(Vector(device, b, "test"), x);
  double error = 0;
  for (const double value : x.host()) error = std::max(error, std::abs(value - 1));
  EXPECT_GT(error, 1e-7);  // condition 1.6e13
  EXPECT_LT(report.true_relative_residual, 1e-14);
  EXPECT_GT(report.error_estimate, 1e-9);
  EXPECT_LT(report.error_estimate, 1e-1);
}

// A simply supported beam in differences: A = T T, T = tridiagonal (-1, 2, -1).
Blocks beam_matrix(int n) {
  Blocks A;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); ++j) {
      const int d = std::abs(i - j);
      A.columns.push_back(j);
      A.values.push_back(d == 2 ? 1 : d == 1 ? -4 : i == 0 || i == n - 1 ? 5 : 6);
    }
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  return A;
}

// x = T^-1 T^-1 b with T^-1 in closed form: min(i, j) (n + 1 - max(i, j)) / (n + 1), counted from 1.
std::vector<long double> beam_deflection(std::vector<long double> b) {
  const auto n = b.size();
  for (int twice = 0; twice < 2; ++twice) {
    std::vector<long double> x(n, 0);
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= n; ++j)
        x[i - 1] += (long double)(std::min(i, j) * (n + 1 - std::max(i, j))) / (long double)(n + 1) * b[j - 1];
    b = std::move(x);
  }
  return b;
}

// ||A|| ||x|| / ||b|| is 1e9 here: no vector in double precision has a residual of 1e-8, yet the solution is good to
// more.
TEST_F(Direct, ResidualsOfRoundingAreAcceptedWhereTheSolutionIsGood) {
  constexpr int n = 300;
  const SparseMatrix A = on(device, beam_matrix(n));
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i) b[std::size_t(i)] = 1 + 0.5 * std::sin(i);
  const std::vector<long double> exact = beam_deflection(std::vector<long double>(b.begin(), b.end()));
  const std::vector<double> rounded(exact.begin(), exact.end());
  const double relative = 0.5 * relative_residual(A, rounded, b);  // below what the exact solution, rounded, has
  DirectSolver solver(A, Kind::positive_definite);
  solver.relative = relative;
  MultiVector B(device, n, 2), X(device, n, 2);
  for (const int j : {0, 1}) B.set_column(j, Vector(device, b, "test"));
  Vector x(device, n, "test");
  std::vector<SolveReport> reports = solver.solve(B, X);
  reports.push_back(solver.solve(Vector(device, b, "test"), x));
  for (const SolveReport& report : reports) {
    EXPECT_TRUE(report.converged());
    EXPECT_GT(report.true_relative_residual, relative);
    EXPECT_NE(report.where.find("rounding"), std::string::npos) << report.where;
  }
  for (int j = 0; j < 3; ++j) {
    if (j < 2) X.get_column(j, x);
    const std::vector<double> found = x.host();
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(found[i], double(exact[i]), relative * double(exact[n / 2]));
  }
  solver.relative = 1e-14;  // which no solution reaches
  SolveReport beyond = solver.solve(Vector(device, b, "test"), x);
  EXPECT_EQ(beyond.reason, StopReason::stagnated);
  EXPECT_TRUE(beyond.where.ends_with("above the tolerance")) << beyond.where;
  solver.rounding_error = 1e-5;  // as near as they come counts, and it says how near that is
  beyond = solver.solve(Vector(device, b, "test"), x);
  EXPECT_TRUE(beyond.converged());
  EXPECT_GT(beyond.error_estimate, 1e-14);
  EXPECT_LT(beyond.error_estimate, 1e-5);
  EXPECT_NE(beyond.where.find("above the tolerance, which no solution in double precision meets"), std::string::npos)
      << beyond.where;
}

// A chain on a spring of 1e-12 of its stiffness: the rigid motion that the spring allows is large, its error hardly
// shows in residuals.
TEST_F(Direct, ErrorsOfRoundingAreRefusedWhereTheyAreLargerThanThoseOfAMesh) {
  constexpr int n = 200;
  Blocks chain;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      chain.columns.push_back(j);
      chain.values.push_back(i != j ? -1 : i == 0 ? 1 + 1e-12 : i == n - 1 ? 1 : 2);
    }
    chain.offsets.push_back(static_cast<Index>(chain.columns.size()));
  }
  const SparseMatrix A = on(device, chain);
  DirectSolver solver(A, Kind::positive_definite);
  solver.relative = 1e-8;
  solver.rounding_error = 1e-5;
  Vector x(device, n, "test");
  const SolveReport report = solver.solve(Vector(device, random_numbers(n, 3), "test"), x);
  EXPECT_EQ(report.reason, StopReason::stagnated);
  EXPECT_LT(report.true_relative_residual, 1e-3);
  EXPECT_GT(report.error_estimate, 1e-5);
  EXPECT_TRUE(report.where.ends_with("above the tolerance")) << report.where;
}

// ||A|| ||x|| / ||b|| is 1e14: forces that come from such displacements are rounding, and those of a singular matrix
// look like them.
TEST_F(Direct, ResidualsOfRoundingAreRefusedWhereTheyAreAsLargeAsTheLoad) {
  constexpr int n = 6000;
  const SparseMatrix A = on(device, beam_matrix(n));
  DirectSolver solver(A, Kind::symmetric);
  solver.relative = 0.5;
  Vector x(device, n, "test");
  const std::vector<double> b(n, 1.0);
  SolveReport report = solver.solve(Vector(device, b, "test"), x);
  ASSERT_GT(report.true_relative_residual, 1e-3);
  EXPECT_TRUE(report.converged()) << "a residual that was asked for is one";
  solver.relative = 1e-3;
  solver.estimate_error = true;
  report = solver.solve(Vector(device, b, "test"), x);
  EXPECT_LT(report.error_estimate, 1e-3);
  EXPECT_EQ(report.reason, StopReason::stagnated);
  EXPECT_NE(report.where.find("singular"), std::string::npos) << report.where;
}

}  // namespace
}  // namespace ritz::testing
