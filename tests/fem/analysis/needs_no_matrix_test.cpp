// Systems that are solved without a matrix by default, with the same answer.
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/plugins/von_mises.hpp"
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/static_solution.hpp"

#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ritz::test {
namespace {

// A loaded body, held at x0.
struct Block {
  Block(Mesh m, const FormValue& form)
      : mesh(std::move(m)), space(mesh, form.components, Device::named("cpu", 2)), equations(space, parts(form)) {}
  // n^3 bricks of this kind, elastic or warm.
  Block(CellKind kind, Index n, int components)
      : Block(box(n, n, n, {1, 1, 1}, kind), components == 1 ? heat_form(3) : elastic_form(3)) {}

  static std::vector<Integral> parts(const FormValue& form) {
    const std::vector<double> load = form.components == 1 ? std::vector{1.0} : std::vector{0.0, 0.0, -1.0};
    return {Integral::over_all_cells(form), Integral::over_all_cells(volume_load(3, load))};
  }
  Constraints held() const {
    Constraints fixed(space);
    for (int c = 0; c < space.components(); ++c) fixed.prescribe(mesh.region("x0"), c, 0, "test");
    fixed.finish();
    return fixed;
  }

  Mesh mesh;
  FunctionSpace space;
  Operator equations;
};

TEST(NeedsNoMatrix, VectorsOnQuadraticCellsOfASolidOnce) {
  const Block tets(CellKind::tet10, 12, 3), bricks(CellKind::hex20, 14, 3);
  for (const Block* block : {&tets, &bricks}) {
    ASSERT_GE(block->space.unknown_count(), 30000);
    EXPECT_TRUE(needs_no_matrix(block->equations, false));
    EXPECT_FALSE(needs_no_matrix(block->equations, true));
    EXPECT_TRUE(without_matrix(block->equations, {}));
    EXPECT_FALSE(without_matrix(block->equations, {.one_of_many = true}));
    EXPECT_FALSE(without_matrix(block->equations, {.preconditioner = PreconditionerKind::multigrid}))
        << "that of a matrix was named";
    EXPECT_FALSE(without_matrix(block->equations, {.method = LinearMethod::direct}));
    EXPECT_FALSE(without_matrix(block->equations, {.operator_kind = OperatorKind::matrix}));
  }
}

TEST(NeedsNoMatrix, ScalarsAndOrdersOfTheSpaceOnSolids) {
  const Block warm(CellKind::tet10, 17, 1);
  ASSERT_GE(warm.space.unknown_count(), 30000);
  EXPECT_TRUE(needs_no_matrix(warm.equations, false));
  EXPECT_TRUE(may_turn_to_a_matrix(warm.equations, {}));
  for (const CellKind kind : {CellKind::tet4, CellKind::prism6}) {
    const Block linear(kind, 12, 3);
    EXPECT_FALSE(needs_no_matrix(linear.equations, false));
    const FunctionSpace space(linear.mesh, 1, Device::named("cpu", 2), {.order = 3});
    const Operator cubic(space, Block::parts(heat_form(3)));
    ASSERT_GE(space.unknown_count(), 30000);
    EXPECT_TRUE(needs_no_matrix(cubic, false)) << traits(kind).name;
    EXPECT_FALSE(needs_no_matrix(cubic, true)) << traits(kind).name;
    EXPECT_TRUE(may_turn_to_a_matrix(cubic, {})) << traits(kind).name;
  }
}

TEST(NeedsNoMatrix, NotWhatIsSmallOrLinear) {
  EXPECT_FALSE(needs_no_matrix(Block(CellKind::tet10, 6, 3).equations, false));
  EXPECT_FALSE(needs_no_matrix(Block(CellKind::tet4, 24, 3).equations, false));
}

TEST(NeedsNoMatrix, AndTheSolutionIsThatOfTheMatrix) {
  const Block block(CellKind::tet10, 12, 3);
  const Constraints fixed = block.held();
  const LinearSolverOptions options{.relative = 1e-10, .promise = MatrixPromise::positive_definite};
  LinearSolverOptions assembled = options;
  assembled.operator_kind = OperatorKind::matrix;
  const StaticSolution without = solve_static(block.equations, fixed, options),
                       with = solve_static(block.equations, fixed, assembled);
  EXPECT_EQ(without.report.choice, "elements of order 2 need no matrix");
  EXPECT_NE(with.report.choice, without.report.choice);
  EXPECT_LT(without.report.iterations, 40);
  Vector difference(block.space.device(), with.u.size(), "test");
  copy(with.u, difference);
  axpy(-1.0, without.u, difference);
  EXPECT_LT(norm2(difference), 1e-7 * norm2(with.u));
  EXPECT_GT(without.report.error_estimate, 0);
  EXPECT_LT(without.report.error_estimate, 1e-8);
}

// Two loads are solved one after the other; four share a matrix.
TEST(NeedsNoMatrix, NorDoFewLoadCases) {
  const Block block(CellKind::tet10, 12, 3);
  const Constraints fixed = block.held();
  std::vector<std::vector<Integral>> loads;
  for (int i = 0; i < 4; ++i)
    loads.push_back({Integral::over_all_cells(volume_load(3, std::vector{double(i == 0), double(i == 1), double(i)}))});
  const auto solve = [&](std::size_t count, OperatorKind kind) {
    LoadVectors cases;
    for (std::size_t i = 0; i < count; ++i) cases.cases.push_back({"case", loads[i], &fixed});
    return solve_static(block.equations, cases,
                        {.relative = 1e-10, .promise = MatrixPromise::positive_definite, .operator_kind = kind})
        .cases;
  };
  const std::vector<StaticSolution> two = solve(2, OperatorKind::automatic), four = solve(4, OperatorKind::automatic);
  for (const StaticSolution& s : two) EXPECT_EQ(s.report.choice, "elements of order 2 need no matrix");
  for (const StaticSolution& s : four) EXPECT_NE(s.report.choice, "elements of order 2 need no matrix");
  for (std::size_t i = 0; i < two.size(); ++i) {
    Vector difference = block.space.zeros();
    copy(two[i].u, difference);
    axpy(-1.0, four[i].u, difference);
    EXPECT_LT(max_abs(difference), 1e-8 * max_abs(four[i].u));
  }
}

// Hardly compressible: multigrid needs thousands of iterations, a factorisation of this size a second.
TEST(NeedsNoMatrix, TurnsToOneWhereConvergenceIsSlow) {
  if (std::getenv("RITZ_LONG_TESTS") == nullptr) GTEST_SKIP() << "RITZ_LONG_TESTS is not set";
  const Lame rubber = Lame::from(1, 0.49999);
  const Block block(box(11, 11, 11, {1, 1, 1}, CellKind::tet10), Elasticity{rubber.lambda, rubber.mu});
  std::vector<std::string> said;
  LinearSolverOptions options{.promise = MatrixPromise::positive_definite};
  options.say = [&](const std::string& line) { said.push_back(line); };
  ASSERT_TRUE(may_turn_to_a_matrix(block.equations, options));
  const Constraints fixed = block.held();
  const StaticSolution s = solve_static(block.equations, fixed, options);
  EXPECT_TRUE(s.report.converged());
  ASSERT_FALSE(s.report.fallbacks.empty());
  EXPECT_TRUE(s.report.fallbacks.front().starts_with("with a matrix, since without one the linear solver"))
      << s.report.fallbacks.front();
  EXPECT_EQ(said.front(), s.report.fallbacks.front());
  EXPECT_EQ(s.report.fallbacks.size(), 1u) << "multigrid with the matrix was tried, too: " << s.report.fallbacks.back();
  EXPECT_LT(s.residual, 1e-6);
  options.operator_kind = OperatorKind::matrix_free;
  EXPECT_FALSE(may_turn_to_a_matrix(block.equations, options)) << "that was asked for";
}

// Order 4, where actions are cheapest, falls back, too: flat cells in a slender beam of a hardly compressible material.
// The deflection is that of a beam in plane strain under its weight, 3 (1 - nu^2) q L^4 / (2 E h^3), but for its
// clamped end.
TEST(NeedsNoMatrix, TurnsToOneOnCellsOfHighOrderToo) {
  constexpr double length = 40, poisson = 0.49;
  const Lame rubber = Lame::from(1, poisson);
  const Mesh beam = rectangle(20, 32, {length, 1}, CellKind::quad4);
  const FunctionSpace space(beam, 2, Device::named("cpu", 2), {.order = 4});
  const Operator equations(space, {Integral::over_all_cells(PlaneElasticity::plane_strain(rubber, 1)),
                                   Integral::over_all_cells(Load<2, 2, 0>{{0, -1e-9}})});
  Constraints fixed(space);
  for (int c = 0; c < 2; ++c) fixed.prescribe(beam.region("x0"), c, 0, "test");
  fixed.finish();
  const LinearSolverOptions options{.rounding_error = 1e-5, .promise = MatrixPromise::positive_definite};
  ASSERT_TRUE(without_matrix(equations, options));
  const StaticSolution s = solve_static(equations, fixed, options);
  EXPECT_TRUE(s.report.converged());
  ASSERT_FALSE(s.report.fallbacks.empty());
  EXPECT_TRUE(s.report.fallbacks.front().starts_with("with a matrix, since without one the linear solver"))
      << s.report.fallbacks.front();
  const double deflection = 1.5 * (1 - poisson * poisson) * 1e-9 * std::pow(length, 4);
  EXPECT_NEAR(max_abs(s.u), deflection, 0.02 * deflection);
}

// A plate of a fiftieth of its length: the residual that rounding leaves is above the tolerance, the error is not.
TEST(NeedsNoMatrix, WhatRoundingLeavesCountsAsConverged) {
  if (std::getenv("RITZ_LONG_TESTS") == nullptr) GTEST_SKIP() << "RITZ_LONG_TESTS is not set";
  const Block plate(box(24, 24, 1, {10, 10, 0.2}, CellKind::tet10), elastic_form(3));
  const Constraints fixed = plate.held();
  const StaticSolution s = solve_static(
      plate.equations, fixed,
      {.relative = 1e-10, .promise = MatrixPromise::positive_definite, .operator_kind = OperatorKind::matrix_free});
  EXPECT_TRUE(s.report.converged()) << summary(s.report);
  EXPECT_GT(s.report.true_relative_residual, 1e-10);
  EXPECT_TRUE(s.report.where.starts_with("the residual is that of rounding")) << s.report.where;
  EXPECT_LT(s.report.error_estimate, 1e-10);
  EXPECT_GT(s.report.error_estimate, 0);
  const StaticSolution direct = solve_static(
      plate.equations, fixed, {.method = LinearMethod::direct, .promise = MatrixPromise::positive_definite});
  Vector difference = plate.space.zeros();
  copy(s.u, difference);
  axpy(-1.0, direct.u, difference);
  EXPECT_LT(max_abs(difference), 1e-7 * max_abs(direct.u));
}

// A bar of a form that is not linear, pulled by a prescribed displacement.
struct Pulled {
  Pulled(const FormValue& form, double end)
      : block(box(11, 10, 10, {1, 1, 1}, CellKind::tet10), form),
        equations(block.space, {Integral::over_all_cells(form)}),
        fixed(block.space) {
    for (int c = 0; c < 3; ++c) {
      fixed.prescribe(block.mesh.region("x0"), c, 0, "x0");
      fixed.prescribe(block.mesh.region("x1"), c, c == 0 ? end : 0, "x1");
    }
    fixed.finish();
  }
  NonlinearSolution solve(Nonlinear options, OperatorKind kind, std::vector<std::string>* said = nullptr) const {
    options.linear.operator_kind = kind;
    if (said != nullptr) options.linear.say = [said](const std::string& line) { said->push_back(line); };
    return solve_nonlinear(equations, fixed, options);
  }
  double difference(const NonlinearSolution& a, const NonlinearSolution& b) const {
    Vector d = block.space.zeros();
    copy(a.u, d);
    axpy(-1.0, b.u, d);
    return max_abs(d) / max_abs(b.u);
  }
  Block block;
  Operator equations;
  Constraints fixed;
};

TEST(NeedsNoMatrix, NorDoesNewtonsMethodOnQuadraticSolids) {
  const Pulled steel(
      VonMisesPlasticity{
          .young = 200, .poisson = 0.3, .yield_stress = 0.25, .isotropic_hardening = 5, .kinematic_hardening = 15}
          .form(),
      0.003);
  ASSERT_GE(steel.block.space.unknown_count(), 30000);
  const Nonlinear options{.relative = 1e-9, .increments = 2, .path = {1, 0.5}};
  const NonlinearSolution without = steel.solve(options, OperatorKind::automatic),
                          with = steel.solve(options, OperatorKind::matrix);
  EXPECT_TRUE(without.last_solve.preconditioner.starts_with("p-multigrid of orders 2, 1"))
      << without.last_solve.preconditioner;
  EXPECT_TRUE(with.last_solve.preconditioner.find("p-multigrid") == std::string::npos)
      << with.last_solve.preconditioner;
  EXPECT_GT(without.steps.size(), 5u) << "nothing yields here";
  EXPECT_EQ(without.turned, "");
  EXPECT_LT(steel.difference(without, with), 1e-7);
}

// If the tangent loses its definiteness a matrix takes over, and nothing is lost: the stretch stays homogeneous.
TEST(NeedsNoMatrix, NewtonsMethodTurnsToOneWhereTheTangentIsNotDefinite) {
  const Pulled bar(test_form(FromEnergy<SofteningEnergy>{{1, 5}}), 0.3);
  // at the end of the second the tangent is a - 3 b e^2 < 0
  const Nonlinear options{
      .relative = 1e-11, .increments = 1, .path = {0.5, 1}};  // a stage begins without an extrapolation
  std::vector<std::string> said;
  const NonlinearSolution s = bar.solve(options, OperatorKind::automatic, &said);
  EXPECT_TRUE(
      s.turned.starts_with("with a matrix from increment 2 on, since without one the matrix is not positive definite"))
      << s.turned;
  EXPECT_EQ(std::ranges::count(said, s.turned), 1);
  EXPECT_LE(s.residual, 1e-11);
  const std::vector<double> u = s.u.host();
  for (Node n = 0; n < bar.block.space.node_count(); ++n)
    for (int c = 0; c < 3; ++c)
      ASSERT_NEAR(u[static_cast<std::size_t>(3 * n + c)], c == 0 ? 0.3 * bar.block.space.point(n)[0] : 0, 1e-7);
  EXPECT_THROW(bar.solve(options, OperatorKind::matrix_free), Error) << "that was asked for";
}

// A run that is resumed after an increment continues as the run would have.
TEST(NeedsNoMatrix, ARunThatHasTurnedGoesOnWithTheMatrix) {
  const Pulled bar(test_form(FromEnergy<SofteningEnergy>{{1, 0.1}}), 0.1);
  State behind{.u = bar.solve({.relative = 1e-9, .path = {0.5}}, OperatorKind::automatic).u.host(),
               .increment = 1,
               .reference = 1};
  Nonlinear options{.relative = 1e-9, .increments = 2};
  for (const char* turned : {"", "with a matrix"}) {
    behind.turned = turned;
    options.begin = behind;
    const NonlinearSolution s = bar.solve(options, OperatorKind::automatic);
    EXPECT_EQ(s.last_solve.preconditioner.starts_with("p-multigrid"), behind.turned.empty())
        << s.last_solve.preconditioner;
    EXPECT_EQ(s.turned, turned);
  }
}

}  // namespace
}  // namespace ritz::test
