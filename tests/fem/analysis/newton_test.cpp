// Newton's method on equations whose solutions are known, and its honest ends.
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/static_solution.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test {
namespace {

// -(k (1 + b u) u')' = 0 between u = 0 and u = v: u + b u^2 / 2 is linear.
struct Wall {
  explicit Wall(double value, double growth = 0.8, double c = 0)
      : model(rectangle(8, 1, {1, 0.2}, CellKind::quad9), test_form(NonlinearDiffusion<2>{1.3, growth, c})),
        fixed(model.space) {
    fixed.prescribe(model.mesh.region("x0"), 0, 0, "x0");
    fixed.prescribe(model.mesh.region("x1"), 0, value, "x1");
    fixed.finish();
  }
  DiscreteProblem model;
  Constraints fixed;
};

TEST(NonlinearSolution, IsTheKnownOne) {
  const Wall wall(3);
  const NonlinearSolution s = solve_nonlinear(wall.model.equations, wall.fixed, {.relative = 1e-11});
  const std::vector<double> u = wall.model.space.to_mesh(s.u);
  double heat = 0;
  for (Index node = 0; node < wall.model.mesh.node_count(); ++node) {
    const double x = wall.model.mesh.point(node)[0];
    // Q2, 8 cells
    EXPECT_NEAR(u[static_cast<std::size_t>(node)], (-1 + std::sqrt(1 + 1.6 * x * (3 + 0.4 * 9))) / 0.8, 2e-4);
    if (x == 1) heat += s.reaction[static_cast<std::size_t>(node)];
  }
  EXPECT_NEAR(heat, 0.2 * 1.3 * (3 + 0.4 * 9), 1e-4);  // k (v + b v^2 / 2) times the height
  EXPECT_LE(s.residual, 1e-11);
}

TEST(NonlinearSolution, StepsSquareTheResidual) {
  const Wall wall(3);
  const NonlinearSolution s = solve_nonlinear(wall.model.equations, wall.fixed, {.relative = 1e-11});
  ASSERT_GE(s.steps.size(), 3u);
  for (std::size_t i = 1; i + 1 < s.steps.size(); ++i)
    EXPECT_LE(s.steps[i].relative, 10 * std::pow(s.steps[i - 1].relative, 2) + 1e-13);
  EXPECT_EQ(s.steps.back().length, 1);
}

TEST(NonlinearSolution, DoesNotDependOnIncrements) {
  const Wall wall(3, 0.8, 0.4);
  const Vector once = solve_nonlinear(wall.model.equations, wall.fixed, {.relative = 1e-12}).u;
  const NonlinearSolution parts =
      solve_nonlinear(wall.model.equations, wall.fixed, {.relative = 1e-12, .increments = 4});
  EXPECT_EQ(parts.steps.back().increment, 4);
  const std::vector<double> a = once.host(), b = parts.u.host();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

// A cantilever 100 times as long as high: the residual that storing its deflection makes is above 1e-8 of the load.
// Plane stress under its weight: u = 3 q L^4 / (2 E h^3).
TEST(NonlinearSolution, EndsWhereOnlyRoundingIsLeft) {
  constexpr double height = 0.01;
  const Mesh strip = rectangle(60, 30, {1, height}, CellKind::quad9);
  const FunctionSpace space(strip, 2, Device::named("cpu"));
  const Operator equations(space, {Integral::over_all_cells(PlaneElasticity::plane_stress(Lame::from(1, 0.3), 1)),
                                   Integral::over_all_cells(Load<2, 2, 0>{{0, -1}})});
  Constraints fixed(space);
  for (int c = 0; c < 2; ++c) fixed.prescribe(strip.region("x0"), c, 0, "x0");
  fixed.finish();
  Nonlinear options{.max_steps = 5,
                    .linear = {.method = LinearMethod::direct, .promise = MatrixPromise::positive_definite}};
  EXPECT_THROW(solve_nonlinear(equations, fixed, options), Error);
  options.rounding_error = 1e-5;
  const NonlinearSolution s = solve_nonlinear(equations, fixed, options);
  const double deflection = 1.5 / (height * height);
  EXPECT_NEAR(max_abs(s.u), deflection, 5e-3 * deflection);
  EXPECT_GT(s.residual, options.relative);
  EXPECT_LT(s.residual, 1e-5);
  EXPECT_LT(s.steps.size(), 5u);
  EXPECT_THAT(s.remark, ::testing::HasSubstr("the residual is that of rounding"));
}

// The next increments depend only on the state that an increment leaves.
TEST(NonlinearSolution, GoesOnBehindAnyIncrementToTheLastBit) {
  const Wall wall(3, 0.8, 0.4);
  std::vector<State> states;
  Nonlinear options{.relative = 1e-10, .increments = 5};
  const NonlinearSolution whole = solve_nonlinear(wall.model.equations, wall.fixed, options,
                                                  {.keep = [&](const State& s) { states.push_back(s); }});
  ASSERT_EQ(states.size(), 4u);
  for (const State& state : states) {
    Nonlinear from_there{.relative = 1e-10, .increments = 5};
    from_there.begin = state;
    const NonlinearSolution rest = solve_nonlinear(wall.model.equations, wall.fixed, from_there);
    EXPECT_EQ(rest.u.host(), whole.u.host()) << "behind increment " << state.increment;
    EXPECT_EQ(rest.reaction, whole.reaction);
    EXPECT_EQ(rest.residual, whole.residual);
    ASSERT_EQ(rest.steps.size(), whole.steps.size());
    for (std::size_t i = 0; i < rest.steps.size(); ++i) EXPECT_EQ(rest.steps[i].residual, whole.steps[i].residual);
  }
}

TEST(NonlinearSolution, OfALinearModelTakesOneStep) {
  const Wall wall(3, 0);
  EXPECT_EQ(solve_nonlinear(wall.model.equations, wall.fixed, {.relative = 1e-8}).steps.size(), 1u);
}

// One step of Newton's method is no solution here: said, not shown.
TEST(StaticSolution, OfEquationsThatAreNotLinearIsAnError) {
  const Wall wall(3);
  try {
    solve_static(wall.model.equations, wall.fixed, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_NE(error.message().find("does not satisfy the equations"), std::string::npos);
  }
  const Wall linear(3, 0);
  EXPECT_LE(solve_static(linear.model.equations, linear.fixed, {}).residual, 1e-7);
}

TEST(NonlinearSolution, OfNothingIsZeroWithoutAStep) {
  const Wall wall(0);
  const NonlinearSolution s = solve_nonlinear(wall.model.equations, wall.fixed, {});
  EXPECT_TRUE(s.steps.empty());
}

std::string message(const Wall& wall, const Nonlinear& options, Exit exit) {
  try {
    solve_nonlinear(wall.model.equations, wall.fixed, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), exit);
    return error.message() + " " + error.why();
  }
  return "no error";
}

TEST(NonlinearSolution, SaysWhyThereIsNone) {
  EXPECT_THAT(message(Wall(3), {.relative = 1e-11, .max_steps = 2, .increments = 1}, Exit::not_converged),
              ::testing::AllOf(::testing::HasSubstr("limit of steps"), ::testing::HasSubstr("after 2 steps"),
                               ::testing::HasSubstr("increment 1 of 1")));
  // k (u + b u^2 / 2) has its least value at u = -1 / b: no solution falls below it, so u = -4 cannot be reached by an
  // elliptic equation: the conductivity changes its sign on the way.
  EXPECT_THAT(message(Wall(-4), {.increments = 1}, Exit::not_converged), ::testing::HasSubstr("did not converge"));
}

}  // namespace
}  // namespace ritz::test
