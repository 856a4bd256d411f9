#include "solvers/linear/linear_solver.hpp"
#include "tests/solvers/multigrid/models.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

using testing::cantilever;
using testing::System;

TEST(LinearSolver, EveryMethodGivesTheSameSolution) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 4, device);
  Vector reference = s.space->zeros();
  const SolveReport direct =
      solve_linear(*s.K, s.b, reference, {.method = LinearMethod::direct}, {&s.space->coordinates(), 3});
  ASSERT_TRUE(direct.converged());
  EXPECT_EQ(direct.choice, "as asked");
  const double size = norm2(reference);
  for (const PreconditionerKind kind : {PreconditionerKind::none, PreconditionerKind::jacobi,
                                        PreconditionerKind::chebyshev, PreconditionerKind::multigrid}) {
    Vector x = s.space->zeros();
    const SolveReport report = solve_linear(
        *s.K, s.b, x, {.method = LinearMethod::conjugate_gradient, .preconditioner = kind, .relative = 1e-10},
        {&s.space->coordinates(), 3});
    ASSERT_TRUE(report.converged()) << report.preconditioner;
    axpy(-1.0, reference, x);
    EXPECT_LT(norm2(x), 1e-6 * size) << report.preconditioner;  // 1e-10 times a condition number below 1e4
  }
}

TEST(LinearSolver, TakesTheDirectSolverForSmallAndMultigridForLargeSystems) {
  const Device device = Device::named("cpu");
  const System small = cantilever(CellKind::hex8, 3, device), large = cantilever(CellKind::hex8, 8, device);
  const auto report_of = [](const System& s) {
    Vector x = s.space->zeros();
    return solve_linear(*s.K, s.b, x, {}, {&s.space->coordinates(), 3});
  };
  EXPECT_GT(report_of(small).memory_used, 0);
  const SolveReport report = report_of(large);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.method, "conjugate gradients");
  EXPECT_NE(report.preconditioner.find("multigrid"), std::string::npos) << report.preconditioner;
  EXPECT_NE(report.choice.find("unknowns"), std::string::npos);
}

// Below what rounding leaves nothing converges: each precision is tried and named, and what is reached is no success.
TEST(LinearSolver, GoesFromSixteenBitsToDoubleWhenAnIterationStagnates) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 4, device);
  LinearSolverOptions options{
      .method = LinearMethod::conjugate_gradient, .preconditioner = PreconditionerKind::multigrid, .relative = 1e-17};
  options.multigrid.half_storage = true;
  Vector x = s.space->zeros();
  const SolveReport report = solve_linear(*s.K, s.b, x, options, {&s.space->coordinates(), 3});
  EXPECT_EQ(report.reason, StopReason::stagnated);
  ASSERT_EQ(report.fallbacks.size(), 2u);
  EXPECT_TRUE(report.fallbacks[0].starts_with("matrices in 16 bits were not enough for the multigrid cycle (stagnated"))
      << report.fallbacks[0];
  EXPECT_TRUE(report.fallbacks[1].starts_with("single precision was not enough for the multigrid cycle (stagnated"))
      << report.fallbacks[1];
  EXPECT_NE(report.preconditioner.find("double precision"), std::string::npos) << report.preconditioner;
  EXPECT_LT(report.true_relative_residual, 1e-11);
}

TEST(LinearSolver, DoesNotCallAFailureASuccess) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 4, device);
  Vector x = s.space->zeros();
  const SolveReport report = solve_linear(
      *s.K, s.b, x,
      {.method = LinearMethod::conjugate_gradient, .preconditioner = PreconditionerKind::jacobi, .max_iterations = 3});
  EXPECT_FALSE(report.converged());
  EXPECT_EQ(report.reason, StopReason::iteration_limit);
  EXPECT_GT(report.true_relative_residual, 1e-3);
}

}  // namespace
}  // namespace ritz
