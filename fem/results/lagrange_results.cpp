#include "fem/results/lagrange_results.hpp"

#include "device/error.hpp"
#include "fem/space/node_numbering.hpp"
#include "mesh/hash.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// [point][node]: values of shape functions at points of the reference cell.
std::vector<double> table(const ReferenceElement& element, std::span<const Point> points) {
  const std::size_t n = element.nodes.size();
  std::vector<double> result(points.size() * n);
  std::vector<Point> gradients(n);
  for (std::size_t i = 0; i < points.size(); ++i)
    element.evaluate(points[i], std::span(result).subspan(i * n, n), gradients);
  return result;
}

}  // namespace

LagrangeResults::LagrangeResults(const FunctionSpace& space) : space_(space), order_(space.order()) {
  const Mesh& mesh = space.mesh();
  for (const CellBlock& block : mesh.blocks())
    order_ = std::max({order_, traits(block.kind).order, block.curved.empty() ? 0 : block.curved.functions->order()});
  std::map<CellKind, ReferenceElement> elements;  // their nodes only: where they are decides which cells share them
  for (const CellBlock& block : mesh.blocks()) {
    const CellKind shape = traits(block.kind).linear;
    nodes_[block.kind] = lagrange_nodes(shape, order_);
    elements[block.kind] = {.name = "equally spaced",
                            .shape = shape,
                            .order = order_,
                            .nodes = nodes_[block.kind],
                            .evaluate = {},
                            .line_nodes = {}};
  }
  NodeNumbering numbering = number_nodes(mesh, space.cell_order(), elements);
  cell_points_ = std::move(numbering.cell_nodes);
  block_begin_ = std::move(numbering.block_begin);
  cells_.points.resize(3 * static_cast<std::size_t>(numbering.node_count));
  cells_.points = from_mesh(mesh.points(), 3);
  place_curved();
  for (std::size_t b = 0; b < mesh.blocks().size(); ++b) {
    const CellBlock& block = mesh.blocks()[b];
    const LagrangeType type = lagrange_type(traits(block.kind).linear, order_);
    LagrangeBlock& written = cells_.blocks.emplace_back(LagrangeBlock{type.vtk_type, type.node_count, {}});
    written.nodes.reserve(static_cast<std::size_t>(block.cell_count() * type.node_count));
    for (Index cell = 0; cell < block.cell_count(); ++cell) {
      const auto points = points_of(b, cell).first(static_cast<std::size_t>(type.node_count));
      written.nodes.insert(written.nodes.end(), points.begin(), points.end());
    }
  }
}

// The points of cells with a map of their own.
void LagrangeResults::place_curved() {
  const auto blocks = space_.mesh().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const CurvedCells& curved = blocks[b].curved;
    if (curved.empty()) continue;
    const std::vector<double> shape = table(element_of(curved.functions), nodes_.at(blocks[b].kind));
    for (const Index position : curved.cells) {
      const std::span<const Point> own = curved.of(position);
      const std::span<const Node> points = points_of(b, position);
      for (std::size_t p = 0; p < points.size(); ++p)
        for (std::size_t k = 0; k < 3; ++k) {
          double x = 0;
          for (std::size_t a = 0; a < own.size(); ++a) x += shape[p * own.size() + a] * own[a][k];
          cells_.points[3 * static_cast<std::size_t>(points[p]) + k] = x;
        }
    }
  }
}

std::span<const Node> LagrangeResults::points_of(std::size_t block, Index position) const {
  const auto n = nodes_.at(space_.mesh().blocks()[block].kind).size();
  return std::span(cell_points_)
      .subspan(static_cast<std::size_t>(block_begin_[block]) + static_cast<std::size_t>(position) * n, n);
}

std::span<const Node> LagrangeResults::points_of(Index cell) const {
  const auto blocks = space_.mesh().blocks();
  const CellBlock& block = block_holding(blocks, cell);
  return points_of(static_cast<std::size_t>(&block - blocks.data()), cell - block.first_cell);
}

const LagrangePolynomials& LagrangeResults::functions(CellKind kind) const {
  const auto found = functions_.find(kind);
  return found != functions_.end()
             ? found->second
             : functions_.try_emplace(kind, traits(kind).linear, order_, nodes_.at(kind)).first->second;
}

// Each point in the first cell around it. shapes(kind): [point][node]; nodes_of(cell, kind): their numbers in `values`.
template <class Shapes, class NodesOf>
std::vector<double> LagrangeResults::evaluated(int components, std::span<const double> values, const Shapes& shapes,
                                               const NodesOf& nodes_of) const {
  const auto c = static_cast<std::size_t>(components);
  std::vector<double> result(static_cast<std::size_t>(cells_.point_count()) * c, 0.0);
  std::vector<bool> done(static_cast<std::size_t>(cells_.point_count()), false);
  const auto blocks = space_.mesh().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::vector<double> shape = shapes(blocks[b].kind);
    for (Index position = 0; position < blocks[b].cell_count(); ++position) {
      const std::span<const Node> points = points_of(b, position), nodes = nodes_of(blocks[b], position);
      for (std::size_t p = 0; p < points.size(); ++p) {
        const auto point = static_cast<std::size_t>(points[p]);
        if (done[point]) continue;
        done[point] = true;
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (std::size_t i = 0; i < c; ++i)
            result[point * c + i] += shape[p * nodes.size() + a] * values[static_cast<std::size_t>(nodes[a]) * c + i];
      }
    }
  }
  return result;
}

std::vector<double> LagrangeResults::values(const Vector& u) const { return values(u.host(), space_.components()); }

std::vector<double> LagrangeResults::values(std::span<const double> at_nodes, int components) const {
  std::vector<Node> nodes;
  return evaluated(
      components, at_nodes, [&](CellKind kind) { return table(space_.element(kind), nodes_.at(kind)); },
      [&](const CellBlock& block, Index position) {
        space_.nodes_of(block.first_cell + position, nodes);
        return std::span<const Node>(nodes);
      });
}

std::vector<double> LagrangeResults::from_mesh(std::span<const double> values, int components) const {
  return evaluated(
      components, values, [&](CellKind kind) { return table(cell_element(kind), nodes_.at(kind)); },
      [](const CellBlock& block, Index position) { return block.cell(position); });
}

std::vector<double> LagrangeResults::forces_from_mesh(std::span<const double> forces, int components) const {
  const auto c = static_cast<std::size_t>(components);
  std::vector<double> result(static_cast<std::size_t>(cells_.point_count()) * c, 0.0);
  std::vector<bool> done(forces.size() / c, false);
  const auto blocks = space_.mesh().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const CellTraits& t = traits(blocks[b].kind);
    const std::vector<Point>& places = nodes_.at(t.kind);
    const auto mesh_places = reference_nodes(t.kind);
    for (Index position = 0; position < blocks[b].cell_count(); ++position) {
      const std::span<const Node> points = points_of(b, position), nodes = blocks[b].cell(position);
      for (std::size_t m = 0; m < nodes.size(); ++m) {
        const auto node = static_cast<std::size_t>(nodes[m]);
        if (done[node]) continue;
        done[node] = true;
        const auto give = [&](std::size_t point, double share) {
          for (std::size_t i = 0; i < c; ++i)
            result[static_cast<std::size_t>(points[point]) * c + i] += share * forces[node * c + i];
        };
        std::size_t same = 0;
        const Point& x = mesh_places[m];
        while (same < places.size() &&
               std::abs(places[same][0] - x[0]) + std::abs(places[same][1] - x[1]) + std::abs(places[same][2] - x[2]) >
                   1e-9)
          ++same;
        if (same < places.size()) {
          give(same, 1);
          continue;
        }
        const std::vector<double> shares = shape_values(t.linear, x);
        for (std::size_t corner = 0; corner < shares.size(); ++corner) give(corner, shares[corner]);
      }
    }
  }
  return result;
}

}  // namespace ritz
