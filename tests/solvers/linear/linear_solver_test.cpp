// Whatever matrix is handed in: a true solution, or a reason with a name; never a `converged` that is not true.
#include "solvers/linear/linear_solver.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace ritz::testing {
namespace {

struct Hard {
  std::string name;
  Blocks A;
  std::vector<double> b;
  bool solvable = false;  // every automatic choice must solve it
};

std::vector<double> ones(std::size_t n) { return std::vector<double>(n, 1.0); }

Blocks scaled(Blocks A, double factor) {
  for (double& value : A.values) value *= factor;
  return A;
}

Blocks shifted(Blocks A, double shift) {
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[std::size_t(k)] == Index(row)) A.values[std::size_t(k)] -= shift;
  return A;
}

// D A D with D_i from 1 to `most`
Blocks badly_scaled(Blocks A, double most) {
  const auto n = double(A.offsets.size() - 2);
  const auto d = [&](double i) { return std::pow(most, i / n); };
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      A.values[std::size_t(k)] *= d(double(row)) * d(A.columns[std::size_t(k)]);
  return A;
}

// Two copies that know nothing of each other.
Blocks twice(const Blocks& A) {
  Blocks both = A;
  const auto n = static_cast<std::int32_t>(A.offsets.size() - 1);
  for (const std::int32_t column : A.columns) both.columns.push_back(column + n);
  both.values.insert(both.values.end(), A.values.begin(), A.values.end());
  for (std::size_t i = 1; i < A.offsets.size(); ++i) both.offsets.push_back(A.offsets.back() + A.offsets[i]);
  return both;
}

// The Laplacian without any support: constants are its null space.
Blocks free_laplacian(int n) {
  Blocks A = poisson_matrix(n);
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[std::size_t(k)] == Index(row))
        A.values[std::size_t(k)] = double(A.offsets[row + 1] - A.offsets[row] - 1);
  return A;
}

Blocks upwind(int n, double speed) {
  Blocks A = poisson_matrix(n);
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      if (A.columns[std::size_t(k)] == Index(row)) A.values[std::size_t(k)] += speed;
      if (A.columns[std::size_t(k)] == Index(row) - 1) A.values[std::size_t(k)] -= speed;
    }
  return A;
}

std::vector<Hard> hard_systems() {
  const std::vector<double> b = random_numbers(216, 3);
  Blocks nan_matrix = poisson_matrix(6);
  nan_matrix.values[100] = std::nan("");
  Blocks infinite = poisson_matrix(6);
  infinite.values[7] = HUGE_VAL;
  std::vector<double> nan_load = b;
  nan_load[17] = std::nan("");
  std::vector<double> twice_b = b;
  twice_b.insert(twice_b.end(), b.begin(), b.end());
  const double smallest = 6 - 6 * std::cos(std::numbers::pi / 7);  // eigenvalue of poisson_matrix(6)
  return {
      {"one unknown", diagonal_matrix({3}), {2}, true},
      {"one negative unknown", diagonal_matrix({-3}), {2}, true},
      {"one unknown without stiffness", diagonal_matrix({0}), {2}},
      {"identity", diagonal_matrix(ones(50)), ones(50), true},
      {"diagonal over 12 orders", diagonal_matrix({1e-6, 1e-3, 1, 1e3, 1e6}), ones(5), true},
      {"near-singular", shifted(poisson_matrix(6), smallest * (1 - 1e-10)), b},
      {"singular to rounding", shifted(poisson_matrix(6), smallest), b},
      {"free body, load in balance", free_laplacian(6),
       [] {
         auto f = std::vector<double>(216, 0.0);
         f[0] = 1;
         f[215] = -1;
         return f;
       }()},
      {"free body, load out of balance", free_laplacian(6), ones(216)},
      {"indefinite", shifted(poisson_matrix(6), 3.0), b, true},
      {"negative definite", scaled(poisson_matrix(6), -1), b, true},
      {"indefinite with a positive diagonal", dense_matrix({{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}), {1, 2, 3}, true},
      {"zero diagonal", dense_matrix({{0, 1, 2}, {1, 0, 3}, {2, 3, 0}}), {1, 2, 3}, true},
      {"saddle point", dense_matrix({{2, 0, 1}, {0, 2, 1}, {1, 1, 0}}), {1, 2, 3}, true},
      {"unsymmetric", upwind(6, 20), b, true},
      {"skew", dense_matrix({{0, 1}, {-1, 0}}), {1, 2}, true},
      {"slightly unsymmetric", dense_matrix({{2, 1}, {1.001, 2}}), {1, 2}, true},
      {"disconnected blocks", twice(poisson_matrix(6)), twice_b, true},
      {"scaled by 1e12", badly_scaled(poisson_matrix(6), 1e6), b, true},
      {"huge", scaled(poisson_matrix(6), 1e150), b, true},
      {"small", scaled(poisson_matrix(6), 1e-150), b, true},
      {"NaN in the matrix", nan_matrix, b},
      {"infinity in the matrix", infinite, b},
      {"NaN in the right-hand side", poisson_matrix(6), nan_load},
      {"no load", poisson_matrix(6), std::vector<double>(216, 0.0), true},
      {"no load on a singular matrix", free_laplacian(6), std::vector<double>(216, 0.0), true},
      {"elastic blocks", grid_matrix(5, 3), random_numbers(375, 1), true},
  };
}

double norm(const std::vector<double>& v) {
  double largest = 0;
  for (const double value : v) largest = std::max(largest, std::abs(value));
  return largest;
}

// To the tolerance; or, where no solution in double precision meets it, as near as they come, which the report says and
// knows the size of.
void expect_solution(const SparseMatrix& A, const std::vector<double>& x, const std::vector<double>& b,
                     double tolerance, const SolveReport& report) {
  if (norm(b) == 0) {
    EXPECT_EQ(norm(x), 0);
  } else if (report.where.find("no solution in double precision") == std::string::npos) {
    EXPECT_LE(relative_residual(A, x, b), 1.01 * tolerance);
  } else {
    EXPECT_GT(relative_residual(A, x, b), tolerance);
    EXPECT_LE(report.error_estimate, 1e-5);
    EXPECT_LE(relative_error(A, x, b), 10 * report.error_estimate);
  }
}

// Returns whether it was solved. A reason is a StopReason, or an Error that says what is wrong with the model.
bool solved_honestly(const Hard& hard, const LinearSolverOptions& options) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, hard.A);
  const Vector b(device, hard.b, "test");
  Vector x(device, A.rows(), "test");
  x.fill_zero();
  SolveReport report;
  try {
    report = solve_linear(A, b, x, options);
  } catch (const Error& error) {
    const bool unsuitable = error.exit() == Exit::input && error.message().find("not symmetric") != std::string::npos;
    EXPECT_TRUE(error.exit() == Exit::model || (unsuitable && options.method != LinearMethod::automatic))
        << error.what();
    EXPECT_FALSE(error.message().empty());
    return false;
  }
  if (!report.converged()) {
    EXPECT_NE(std::string(advice_for(report.reason)), "");
    return false;
  }
  const std::vector<double> solution = x.host();
  EXPECT_EQ(first_not_finite(x), -1);
  expect_solution(A, solution, hard.b, options.relative, report);
  return true;
}

TEST(HardSystems, AreSolvedOrRefusedWithAReasonByTheAutomaticChoice) {
  for (const Hard& hard : hard_systems()) {
    SCOPED_TRACE(hard.name);
    const bool solved = solved_honestly(hard, {.rounding_error = 1e-5});
    EXPECT_TRUE(solved || !hard.solvable);
  }
}

TEST(HardSystems, AreSolvedOrRefusedWithAReasonByEveryNamedMethod) {
  for (const Hard& hard : hard_systems())
    for (const MatrixPromise promise :
         {MatrixPromise::none, MatrixPromise::symmetric, MatrixPromise::positive_definite}) {
      SCOPED_TRACE(hard.name + ", promise " + std::to_string(int(promise)));
      solved_honestly(hard, {.method = LinearMethod::direct, .promise = promise});
      for (const PreconditionerKind kind :
           {PreconditionerKind::automatic, PreconditionerKind::none, PreconditionerKind::jacobi,
            PreconditionerKind::chebyshev, PreconditionerKind::multigrid})
        for (const LinearMethod method : {LinearMethod::conjugate_gradient, LinearMethod::flexible_conjugate_gradient,
                                          LinearMethod::minres, LinearMethod::gmres, LinearMethod::bicgstab})
          solved_honestly(hard, {.method = method, .preconditioner = kind, .max_iterations = 1000, .promise = promise});
    }
}

// Four right-hand sides at once: b, 2 b, zero, and one of its own.
TEST(HardSystems, AreSolvedOrRefusedWithSeveralRightHandSidesToo) {
  const Device device = Device::named("cpu");
  for (const Hard& hard : hard_systems())
    for (const LinearMethod method :
         {LinearMethod::automatic, LinearMethod::conjugate_gradient, LinearMethod::direct}) {
      SCOPED_TRACE(hard.name + ", method " + std::to_string(int(method)));
      const SparseMatrix A = on(device, hard.A);
      std::vector<std::vector<double>> b(4, hard.b);
      for (double& value : b[1]) value *= 2;
      b[2].assign(hard.b.size(), 0.0);
      if (norm(hard.b) > 0) b[3] = random_numbers(hard.b.size(), 8);  // what is solvable for zero alone stays so
      MultiVector B(device, A.rows(), 4), X(device, A.rows(), 4);
      for (int j = 0; j < 4; ++j) B.set_column(j, Vector(device, b[std::size_t(j)], "test"));
      const LinearSolverOptions options{.method = method, .rounding_error = 1e-5, .max_iterations = 2000};
      std::vector<SolveReport> reports;
      try {
        reports = solve_linear(A, B, X, options);
      } catch (const Error& error) {
        const bool unsuitable =
            error.exit() == Exit::input && error.message().find("not symmetric") != std::string::npos;
        EXPECT_TRUE(error.exit() == Exit::model || (unsuitable && method == LinearMethod::conjugate_gradient))
            << error.what();
        EXPECT_FALSE(hard.solvable && method == LinearMethod::automatic);
        continue;
      }
      ASSERT_EQ(reports.size(), 4u);
      Vector x(device, A.rows(), "test");
      for (int j = 0; j < 4; ++j) {
        EXPECT_TRUE(reports[std::size_t(j)].converged() || !hard.solvable || method != LinearMethod::automatic) << j;
        if (!reports[std::size_t(j)].converged()) continue;
        X.get_column(j, x);
        ASSERT_EQ(first_not_finite(x), -1);
        SCOPED_TRACE(j);
        expect_solution(A, x.host(), b[std::size_t(j)], options.relative, reports[std::size_t(j)]);
      }
    }
}

SolveReport solve(const Blocks& blocks, const std::vector<double>& b, Vector& x,
                  const LinearSolverOptions& options = {}) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, blocks);
  if (x.empty()) {
    x = Vector(device, A.rows(), "test");
    x.fill_zero();
  }
  return solve_linear(A, Vector(device, b, "test"), x, options);
}

TEST(LinearSolver, NamesTheFirstRowThatIsNotFinite) {
  Blocks A = grid_matrix(4, 3);
  A.values[9 * 30 + 4] = std::nan("");  // block 30: row 1, column 1 of it
  const auto block_row = std::upper_bound(A.offsets.begin(), A.offsets.end(), 30) - A.offsets.begin() - 1;
  Vector x;
  for (const MatrixPromise promise : {MatrixPromise::none, MatrixPromise::positive_definite}) {
    const SolveReport report = solve(A, ones(192), x, {.promise = promise});
    EXPECT_EQ(report.reason, StopReason::not_finite);
    EXPECT_EQ(report.entry, 3 * block_row + 1);
    EXPECT_NE(report.where.find("row " + std::to_string(report.entry)), std::string::npos) << report.where;
  }
}

TEST(LinearSolver, CountsATrialBeforeTheFactorisationApart) {
  const Device device = Device::named("cpu");
  Blocks chain;  // whose ends are as many products apart as it is long
  for (int i = 0; i < 2000; ++i) {
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, 1999); ++j) {
      chain.columns.push_back(j);
      chain.values.push_back(j == i ? 2 : -1);
    }
    chain.offsets.push_back(Index(chain.columns.size()));
  }
  const SparseMatrix A = on(device, chain);
  const Vector b(device, random_numbers(std::size_t(A.rows()), 5), "test");
  Vector x(device, A.rows(), "test");
  x.fill_zero();
  const SolveReport report = solve_linear(A, b, x, {.promise = MatrixPromise::positive_definite});
  EXPECT_TRUE(report.converged());
  EXPECT_NE(report.method.find("MUMPS"), std::string::npos) << report.method;
  EXPECT_LE(report.iterations, 3) << "corrections";
  EXPECT_NE(report.choice.find("iterations of conjugate gradients before were not enough"), std::string::npos)
      << report.choice;
}

TEST(LinearSolver, StartsFromAnExactGuessWithoutAnIteration) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(6));
  const Vector exact(device, random_numbers(216, 9), "test");
  Vector b(device, 216, "test"), x(device, 216, "test");
  A.apply(exact, b);
  copy(exact, x);
  const SolveReport report = solve_linear(A, b, x, {.method = LinearMethod::conjugate_gradient});
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x.host(), exact.host());
}

TEST(LinearSolver, SolvesEveryColumnAsItWouldAlone) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, grid_matrix(10, 3));
  for (const LinearMethod method : {LinearMethod::conjugate_gradient, LinearMethod::direct})
    for (const PreconditionerKind kind :
         {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::multigrid})
      for (const int columns : {1, 2, 5, 11}) {
        if (method == LinearMethod::direct && kind != PreconditionerKind::none) continue;
        SCOPED_TRACE(std::to_string(columns) + " columns, method " + std::to_string(int(method)) + ", preconditioner " +
                     std::to_string(int(kind)));
        const PreconditionerKind named = method == LinearMethod::direct ? PreconditionerKind::automatic : kind;
        const LinearSolverOptions options{
            .method = method, .preconditioner = named, .relative = 1e-11, .promise = MatrixPromise::positive_definite};
        MultiVector B(device, A.rows(), columns), X(device, A.rows(), columns);
        for (int j = 0; j < columns; ++j)
          B.set_column(j, Vector(device, random_numbers(std::size_t(A.rows()), j), "test"));
        const std::vector<SolveReport> reports = solve_linear(A, B, X, options);
        ASSERT_EQ(int(reports.size()), columns);
        Vector b(device, A.rows(), "test"), x(device, A.rows(), "test"), together(device, A.rows(), "test");
        for (int j = 0; j < columns; ++j) {
          B.get_column(j, b);
          X.get_column(j, together);
          x.fill_zero();
          const SolveReport alone = solve_linear(A, b, x, options);
          const SolveReport& report = reports[std::size_t(j)];
          EXPECT_TRUE(report.converged());
          EXPECT_EQ(report.choice, alone.choice);
          EXPECT_EQ(report.error_norm, "energy");
          EXPECT_GT(report.error_estimate, 0);
          if (method == LinearMethod::conjugate_gradient)
            EXPECT_NEAR(report.error_estimate, alone.error_estimate, 0.5 * alone.error_estimate);
          else EXPECT_LT(report.error_estimate, 1e-14);
          axpy(-1.0, x, together);
          EXPECT_LE(norm2(together), 1e-9 * norm2(x));
        }
      }
}

TEST(LinearSolver, ColumnsOfAnotherLengthOrNumberAreRefused) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(3));
  MultiVector two(device, 27, 2), three(device, 27, 3), shorter(device, 26, 2);
  EXPECT_THROW(solve_linear(A, two, three, {}), Error);
  EXPECT_THROW(solve_linear(A, shorter, shorter, {}), Error);
}

TEST(LinearSolver, CountsNegativeEigenvaluesOfWhatItFactorises) {
  Vector x;
  const SolveReport report = solve(diagonal_matrix({1, -2, 3, -4, 5}), ones(5), x);
  EXPECT_TRUE(report.converged());
  EXPECT_NE(report.where.find("2 negative eigenvalues"), std::string::npos) << report.where;
}

TEST(LinearSolver, AnIndefiniteMatrixThatWasPromisedDefiniteIsAModelError) {
  Vector x;
  try {
    solve(diagonal_matrix({1, -2, 3}), ones(3), x,
          {.method = LinearMethod::direct, .promise = MatrixPromise::positive_definite});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_NE(error.message().find("not positive definite"), std::string::npos);
  }
}

TEST(LinearSolver, SaysWhatAFactorNeedsBeforeItIsMade) {
  std::vector<std::string> lines;
  Vector x;
  const SolveReport report =
      solve(poisson_matrix(8), ones(512), x,
            {.method = LinearMethod::direct, .say = [&](const std::string& line) { lines.push_back(line); }});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("MB needed"), std::string::npos) << lines[0];
  EXPECT_GT(report.memory_needed, 0);
  EXPECT_GT(report.memory_used, 0);
}

TEST(MatrixTraits, SeeSymmetryAndTheDiagonal) {
  for (const std::string& name : back_ends()) {
    const Device device = Device::named(name);
    const auto traits = [&](const Blocks& A) { return inspect(on(device, A)); };
    for (const int b : {1, 2, 3, 4, 5, 6}) {
      Blocks A = grid_matrix(4, b);
      EXPECT_TRUE(traits(A).symmetric && traits(A).positive_diagonal && traits(A).finite);
      A.values[static_cast<std::size_t>(b * b)] += 1e-3;
      EXPECT_FALSE(traits(A).symmetric);
      A.values.back() = std::nan("");
      EXPECT_FALSE(traits(A).finite);
    }
    EXPECT_FALSE(traits(dense_matrix({{1, 1}, {1, 0}})).positive_diagonal);
    Blocks triangle;  // the pattern itself is unsymmetric
    triangle.offsets = {0, 2, 3};
    triangle.columns = {0, 1, 1};
    triangle.values = {1, 0, 1};
    EXPECT_TRUE(traits(triangle).symmetric);
    triangle.values[1] = 1;
    EXPECT_FALSE(traits(triangle).symmetric);
    EXPECT_TRUE(traits(badly_scaled(poisson_matrix(5), 1e8)).symmetric);
  }
}

// The estimate against the error itself, which a direct solution tells.
TEST(ErrorEstimate, IsTheEnergyErrorOfConjugateGradientsWithinAFactor) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, poisson_matrix(20));
  const Vector b(device, random_numbers(8000, 2), "test");
  Vector exact(device, 8000, "test"), e(device, 8000, "test"), Ae(device, 8000, "test");
  ASSERT_TRUE(solve_linear(A, b, exact, {.method = LinearMethod::direct, .relative = 1e-12}).converged());
  for (const PreconditionerKind kind : {PreconditionerKind::none, PreconditionerKind::jacobi,
                                        PreconditionerKind::chebyshev, PreconditionerKind::multigrid})
    for (const double relative : {1e-2, 1e-4, 1e-6, 1e-8}) {
      Vector x(device, 8000, "test");
      const SolveReport report = solve_linear(
          A, b, x, {.method = LinearMethod::conjugate_gradient, .preconditioner = kind, .relative = relative});
      ASSERT_TRUE(report.converged());
      copy(x, e);
      axpy(-1.0, exact, e);
      A.apply(e, Ae);
      const double error = std::sqrt(dot(e, Ae) / dot(exact, b));
      if (report.iterations < 3) continue;
      EXPECT_EQ(report.error_norm, "energy");
      EXPECT_GT(report.error_estimate, 0.5 * error) << report.preconditioner << ", " << relative;
      EXPECT_LT(report.error_estimate, 20 * error) << report.preconditioner << ", " << relative;
    }
}

TEST(ErrorEstimate, NeedsThreeSteps) {
  EXPECT_LT(squared_energy_error({}), 0);
  EXPECT_LT(squared_energy_error({{1, 1, 0.5}, {1, 0.5, 0.1}}), 0);
}

}  // namespace
}  // namespace ritz::testing
