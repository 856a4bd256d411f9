// Taylor and Hood's elements on every shape that has them: orders of convergence for a known flow, a bound on the
// iterations of every block preconditioner, and the same flow by a factorisation.
#include "fem/forms/mass.hpp"
#include "fem/forms/navier_stokes.hpp"
#include "fem/forms/stokes.hpp"
#include "fem/forms/loads.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/results/field_norms.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/linear/block_preconditioner.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "tests/fem/mixed/mixed_action.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <numbers>

namespace ritz::test::stokes_test {
namespace {

constexpr double pi = std::numbers::pi, viscosity = 0.3;

using Scalar = std::function<double(const Point&)>;
PointFunction of(const Scalar& f) {
  return [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
  };
}

// v = curl of (0, 0, psi) with psi = product of b(x_i), b = sin^2(pi x): zero on the surface of the unit square or
// cube. p = cos(pi x) sin(pi y), of mean zero.
struct KnownFlow {
  int dimension;
  static double b(double s, int derivative) {
    switch (derivative) {
      case 0: return std::pow(std::sin(pi * s), 2);
      case 1: return pi * std::sin(2 * pi * s);
      case 2: return 2 * pi * pi * std::cos(2 * pi * s);
      default: return -4 * pi * pi * pi * std::sin(2 * pi * s);
    }
  }
  double psi(const Point& x, std::array<int, 3> d) const {
    return b(x[0], d[0]) * b(x[1], d[1]) * (dimension == 3 ? b(x[2], d[2]) : 1);
  }
  double velocity(const Point& x, int c) const { return c == 0 ? psi(x, {0, 1, 0}) : c == 1 ? -psi(x, {1, 0, 0}) : 0; }
  double laplacian(const Point& x, int c) const {
    if (c == 2) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i) {
      std::array<int, 3> d = c == 0 ? std::array{0, 1, 0} : std::array{1, 0, 0};
      d[i] += 2;
      sum += psi(x, d);
    }
    return c == 0 ? sum : -sum;
  }
  static double pressure(const Point& x) { return std::cos(pi * x[0]) * std::sin(pi * x[1]); }
  static double slope(const Point& x, int c) {
    if (c == 0) return -pi * std::sin(pi * x[0]) * std::sin(pi * x[1]);
    return c == 1 ? pi * std::cos(pi * x[0]) * std::cos(pi * x[1]) : 0;
  }
  std::vector<PointFunction> velocities() const {
    std::vector<PointFunction> all;
    for (int c = 0; c < dimension; ++c)
      all.push_back(of([flow = *this, c](const Point& x) { return flow.velocity(x, c); }));
    return all;
  }
  FormValue force() const {
    std::vector<PointFunction> f;
    for (int c = 0; c < dimension; ++c)
      f.push_back(of([flow = *this, c](const Point& x) { return -viscosity * flow.laplacian(x, c) + slope(x, c); }));
    if (dimension == 3) return FormValue(Load<3, 3, 0>{}, f);
    return FormValue(Load<2, 2, 0>{}, f);
  }
};

MixedFormValue stokes(int dimension) {
  if (dimension == 3) return Stokes<3>{viscosity};
  return Stokes<2>{viscosity};
}
FormValue pressure_mass(int dimension) {
  if (dimension == 3) return Mass<1, 3>{1 / viscosity};
  return Mass<1, 2>{1 / viscosity};
}

// The equations of the known flow, before they are solved.
struct FlowProblem {
  Mesh mesh;
  KnownFlow flow;
  MixedFormValue form;
  Spaces spaces;
  FieldsOperator equations;
  FieldsConstraints fixed;
  Vector u, load;
  BlockOperator K;
  SparseMatrix schur;

  FlowProblem(Mesh m, bool pin_pressure = false)
      : mesh(std::move(m)),
        flow{mesh.dimension()},
        form(stokes(mesh.dimension())),
        spaces(spaces_of(form, mesh, device_under_test(2))),
        equations(spaces, {MixedIntegral::over_all_cells(form)}, {Integral::over_all_cells(flow.force())}),
        fixed(spaces),
        u(equations.zeros()),
        load(equations.zeros()),
        K(equations.make_matrix()),
        schur(spaces[1].pattern(), 1) {
    for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"})
      for (int c = 0; c < flow.dimension; ++c)
        if (side[0] != 'z' || flow.dimension == 3) fixed[0].prescribe(mesh.region(side), c, 0.0, side);
    if (pin_pressure) fixed[1].prescribe_nodes(std::array<Node, 1>{0}, 0, 0.0, "level of the pressure");
    fixed.finish();
    equations.residual(u, load);
    axpby(0, u, -1, load);
    fixed.set_zero(load);
    equations.assemble(u, K);
    fixed.eliminate(K, viscosity);
    const Operator mass(spaces[1], {Integral::over_all_cells(pressure_mass(flow.dimension))});
    mass.assemble({}, schur);
  }

  std::vector<BlockPart> parts(double schur_factor) const {
    return {{.by = "multigrid",
             .matrix = K.square(0),
             .multigrid = {.coordinates = &spaces[0].coordinates(), .dimension = flow.dimension}},
            {.by = "chebyshev", .matrix = &schur, .factor = schur_factor}};
  }
  SolveReport solve(LinearMethod method, BlockTriangle triangle, double relative = 1e-9) {
    const BlockPreconditioner M(K, parts(triangle == BlockTriangle::none ? 1 : -1), triangle);
    fill(0, u);
    const SolveReport report = solve_by(method, K, load, u, &M, {.relative = relative, .max_iterations = 400});
    EXPECT_TRUE(report.converged()) << summary(report);
    return report;
  }
  double velocity_error() const { return l2_error(spaces[0], equations.layout().part(u, 0), flow.velocities()); }
  double pressure_error() const {
    const Vector p = equations.layout().part(u, 1);
    const double mean = mean_value(spaces[1], p);
    return l2_error(spaces[1], p, {of([mean](const Point& x) { return KnownFlow::pressure(x) + mean; })});
  }
};

Mesh unit_mesh(CellKind kind, Index n, double random = 0.05) {
  if (traits(kind).dimension == 2) return rectangle(n, n, {1, 1}, kind, {.random = random});
  return box(n, n, n, {1, 1, 1}, kind, {.random = random});
}

class TaylorHood : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, TaylorHood,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8,
                                           CellKind::tri6, CellKind::quad9),
                         kind_name);
// The same spaces on quadratic cells differ by the maps of the cells alone.
class TaylorHoodOnLinearCells : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, TaylorHoodOnLinearCells,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

// Orders 3 and 2 in the norm of L2, up to what coarse meshes still miss of them: half an order in space.
TEST_P(TaylorHood, ConvergesWithItsOrders) {
  const bool plane = dimension() == 2;
  FlowProblem coarse(unit_mesh(kind(), plane ? 12 : 4)), fine(unit_mesh(kind(), plane ? 24 : 8));
  coarse.solve(LinearMethod::minres, BlockTriangle::none);
  fine.solve(LinearMethod::minres, BlockTriangle::none);
  const double velocity = std::log2(coarse.velocity_error() / fine.velocity_error());
  const double pressure = std::log2(coarse.pressure_error() / fine.pressure_error());
  EXPECT_GT(velocity, plane ? 2.8 : 2.5);
  EXPECT_GT(pressure, plane ? 1.8 : 1.7);
  RecordProperty("velocity_order", std::to_string(velocity));
  RecordProperty("pressure_order", std::to_string(pressure));
}

// A triangle knows more than a diagonal, and refinement must not cost iterations.
TEST_P(TaylorHoodOnLinearCells, IterationsStayBounded) {
  const Index n = dimension() == 2 ? 16 : 4;
  FlowProblem coarse(unit_mesh(kind(), n)), fine(unit_mesh(kind(), 2 * n));
  const int diagonal[2] = {coarse.solve(LinearMethod::minres, BlockTriangle::none, 1e-8).iterations,
                           fine.solve(LinearMethod::minres, BlockTriangle::none, 1e-8).iterations};
  RecordProperty("diagonal", diagonal[1]);
  EXPECT_LE(diagonal[1], 1.5 * diagonal[0]);
  for (const BlockTriangle triangle : {BlockTriangle::lower, BlockTriangle::upper}) {
    const int iterations[2] = {coarse.solve(LinearMethod::gmres, triangle, 1e-8).iterations,
                               fine.solve(LinearMethod::gmres, triangle, 1e-8).iterations};
    EXPECT_LE(iterations[1], 1.35 * iterations[0]);
    EXPECT_LT(iterations[1], diagonal[1]);
  }
}

TEST_P(TaylorHood, IsTheSameByAFactorisation) {
  FlowProblem problem(unit_mesh(kind(), dimension() == 2 ? 6 : 2), true);
  problem.solve(LinearMethod::minres, BlockTriangle::none, 1e-12);
  const SparseMatrix K = sparse_matrix(problem.equations.device(), host_matrix(problem.K));
  Vector x = problem.equations.zeros();
  DirectSolver solver(K, DirectSolver::Kind::symmetric);
  const SolveReport report = solver.solve(problem.load, x);
  EXPECT_TRUE(report.converged()) << summary(report);
  const double size = max_abs(x);
  axpy(-1, problem.u, x);
  EXPECT_LE(max_abs(x), 1e-7 * size);
  // There are as many negative pivots as pressures, without the one that is prescribed: a saddle point.
  if (solver.knows_inertia()) { EXPECT_EQ(solver.negative_pivots(), problem.spaces[1].unknown_count() - 1); }
}

// Without any matrix of the whole: the action in its place.
TEST(Stokes, IsTheSameWithoutTheMatrix) {
  FlowProblem problem(unit_mesh(CellKind::quad4, 8));
  problem.solve(LinearMethod::minres, BlockTriangle::none, 1e-11);
  const Vector none;
  const MixedAction action(problem.equations, problem.fixed, none, viscosity);
  const BlockPreconditioner M(problem.K, problem.parts(1));
  Vector x = problem.equations.zeros();
  const SolveReport report =
      solve_by(LinearMethod::minres, action, problem.load, x, &M, {.relative = 1e-11, .max_iterations = 400});
  EXPECT_TRUE(report.converged()) << summary(report);
  const Vector v = problem.equations.layout().part(x, 0), w = problem.equations.layout().part(problem.u, 0);
  EXPECT_LE(largest_difference(v, w), 1e-8 * max_abs(w));
}

// The cavity at a Reynolds number of 100: Marchi, Suero and Araki, J. Braz. Soc. Mech. Sci. Eng. 31 (2009) 186, give
// -0.20914925 in the middle. Newton's method squares the residual.
TEST(NavierStokes, FlowsAroundTheCavityAsPublished) {
  const Mesh mesh = rectangle(40, 40, {1, 1}, CellKind::quad4);
  const MixedFormValue form = NavierStokes<2>{0.01, 1};
  const Spaces spaces = spaces_of(form, mesh, device_under_test(2));
  const FieldsOperator equations(spaces, {MixedIntegral::over_all_cells(form)});
  FieldsConstraints fixed(spaces);
  const PointFunction lid = of([](const Point& x) { return x[1] == 1 && x[0] > 0 && x[0] < 1 ? 1.0 : 0.0; });
  for (const char* side : {"x0", "x1", "y0", "y1"}) {
    fixed[0].prescribe(mesh.region(side), 0, lid, side);
    fixed[0].prescribe(mesh.region(side), 1, 0.0, side);
  }
  fixed[1].prescribe_nodes(std::array<Node, 1>{0}, 0, 0.0, "level of the pressure");
  fixed.finish();
  Vector u = equations.zeros(), r = equations.zeros(), du = equations.zeros();
  fixed.set_values(u);
  BlockOperator K = equations.make_matrix();
  std::vector<double> residuals;
  for (int step = 0; step < 8; ++step) {
    equations.residual(u, r);
    fixed.set_zero(r);
    residuals.push_back(norm2(r));
    if (residuals.back() < 1e-11) break;
    equations.assemble(u, K);
    fixed.eliminate(K, 1);
    const SparseMatrix A = sparse_matrix(equations.device(), host_matrix(K));
    const SolveReport report = DirectSolver(A, DirectSolver::Kind::general).solve(r, du);
    EXPECT_TRUE(report.converged()) << summary(report);
    axpy(-1, du, u);
  }
  EXPECT_LE(residuals.size(), 7);
  EXPECT_LE(residuals.back(), 1e-11);
  const std::size_t last = residuals.size() - 1;
  EXPECT_LE(residuals[last - 1], 30 * std::pow(residuals[last - 2], 2));
  const Point middle{0.5, 0.5, 0};
  const double v = values_at(spaces[0], equations.layout().part(u, 0), {&middle, 1})[0];
  EXPECT_NEAR(v, -0.20914925, 2e-5);
}

}  // namespace
}  // namespace ritz::test::stokes_test
