// Every method by name, with every preconditioner: what it solves, what it refuses and how, and what `automatic` does
// when a factorisation does not fit.
#include "solvers/linear/linear_solver.hpp"

#include "solvers/algebra/vectors.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz::testing::methods_test {
namespace {

using Method = LinearMethod;
using Kind = PreconditionerKind;

constexpr Kind all_kinds[] = {Kind::automatic, Kind::none, Kind::jacobi, Kind::chebyshev, Kind::multigrid};
constexpr Method iterative[] = {Method::conjugate_gradient, Method::flexible_conjugate_gradient, Method::minres,
                                Method::gmres, Method::bicgstab};

Blocks with_diagonal_shift(Blocks A, double shift) {
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[std::size_t(k)] == Index(row)) A.values[std::size_t(k)] += shift;
  return A;
}

// Upwind differences along the first axis of the grid.
Blocks convection(int n, double speed) {
  Blocks A = with_diagonal_shift(poisson_matrix(n), speed);
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[std::size_t(k)] == Index(row) - 1) A.values[std::size_t(k)] -= speed;
  return A;
}

struct Solved {
  SolveReport report;
  double residual;  // computed on the host
};

Solved solve(const Blocks& blocks, const LinearSolverOptions& options) {
  const Device device = Device::named("cpu");
  const SparseMatrix A = on(device, blocks);
  const std::vector<double> b = random_numbers(static_cast<std::size_t>(A.rows()), 5);
  Vector x(device, A.rows(), "test");
  x.fill_zero();
  SolveReport report = solve_linear(A, Vector(device, b, "test"), x, options);
  const double residual = relative_residual(A, x.host(), b);
  return {std::move(report), residual};
}

std::string label(Method method, Kind kind) { return name_of(method) + " with " + name_of(kind); }

TEST(Methods, EachSolvesADefiniteSystemWithEachPreconditioner) {
  for (const Method method : iterative)
    for (const Kind kind : all_kinds)
      for (const MatrixPromise promise :
           {MatrixPromise::none, MatrixPromise::symmetric, MatrixPromise::positive_definite}) {
        SCOPED_TRACE(label(method, kind));
        const Solved s = solve(poisson_matrix(14), {.method = method, .preconditioner = kind, .promise = promise});
        EXPECT_TRUE(s.report.converged()) << summary(s.report);
        EXPECT_LE(s.residual, 1.01e-8);
      }
}

TEST(Methods, MinresAndGmresSolveAnIndefiniteSystemWithEachPreconditioner) {
  const Blocks A = with_diagonal_shift(poisson_matrix(10), -0.9);  // a few eigenvalues below zero, the diagonal above
  const Blocks negative_diagonal = with_diagonal_shift(poisson_matrix(6), -7.3);
  for (const Blocks& blocks : {A, negative_diagonal})
    for (const Method method : {Method::minres, Method::gmres})
      for (const Kind kind : all_kinds) {
        SCOPED_TRACE(label(method, kind));
        const Solved s = solve(blocks, {.method = method, .preconditioner = kind, .restart = 200});
        EXPECT_TRUE(s.report.converged()) << summary(s.report);
        EXPECT_LE(s.residual, 1.01e-8);
      }
}

TEST(Methods, GmresAndBicgstabSolveAnUnsymmetricSystemWithEachPreconditioner) {
  for (const double speed : {1.0, 50.0})
    for (const Method method : {Method::gmres, Method::bicgstab})
      for (const Kind kind : all_kinds) {
        SCOPED_TRACE(label(method, kind));
        const Solved s = solve(convection(12, speed), {.method = method, .preconditioner = kind});
        EXPECT_TRUE(s.report.converged()) << summary(s.report);
        EXPECT_LE(s.residual, 1.01e-8);
      }
}

TEST(Methods, MultigridOfTheSymmetricPartBeatsJacobiOnConvection) {
  const Blocks A = convection(24, 1.0);
  const int jacobi = solve(A, {.method = Method::gmres, .preconditioner = Kind::jacobi}).report.iterations;
  const Solved multigrid = solve(A, {.method = Method::gmres, .preconditioner = Kind::multigrid});
  EXPECT_LT(2 * multigrid.report.iterations, jacobi);
  EXPECT_NE(multigrid.report.preconditioner.find("symmetric part"), std::string::npos)
      << multigrid.report.preconditioner;
}

TEST(Methods, WhatNeedsSymmetryRefusesAnUnsymmetricMatrixWithTheRemedy) {
  for (const Method method : {Method::conjugate_gradient, Method::flexible_conjugate_gradient, Method::minres}) try {
      solve(convection(5, 1.0), {.method = method});
      FAIL() << name_of(method);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::input);
      EXPECT_NE(error.message().find("'" + name_of(method) + "' was asked for, but the matrix is not symmetric"),
                std::string::npos);
      EXPECT_NE(error.fix().find("'gmres'"), std::string::npos);
    }
}

TEST(Methods, AFactorisationTakesNoPreconditioner) {
  for (const Kind kind : {Kind::none, Kind::jacobi, Kind::chebyshev, Kind::multigrid}) try {
      solve(poisson_matrix(4), {.method = Method::direct, .preconditioner = kind});
      FAIL() << name_of(kind);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::input);
      EXPECT_NE(error.message().find(name_of(kind)), std::string::npos);
    }
}

TEST(Methods, NamesGoBothWaysAndUnknownOnesNameTheNearest) {
  for (const std::string& name : linear_method_names()) EXPECT_EQ(name_of(linear_method_named(name)), name);
  for (const std::string& name : preconditioner_names()) EXPECT_EQ(name_of(preconditioner_named(name)), name);
  EXPECT_EQ(linear_method_named("direct"), Method::direct);
  EXPECT_EQ(preconditioner_named("multigrid"), Kind::multigrid);
  try {
    linear_method_named("gmers");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::input);
    EXPECT_NE(error.why().find("'flexible_cg', 'minres', 'gmres'"), std::string::npos) << error.why();
    EXPECT_NE(error.fix().find("'gmres'"), std::string::npos) << error.fix();
  }
  EXPECT_THROW(preconditioner_named("ilu"), Error);
}

// 100 kB hold no factor of these; everything is then left to iterations, and the report says so.
constexpr Index little_memory = 100000;

bool says_not_factorised(const SolveReport& report) {
  for (const std::string& fallback : report.fallbacks)
    if (fallback.find("not factorised: the direct solver needs") != std::string::npos) return true;
  return false;
}

TEST(LittleMemory, AnIndefiniteSystemIsIteratedInstead) {
  for (const double shift : {-0.9, -7.3}) {
    const Solved s = solve(with_diagonal_shift(poisson_matrix(10), shift), {.direct_memory = little_memory});
    EXPECT_TRUE(s.report.converged()) << summary(s.report);
    EXPECT_LE(s.residual, 1.01e-8);
    EXPECT_NE(s.report.method.find("MINRES"), std::string::npos) << s.report.method;
    EXPECT_TRUE(says_not_factorised(s.report));
  }
}

TEST(LittleMemory, AnUnsymmetricSystemIsIteratedInstead) {
  for (const double speed : {1.0, 50.0}) {
    const Solved s = solve(convection(12, speed), {.direct_memory = little_memory});
    EXPECT_TRUE(s.report.converged()) << summary(s.report);
    EXPECT_LE(s.residual, 1.01e-8);
    EXPECT_EQ(s.report.memory_used, 0);
  }
}

TEST(LittleMemory, ADefiniteSystemIsIteratedInstead) {
  const Solved s = solve(poisson_matrix(10), {.direct_memory = little_memory});
  EXPECT_TRUE(s.report.converged());
  EXPECT_LE(s.residual, 1.01e-8);
  EXPECT_EQ(s.report.method, "conjugate gradients");
}

TEST(LittleMemory, IsAnErrorForADirectSolverThatWasNamed) {
  try {
    solve(poisson_matrix(10), {.method = Method::direct, .direct_memory = little_memory});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::resources);
    EXPECT_NE(error.message().find("more than the 0.0001 GB"), std::string::npos) << error.message();
  }
}

TEST(Operations, BeyondTheLimitAreAnErrorBeforeTheFactorisation) {
  try {
    solve(poisson_matrix(10), {.method = Method::direct, .direct_operations = 1e3});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::resources);
    EXPECT_NE(error.message().find("Gflop"), std::string::npos);
  }
}

TEST(SymmetricPart, IsHalfOfTheSumWithTheTransposeAndDominantOnDemand) {
  for (const std::string& name : back_ends()) {
    const Device device = Device::named(name);
    const SparseMatrix A = on(device, dense_matrix({{1, 4, 0}, {2, -3, 5}, {-6, 1, 9}}));
    const HostMatrix part = host_matrix(A.symmetric_part(false)), dominant = host_matrix(A.symmetric_part(true));
    EXPECT_EQ(part.values, (std::vector<double>{1, 3, -3, 3, -3, 3, -3, 3, 9})) << name;
    EXPECT_EQ(dominant.values, (std::vector<double>{6.09375, 3, -3, 3, 6.09375, 3, -3, 3, 9})) << name;
  }
}

TEST(SymmetricPart, OfAPatternWithoutMirrorImagesIsSymmetricToo) {
  Blocks triangle;
  triangle.offsets = {0, 2, 3};
  triangle.columns = {0, 1, 1};
  triangle.values = {2, 7, 3};
  const SparseMatrix A = on(Device::named("cpu"), triangle);
  EXPECT_EQ(host_matrix(A.symmetric_part(false)).values, (std::vector<double>{2, 0, 3}));
}

TEST(Fallbacks, ConjugateGradientsThatFindTheMatrixIndefiniteGiveWay) {
  const Solved s = solve(with_diagonal_shift(poisson_matrix(32), -0.5), {});  // too large to be factorised at once
  EXPECT_TRUE(s.report.converged()) << summary(s.report);
  EXPECT_LE(s.residual, 1.01e-8);
  ASSERT_FALSE(s.report.fallbacks.empty());
  EXPECT_NE(s.report.fallbacks[0].find("indefinite"), std::string::npos) << s.report.fallbacks[0];
}

TEST(Fallbacks, ConjugateGradientsThatFindTheMatrixIndefiniteEndWhereThatIsAsked) {
  const Solved s = solve(with_diagonal_shift(poisson_matrix(32), -0.5), {.ends_when_indefinite = true});
  EXPECT_EQ(s.report.reason, StopReason::indefinite_matrix) << summary(s.report);
  EXPECT_TRUE(s.report.fallbacks.empty());
  const Solved definite = solve(poisson_matrix(14), {.ends_when_indefinite = true});
  EXPECT_TRUE(definite.report.converged()) << summary(definite.report);
}

}  // namespace
}  // namespace ritz::testing::methods_test
