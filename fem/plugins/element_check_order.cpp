#include "fem/plugins/element_check_order.hpp"

#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/space/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// The functions of `coarse` at the nodes of `fine`, another space on the same cells: fine node, coarse node, value.
void each_interpolation(const FunctionSpace& coarse, const FunctionSpace& fine,
                        FunctionRef<void(Node, Node, double)> use) {
  std::vector<bool> done(static_cast<std::size_t>(fine.node_count()), false);
  std::vector<Node> from, to;
  std::vector<double> values;
  std::vector<Point> gradients;
  for (Index cell = 0; cell < coarse.mesh().cell_count(); ++cell) {
    const ReferenceElement& c = coarse.element(coarse.mesh().kind_of(cell));
    const ReferenceElement& f = fine.element(fine.mesh().kind_of(cell));
    coarse.nodes_of(cell, from);
    fine.nodes_of(cell, to);
    values.resize(from.size());
    gradients.resize(from.size());
    for (std::size_t a = 0; a < to.size(); ++a) {
      if (done[static_cast<std::size_t>(to[a])]) continue;
      done[static_cast<std::size_t>(to[a])] = true;
      c.evaluate(f.nodes[a], values, gradients);
      for (std::size_t b = 0; b < from.size(); ++b) use(to[a], from[b], values[b]);
    }
  }
}

// Root mean square of u_h - u over the nodes of the finer space.
double error_of(CellKind kind, int count, const FormOnDevice& form, const SpaceOptions& options, double amplitude) {
  const Mesh mesh = check_mesh(kind, count, {.smooth = 0.04});
  const int components = form.form.components, order = std::min(options.order + 2, highest_lagrange_order(kind));
  const FunctionSpace space(mesh, components, form.device, options),
      fine(mesh, components, form.device, {.order = order});
  const auto exact = [&](const Point& x, int c) { return amplitude * check_wave(x, c + 3); };
  const std::vector<double> u = nodal_values(fine, exact);
  Vector r = fine.zeros();
  Operator(fine, {Integral::over_all_cells(form.form)})
      .residual(Vector(form.device, std::span<const double>(u), "vectors"), r);
  const std::vector<double> fluxes = r.host();
  const auto n = static_cast<std::size_t>(components);
  std::vector<double> forces(static_cast<std::size_t>(space.unknown_count()), 0.0);
  each_interpolation(space, fine, [&](Node a, Node b, double value) {
    for (std::size_t c = 0; c < n; ++c)
      forces[static_cast<std::size_t>(b) * n + c] += value * fluxes[static_cast<std::size_t>(a) * n + c];
  });
  Constraints fixed(space);
  for (Node node = 0; node < space.node_count(); ++node) {
    const Point x = space.point(node);
    if (is_inside(x, mesh.dimension())) continue;
    for (int c = 0; c < components; ++c) fixed.prescribe_nodes({&node, 1}, c, exact(x, c), "the known solution");
  }
  fixed.finish();
  const Vector load(form.device, std::span<const double>(forces), "vectors");
  const Operator equations(space, {Integral::over_all_cells(form.form)});
  Nonlinear newton{.relative = 1e-9, .max_steps = 30, .linear = {.relative = 1e-11}, .forces = &load};
  const std::vector<double> found = solve_nonlinear(equations, fixed, newton).u.host();
  std::vector<double> error = u;
  each_interpolation(space, fine, [&](Node a, Node b, double value) {
    for (std::size_t c = 0; c < n; ++c)
      error[static_cast<std::size_t>(a) * n + c] -= value * found[static_cast<std::size_t>(b) * n + c];
  });
  double sum = 0;
  for (const double e : error) sum += e * e;
  return std::sqrt(sum / static_cast<double>(error.size()));
}

}  // namespace

Mesh check_mesh(CellKind kind, int count, const Distortion& distortion) {
  MeshData data = traits(kind).dimension == 2 ? rectangle_data(count, count, {1, 1}, kind, distortion)
                                              : box_data(count, count, count, {1, 1, 1}, kind, distortion);
  for (std::size_t i = 0; i < data.points.size(); ++i)
    if (static_cast<int>(i % 3) < data.dimension) data.points[i] += 1;
  return Mesh(std::move(data));
}

bool is_inside(const Point& x, int dimension) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    if (std::abs(x[d] - 1) < 1e-9 || std::abs(x[d] - 2) < 1e-9) return false;
  return true;
}

Mesh one_cell(CellKind kind) {
  MeshData data;
  data.dimension = traits(kind).dimension;
  CellBlock block{.kind = kind};
  for (const Point& p : reference_nodes(kind)) {
    block.nodes.push_back(static_cast<Node>(data.points.size() / 3));
    const double z = data.dimension == 3 ? 0.9 * p[2] + 0.1 * p[0] + 3 : 0;
    data.points.insert(data.points.end(), {p[0] + 0.3 * p[1] + 3, 0.8 * p[1] - 0.1 * p[0] + 3, z});
  }
  data.blocks.push_back(std::move(block));
  return Mesh(std::move(data));
}

double check_wave(const Point& x, int number) {
  const double a = 1.3 + 0.37 * (number % 5), b = 1.7 - 0.29 * (number % 7), c = 0.9 + 0.23 * (number % 3);
  return std::sin(a * x[0] + b * x[1] + c * x[2] + 0.7 * number);
}

std::vector<double> nodal_values(const FunctionSpace& space, FunctionRef<double(const Point&, int)> field) {
  std::vector<double> values;
  for (Node node = 0; node < space.node_count(); ++node)
    for (int c = 0; c < space.components(); ++c) values.push_back(field(space.point(node), c));
  return values;
}

ConvergenceCheck convergence_order(CellKind kind, const FormOnDevice& form, const SpaceOptions& options,
                                   double amplitude) {
  const std::vector<int> counts = traits(kind).dimension == 2 ? std::vector{4, 8} : std::vector{2, 4};
  if (options.order >= highest_lagrange_order(kind)) return {0, "there is no element of higher order to compare with"};
  try {
    const double coarse = error_of(kind, counts[0], form, options, amplitude),
                 fine = error_of(kind, counts[1], form, options, amplitude);
    return {std::log2(coarse / fine), ""};
  } catch (const Error& error) { return {0, error.message()}; }
}

}  // namespace ritz
