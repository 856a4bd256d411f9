#include "fem/analysis/cell_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ritz {
namespace {

// Each cell with nodes of its own.
MeshData taken_apart(const Mesh& mesh) {
  MeshData data;
  data.dimension = mesh.dimension();
  data.structural = mesh.structural();
  data.source = mesh.source();
  for (const CellBlock& block : mesh.blocks()) {
    CellBlock& own = data.blocks.emplace_back(CellBlock{.kind = block.kind, .nodes = {}, .curved = block.curved});
    for (const Node node : block.nodes) {
      own.nodes.push_back(static_cast<Node>(data.points.size() / 3));
      const auto x = mesh.point(node);
      data.points.insert(data.points.end(), x.begin(), x.end());
    }
  }
  return data;
}

// The shortest distance between two of its nodes.
double size_of(const Mesh& mesh, Index cell) {
  double shortest = INFINITY;
  const std::span<const Node> nodes = mesh.nodes_of(cell);
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto x = mesh.point(nodes[a]), y = mesh.point(nodes[b]);
      shortest = std::min(shortest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
  return shortest;
}

SpaceOptions elements_of(const FunctionSpace& space) {
  SpaceOptions options;
  if (space.isoparametric()) return options;
  options.order = space.order();
  std::vector<CellKind> seen;
  for (const CellBlock& block : space.mesh().blocks())
    if (std::ranges::find(seen, block.kind) == seen.end()) {
      seen.push_back(block.kind);
      options.elements.push_back(space.element(block.kind));
    }
  return options;
}

// A function whose points lie in cells of another mesh, with the same numbers.
struct InCellsOf {
  PointFunction function;
  const Mesh* mesh;
  bool depends_on_time() const { return function.varies_in_time(); }
  void operator()(EvaluationPoints points, double t, std::span<double> values) const {
    points.mesh = mesh;
    function(points, t, values);
  }
};

}  // namespace

CellWork::CellWork(const FunctionSpace& space, std::span<const Integral> integrals) : space_(space) {
  for (const Integral& integral : integrals)
    if (!integral.form.given.empty() && integral.nodes.empty()) integrals_.push_back(integral);
  if (!integrals_.empty()) take(Mesh(taken_apart(space.mesh())));
}

CellWork::CellWork(const FunctionSpace& space, std::span<const Integral> integrals, const Moved& moved)
    : space_(space) {
  for (const Integral& integral : integrals)
    if (integral.nodes.empty()) integrals_.push_back(integral);
  MeshData data = taken_apart(space.mesh());
  const Mesh& mesh = space.mesh();
  Index cell = 0;
  for (const CellBlock& block : data.blocks) {
    const auto count = static_cast<std::size_t>(traits(block.kind).node_count);
    for (std::size_t first = 0; first < block.nodes.size(); first += count, ++cell)
      if (moved.node < count)
        data.points[3 * static_cast<std::size_t>(block.nodes[first + moved.node]) +
                    static_cast<std::size_t>(moved.axis)] += moved.part * size_of(mesh, cell);
  }
  take(Mesh(std::move(data)));
}

void CellWork::take(Mesh apart) {
  const FunctionSpace& space = space_;
  for (Integral& integral : integrals_)
    for (PointFunction& each : integral.form.given) each = InCellsOf{each, &space.mesh()};
  apart_ = std::make_unique<const Mesh>(std::move(apart));
  space_apart_ = std::make_unique<const FunctionSpace>(*apart_, space.components(), space.device(), elements_of(space));
  node_.resize(static_cast<std::size_t>(space_apart_->node_count()));
  cell_.resize(node_.size());
  std::vector<Node> of_space, of_cell;
  for (Index cell = 0; cell < apart_->cell_count(); ++cell) {
    space.nodes_of(cell, of_space);
    space_apart_->nodes_of(cell, of_cell);
    for (std::size_t a = 0; a < of_cell.size(); ++a) {
      node_[static_cast<std::size_t>(of_cell[a])] = of_space[a];
      cell_[static_cast<std::size_t>(of_cell[a])] = cell;
    }
  }
  residual_ = std::make_unique<Operator>(*space_apart_, integrals_);
}

void CellWork::numbers_changed() {
  if (residual_) residual_->set_numbers(integrals_);
}

void CellWork::set_time(const Time& time) {
  if (residual_) residual_->set_time(time);
}

Vector CellWork::spread(const std::vector<double>& u) const {
  const auto components = static_cast<std::size_t>(space_.components());
  std::vector<double> values(node_.size() * components);
  for (std::size_t n = 0; n < node_.size(); ++n)
    std::copy_n(u.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node_[n]) * components), components,
                values.begin() + static_cast<std::ptrdiff_t>(n * components));
  return Vector(space_.device(), std::span<const double>(values), "vectors");
}

std::vector<double> CellWork::operator()(const Vector& u, const Vector& lambda) const {
  std::vector<double> work(static_cast<std::size_t>(space_.mesh().cell_count()), 0.0);
  if (!residual_) return work;
  Vector r = space_apart_->zeros();
  residual_->residual(spread(u.host()), r);
  const std::vector<double> forces = r.host(), directions = spread(lambda.host()).host();
  const auto components = static_cast<std::size_t>(space_.components());
  for (std::size_t n = 0; n < node_.size(); ++n)
    for (std::size_t i = n * components; i < (n + 1) * components; ++i)
      work[static_cast<std::size_t>(cell_[n])] += forces[i] * directions[i];
  return work;
}

std::vector<double> work_by_positions(const FunctionSpace& space, std::span<const Integral> integrals, const Vector& u,
                                      const Vector& lambda) {
  const Mesh& mesh = space.mesh();
  std::vector<double> result(3 * static_cast<std::size_t>(mesh.node_count()), 0.0);
  std::size_t most = 0;
  for (const CellBlock& block : mesh.blocks())
    most = std::max(most, static_cast<std::size_t>(traits(block.kind).node_count));
  constexpr double step = 1e-3;  // of fourth order, and a cell degenerates far from it
  constexpr std::array<std::pair<double, double>, 4> formula{
      {{1, 2.0 / 3}, {-1, -2.0 / 3}, {2, -1.0 / 12}, {-2, 1.0 / 12}}};
  for (std::size_t node = 0; node < most; ++node)
    for (int axis = 0; axis < mesh.dimension(); ++axis)
      for (const auto& [steps, weight] : formula) {
        const std::vector<double> work = CellWork(space, integrals, {node, axis, steps * step})(u, lambda);
        for (Index cell = 0; cell < mesh.cell_count(); ++cell)
          if (const std::span<const Node> nodes = mesh.nodes_of(cell); node < nodes.size())
            result[3 * static_cast<std::size_t>(nodes[node]) + static_cast<std::size_t>(axis)] +=
                weight * work[static_cast<std::size_t>(cell)] / (step * size_of(mesh, cell));
      }
  return result;
}

}  // namespace ritz
