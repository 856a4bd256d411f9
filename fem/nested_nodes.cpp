#include "fem/nested_nodes.hpp"

#include "mesh/cell_geometry.hpp"
#include "mesh/nested_cells.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

constexpr Index few = 200;  // nodes that a dense inverse takes

// Where the corners of a cell stand among the nodes of its element.
std::vector<std::size_t> corners_in(const ReferenceElement& element) {
  const std::span<const Point> corners = reference_nodes(element.shape);
  std::vector<std::size_t> at;
  for (const Point& corner : corners) {
    const auto found = std::ranges::min_element(element.nodes, {}, [&](const Point& x) {
      return std::abs(x[0] - corner[0]) + std::abs(x[1] - corner[1]) + std::abs(x[2] - corner[2]);
    });
    at.push_back(static_cast<std::size_t>(found - element.nodes.begin()));
  }
  return at;
}

}  // namespace

NestedLevels nested_nodes(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  if (space.order() != 1 || mesh.structural()) return nullptr;
  const CellKind wanted = traits(mesh.kind_of(0)).linear;
  for (const CellBlock& block : mesh.blocks())
    if (traits(block.kind).linear != wanted) return nullptr;
  const std::vector<std::size_t> corners = corners_in(space.element(mesh.kind_of(0)));
  std::vector<Node> cells, nodes;
  cells.reserve(static_cast<std::size_t>(mesh.cell_count() * traits(wanted).corner_count));
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    space.nodes_of(cell, nodes);
    for (const std::size_t at : corners) cells.push_back(nodes[at]);
  }
  std::vector<NestedNodes> levels;
  for (Index count = space.node_count(); count > few;) {
    std::optional<NestedCells> coarser = coarser_cells(wanted, cells, count);
    if (!coarser) break;
    count = coarser->node_count();
    cells = std::move(coarser->cells);
    levels.push_back({std::move(coarser->first), std::move(coarser->parents), std::move(coarser->same)});
  }
  if (levels.empty()) return nullptr;
  return std::make_shared<const std::vector<NestedNodes>>(std::move(levels));
}

SolverGeometry solver_geometry(const FunctionSpace& space) {
  return {&space.coordinates(), space.mesh().dimension(), [&space] { return nested_nodes(space); }};
}

}  // namespace ritz
