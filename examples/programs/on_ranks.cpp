// Every rank runs this program: mpirun -n 3 ./on_ranks, or ./on_ranks alone. Each describes the whole problem, works on
// its part of the mesh and solves its rows with the others; the first rank prints. A square that produces
// heat (one field), and the flow in a cavity whose lid moves (two fields).
#include "ritz.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace ritz;

bool prints(const Ranks* ranks) { return ranks == nullptr || ranks->rank() == 0; }

// -laplace u = 1, with u = 0 on all sides: the largest u is 0.0736714, as in poisson.cpp.
bool heat(const Device& device, Ranks* ranks) {
  const Mesh mesh = rectangle(32, 32, {1, 1}, CellKind::quad9);
  const Spaces spaces{FunctionSpace(mesh, 1, device)};
  const FieldsOperator equations(
      spaces, {}, {Integral::over_all_cells(Diffusion<2>{1}), Integral::over_all_cells(Load<1, 2, 0>{{1}})});
  FieldsConstraints cold(spaces);
  for (const char* side : {"x0", "x1", "y0", "y1"}) cold[0].prescribe(mesh.region(side), 0, 0.0, side);
  cold.finish();
  const StaticSolution s = solve_static(equations, cold,
                                        {.method = LinearMethod::conjugate_gradient,
                                         .relative = 1e-10,
                                         .promise = MatrixPromise::positive_definite,
                                         .ranks = ranks});
  const double largest = std::ranges::max(s.u.host());
  if (prints(ranks)) std::printf("heat: largest value %.7f, %d iterations\n", largest, s.report.iterations);
  return std::abs(largest - 0.0736714) < 1e-6;
}

// Velocity in the middle at a Reynolds number of 0.01: -0.205192, as in stokes.cpp.
bool cavity(const Device& device, Ranks* ranks) {
  const Mesh mesh = rectangle(48, 48, {1, 1}, CellKind::quad4);
  const MixedFormValue stokes = Stokes<2>{1};
  const Spaces spaces = spaces_of(stokes, mesh, device);
  const FieldsOperator equations(spaces, {MixedIntegral::over_all_cells(stokes)});
  const PointFunction lid = [](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = x[3 * i + 1] == 1 && x[3 * i] > 0 && x[3 * i] < 1;
  };
  FieldsConstraints walls(spaces);
  for (const char* side : {"x0", "x1", "y0", "y1"}) {
    walls[0].prescribe(mesh.region(side), 0, lid, side);
    walls[0].prescribe(mesh.region(side), 1, 0.0, side);
  }
  const std::array<Node, 1> corner{0};
  walls[1].prescribe_nodes(corner, 0, 0.0, "level of the pressure");
  walls.finish();
  const StaticSolution s =
      solve_static(equations, walls, {.method = LinearMethod::minres, .relative = 1e-8, .ranks = ranks});
  const Vector velocity = equations.layout().part(s.u, 0);
  const double v = values_at(spaces[0], velocity, std::vector<Point>{{0.5, 0.5, 0}})[0];
  if (prints(ranks)) std::printf("cavity: velocity in the middle %.6f, %d iterations\n", v, s.report.iterations);
  return std::abs(v + 0.205192) < 2e-5;
}

int main() {
  const std::unique_ptr<Ranks> ranks = start_ranks();  // null: one process
  try {
    if (ranks) divide_hosts(*ranks);  // processors and memory of each machine
    const Device device = Device::named("auto");
    const bool right = heat(device, ranks.get());
    return cavity(device, ranks.get()) && right ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (ranks) ranks->fail(error);  // the others stop waiting for this one
    return 1;
  }
}
