// Slow flow, Stokes, by the elements of Taylor and Hood: two fields of different order on one mesh, a matrix of blocks,
// MINRES with a block preconditioner. A known flow with its orders of convergence, and the cavity whose lid moves.
#include "ritz.hpp"

#include <cmath>
#include <cstdio>

using namespace ritz;

template <class F>
PointFunction of(F f) {  // f(x, y) at all points
  return [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(x[3 * i], x[3 * i + 1]);
  };
}

struct Flow {
  Spaces spaces;
  Vector velocity, pressure;
  int iterations;
};

// The flow of viscosity 1, with these velocities at the sides of the mesh. The pressure is known up to a constant.
Flow flow_in(const Mesh& mesh, const PointFunction& v_x, const PointFunction& v_y) {
  const MixedFormValue stokes = Stokes<2>{1};
  const Spaces spaces = spaces_of(stokes, mesh, Device::named("auto"));
  const FieldsOperator equations(spaces, {MixedIntegral::over_all_cells(stokes)});
  FieldsConstraints walls(spaces);
  for (const char* side : {"x0", "x1", "y0", "y1"}) {
    walls[0].prescribe(mesh.region(side), 0, v_x, side);
    walls[0].prescribe(mesh.region(side), 1, v_y, side);
  }
  walls.finish();

  Vector u = equations.zeros(), r = equations.zeros(), du = equations.zeros();
  BlockOperator K = equations.make_matrix();
  walls.set_values(u);
  equations.residual(u, r);
  walls.set_zero(r);
  equations.assemble(u, K);
  walls.eliminate(K, 1);
  const Operator mass(spaces[1], {Integral::over_all_cells(Mass<1, 2>{1})});
  SparseMatrix schur = mass.make_matrix();  // like the Schur complement of the pressure
  mass.assemble({}, schur);
  const SmoothedAggregationOptions rigid{.coordinates = &spaces[0].coordinates(), .dimension = 2};
  const BlockPreconditioner M(
      K, {{.by = "multigrid", .matrix = K.square(0), .multigrid = rigid}, {.by = "chebyshev", .matrix = &schur}});
  const SolveReport report = Minres{.relative = 1e-10}.solve(K, r, du, &M);
  throw_unless_converged(report);
  axpy(-1, du, u);
  return {spaces, equations.layout().part(u, 0), equations.layout().part(u, 1), report.iterations};
}

const PointFunction at_rest = constant(0),
                    lid = of([](double x, double y) { return y == 1 && x > 0 && x < 1 ? 1 : 0; });

int main() {
  // A flow without a force: Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers, 2014, section 3.1
  const PointFunction v_x = of([](double x, double y) { return 20 * x * y * y * y; });
  const PointFunction v_y = of([](double x, double y) { return 5 * (x * x * x * x - y * y * y * y); });
  std::vector<std::array<double, 2>> errors;  // of velocity and pressure
  for (const Index n : {16, 32, 64}) {
    const Mesh mesh = rectangle(n, n, {1, 1}, CellKind::tri3);
    const Flow flow = flow_in(mesh, v_x, v_y);
    const double shift = mean_value(flow.spaces[1], flow.pressure) - 5;
    const PointFunction p = of([&](double x, double y) { return 60 * x * x * y - 20 * y * y * y + shift; });
    errors.push_back(
        {l2_error(flow.spaces[0], flow.velocity, {v_x, v_y}), l2_error(flow.spaces[1], flow.pressure, {p})});
    std::printf("%2d cells a side: error of velocity %.2e, of pressure %.2e, %d iterations\n", int(n), errors.back()[0],
                errors.back()[1], flow.iterations);
  }
  const double order[] = {std::log2(errors[1][0] / errors[2][0]), std::log2(errors[1][1] / errors[2][1])};
  std::printf("orders %.2f and %.2f\n", order[0], order[1]);
  bool right = std::abs(order[0] - 3) < 0.1 && std::abs(order[1] - 2) < 0.1;

  // Cavity, at a Reynolds number of 0.01: Marchi, Suero and Araki, J. Braz. Soc. Mech. Sci. Eng. 31 (2009) 186.
  const Mesh mesh = rectangle(64, 64, {1, 1}, CellKind::quad4);
  const Flow cavity = flow_in(mesh, lid, at_rest);
  const std::vector<Point> line{{0.5, 0.25, 0}, {0.5, 0.5, 0}, {0.5, 0.75, 0}};
  const double known[] = {-0.122596, -0.205192, -0.032444};
  const std::vector<double> v = values_at(cavity.spaces[0], cavity.velocity, line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::printf("cavity, x = 0.5, y = %.2f: %.6f, published %.6f\n", line[i][1], v[2 * i], known[i]);
    right = right && std::abs(v[2 * i] - known[i]) < 5e-6;
  }
  return right ? 0 : 1;
}
