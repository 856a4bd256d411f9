// op-hex-*: the action of an operator without a matrix on the deformed cube of speed comparisons: n^3 hexahedra whose
// vertices move by s = 0.1 sin(pi x) sin(pi y) sin(pi z) in every direction, (p + 1)^3 Gauss points, zero boundary
// values.
#include "apps/bench/tasks.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/loads.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/matrix_free.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

struct Action {
  std::string name;
  int order;
  Index cells;  // per edge
  bool elastic;
};

const std::vector<Action>& actions() {
  static const std::vector<Action> list = {{"op-hex-p1", 1, 128, false},       {"op-hex-p2", 2, 64, false},
                                           {"op-hex-p3", 3, 40, false},        {"op-hex-p4", 4, 32, false},
                                           {"op-hex-p6", 6, 20, false},        {"op-elastic-hex-p1", 1, 96, true},
                                           {"op-elastic-hex-p2", 2, 48, true}, {"op-elastic-hex-p4", 4, 24, true}};
  return list;
}

Mesh deformed_cube(Index n) {
  MeshData data = box_data(n, n, n, {1, 1, 1}, CellKind::hex8);
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    double* x = data.points.data() + i;
    const double s =
        0.1 * std::sin(std::numbers::pi * x[0]) * std::sin(std::numbers::pi * x[1]) * std::sin(std::numbers::pi * x[2]);
    for (int d = 0; d < 3; ++d) x[d] += s;
  }
  return Mesh(std::move(data));
}

void run_action(const Action& action, const Device& device, const BenchOptions& options, const Publish& publish) {
  Record record = begin_record(action.name, device);
  const Mesh mesh = deformed_cube(std::max<Index>(1, std::llround(options.size * double(action.cells))));
  const int components = action.elastic ? 3 : 1;
  const FunctionSpace space(mesh, components, device, {.order = action.order});
  const FormValue form = action.elastic ? FormValue(Elasticity{1.2, 0.8}) : FormValue(Diffusion<3>{1.0});
  const Operator equations(space, {Integral::over_all_cells(form)});
  Constraints fixed(space);
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"})
    for (int c = 0; c < components; ++c) fixed.prescribe(mesh.region(side), c, 0, side);
  fixed.finish();
  Vector u = space.zeros(), x = space.zeros(), y = space.zeros();
  fill_start_vector(x);
  const MatrixFree K(equations, fixed, u);
  K.apply(x, y);  // makes lists
  const double unknowns = double(space.unknown_count()), n = action.order + 1, p3 = std::pow(action.order, 3);
  // speed.md 2.1: x and y, node lists, the corners of trilinear cells.
  const Floor floor{unknowns * 16 + unknowns / components / p3 * (4 * n * n * n + 24),
                    "16 N + (4 n^3 + 24) per element"};
  record.facts = {{"cells", double(mesh.cell_count())}, {"unknowns", unknowns}};
  constexpr int batch = 5;
  const Samples five = time(device, options.repeat, [&] {
    for (int i = 0; i < batch; ++i) K.apply(x, y);
  });
  record.add("action x 5", five, batch * unknowns, "unknowns", Floor{batch * floor.bytes, floor.formula});
  if (can_act_in_single(equations)) {
    Array<float> single_x(device, x.size(), "vectors"), single_y(device, x.size(), "vectors");
    const std::vector<double> host = x.host();
    single_x.upload(std::span<const float>(std::vector<float>(host.begin(), host.end())));
    record.add("single action x 5",
               time(device, options.repeat,
                    [&] {
                      for (int i = 0; i < batch; ++i)
                        Linearisation(equations, K.state()).action(single_x, single_y, &K.marked());
                    }),
               batch * unknowns, "unknowns",
               Floor{batch * (floor.bytes - 8 * unknowns), "8 N + (4 n^3 + 24) per element"});
  }
  record.add("diagonal", time(device, options.few(), [&] { const Vector d = equations.diagonal(u); }), unknowns,
             "unknowns");
  end_record(record, device);
  publish(std::move(record));
}

// solve-hex-*: -div grad u = 3 pi^2 sin(pi x) sin(pi y) sin(pi z) on the cube, u = 0 on its sides, to 1e-8 of the true
// residual, by conjugate gradients with p-multigrid, no matrix but of order 1.
struct Solve {
  std::string name;
  int order;
  Index cells;
  bool deformed;
};

const std::vector<Solve>& solves() {
  static const std::vector<Solve> list = {{"solve-hex-Q2", 2, 48, false},
                                          {"solve-hex-Q2-deformed", 2, 48, true},
                                          {"solve-hex-Q4", 4, 25, false},
                                          {"solve-hex-Q4-deformed", 4, 25, true}};
  return list;
}

// At [point][3].
void wave_load(std::span<const double> points, std::span<double> values) {
  using std::numbers::pi;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 3 * pi * pi * std::sin(pi * points[3 * i]) * std::sin(pi * points[3 * i + 1]) *
                std::sin(pi * points[3 * i + 2]);
}

void run_solve(const Solve& solve, const Device& device, const BenchOptions& options, const Publish& publish) {
  Record record = begin_record(solve.name, device);
  const Index n = std::max<Index>(1, std::llround(options.size * double(solve.cells)));
  const Mesh mesh = solve.deformed ? deformed_cube(n) : box(n, n, n, {1, 1, 1}, CellKind::hex8);
  std::optional<FunctionSpace> space;
  record.add("space", time(device, 1, [&] { space.emplace(mesh, 1, device, SpaceOptions{.order = solve.order}); }));
  const Operator equations(*space, {Integral::over_all_cells(Diffusion<3>{1.0})});
  Constraints fixed(*space);
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"}) fixed.prescribe(mesh.region(side), 0, 0, side);
  fixed.finish();
  Vector u = space->zeros(), b = space->zeros(), x = space->zeros();
  record.add("right-hand side", time(device, 1, [&] {
               Operator(*space, {Integral::over_all_cells(FormValue(Load<1, 3, 0>{}, {PointFunction(wave_load)}))})
                   .residual(u, b);
               fixed.set_zero(b);
               axpby(0.0, b, -1.0, b);
             }));
  std::optional<MatrixFree> K;
  record.add("operator", time(device, 1, [&] {
               K.emplace(equations, fixed, u);
               K->apply(b, x);
             }));
  std::optional<PMultigrid> cycle;
  record.add("set-up", time(
                           device, options.few(), [&] { cycle.emplace(*K); }, [&] { cycle.reset(); }));
  SolveReport report;
  record.add("solve",
             time(
                 device, options.few(), [&] { report = ConjugateGradient{.relative = 1e-8}.solve(*K, b, x, &*cycle); },
                 [&] { x.fill_zero(); }),
             double(space->unknown_count()), "unknowns");
  record.facts = {
      {"unknowns", double(space->unknown_count())},
      {"iterations", double(report.iterations)},
      {"true residual", report.true_relative_residual},
      {"device bytes per unknown", double(device.memory().statistics().live) / double(space->unknown_count())},
      {"largest u", max_abs(x)}};
  end_record(record, device);
  publish(std::move(record));
}

}  // namespace

std::vector<std::string> operator_action_names() {
  std::vector<std::string> names;
  for (const Action& action : actions()) names.push_back(action.name);
  for (const Solve& solve : solves()) names.push_back(solve.name);
  return names;
}

void run_operator_actions(const Device& device, const BenchOptions& options, const Publish& publish) {
  for (const Action& action : actions())
    if (options.wants(action.name)) run_action(action, device, options, publish);
  for (const Solve& solve : solves())
    if (options.wants(solve.name)) run_solve(solve, device, options, publish);
}

}  // namespace ritz
