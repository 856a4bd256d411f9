#include "fem/space/nested_nodes.hpp"

#include "device/host_view.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/refinement/looks_refined.hpp"
#include "fem/space/coupled_nested_nodes.hpp"
#include "mesh/refinement/nested_cells.hpp"
#include "mesh/refinement/nested_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace ritz {
namespace {

constexpr Index few = 200;  // nodes that a dense inverse takes

// Positions of the corners of a cell among the nodes of its element.
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

// [cell][corner] of meshes of quadrilaterals or hexahedra alone; corner_of: [node of the space], empty where they are
// the same.
std::vector<Node> corner_cells(const FunctionSpace& space, const std::vector<Node>& corner_of) {
  const Mesh& mesh = space.mesh();
  const CellKind wanted = mesh.dimension() == 3 ? CellKind::hex8 : CellKind::quad4;
  for (const CellBlock& block : mesh.blocks())
    if (traits(block.kind).linear != wanted) return {};
  const std::vector<std::size_t> corners = corners_in(space.element(mesh.kind_of(0)));
  std::vector<Node> cells, nodes;
  cells.reserve(static_cast<std::size_t>(mesh.cell_count() * traits(wanted).corner_count));
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    space.nodes_of(cell, nodes);
    for (const std::size_t at : corners)
      cells.push_back(corner_of.empty() ? nodes[at] : corner_of[static_cast<std::size_t>(nodes[at])]);
  }
  return cells;
}

// From the mesh of `count` corners on.
void add_coarser_meshes(int dimension, std::vector<Node> cells, Index count, std::vector<NestedNodes>& levels) {
  while (count > few) {
    std::optional<NestedCells> coarser = coarser_cells(dimension, std::move(cells), count);
    if (!coarser) break;
    count = coarser->node_count();
    cells = std::move(coarser->cells);
    levels.push_back(
        {.first = std::move(coarser->first), .parents = std::move(coarser->parents), .same = std::move(coarser->same)});
  }
}

bool is_of_simplices(const Mesh& mesh) {
  const CellKind wanted = mesh.dimension() == 3 ? CellKind::tet4 : CellKind::tri3;
  return std::ranges::all_of(mesh.blocks(),
                             [&](const CellBlock& block) { return traits(block.kind).linear == wanted; });
}

// The same for triangles and tetrahedra, from the edges of the mesh: those of the pattern, so that no list is made for
// it.
void add_coarser_graphs(const FunctionSpace& space, const std::vector<Node>& corner_of, Index count,
                        std::vector<NestedNodes>& levels) {
  const Mesh& mesh = space.mesh();
  if (!space.has_pattern() || !is_of_simplices(mesh)) return;
  const HostView<Index> offsets(space.pattern()->offsets());
  const HostView<std::int32_t> columns(space.pattern()->columns());
  const auto dimension = static_cast<std::ptrdiff_t>(mesh.dimension());
  std::vector<double> places;  // [node of the first level][dimension]; those of a space that ranks cut are on no device
  const auto place = [&](std::size_t node) {
    const Point x = space.point(static_cast<Node>(node));
    places.insert(places.end(), x.begin(), x.begin() + dimension);
  };
  std::optional<NestedGraph> level;
  places.reserve(static_cast<std::size_t>(space.node_count() * dimension));
  if (corner_of.empty()) {
    for (std::size_t node = 0; node < static_cast<std::size_t>(space.node_count()); ++node) place(node);
    level = coarser_graph(offsets.span(), columns.span(), places, mesh.dimension());
  } else {
    NodeNeighbours corners{{0}, {}};
    for (std::size_t node = 0; node < corner_of.size(); ++node) {
      if (corner_of[node] < 0) continue;
      for (Index k = offsets[static_cast<Index>(node)]; k < offsets[static_cast<Index>(node) + 1]; ++k)
        if (const Node corner = corner_of[static_cast<std::size_t>(columns[k])]; corner >= 0)
          corners.neighbours.push_back(corner);
      corners.offsets.push_back(static_cast<Index>(corners.neighbours.size()));
      place(node);
    }
    level = coarser_graph(corners.offsets, corners.neighbours, places, mesh.dimension());
  }
  while (level) {
    levels.push_back(
        {.first = std::move(level->first), .parents = std::move(level->parents), .same = std::move(level->same)});
    count = level->graph.node_count();
    if (count <= few) return;
    level = coarser_graph(level->graph.offsets, level->graph.neighbours, level->places, mesh.dimension());
  }
}

// For every node of an element of order 2, the corners whose mean it is. Nothing where one is no such mean.
std::optional<std::vector<std::vector<std::size_t>>> corners_around(const ReferenceElement& element) {
  const ReferenceElement linear = cell_element(element.shape);
  const std::vector<std::size_t> corner = corners_in(element);
  std::vector<double> values(linear.nodes.size());
  std::vector<Point> gradients(linear.nodes.size());
  std::vector<std::vector<std::size_t>> around;
  for (std::size_t node = 0; node < element.nodes.size(); ++node) {
    const auto same = std::ranges::find(corner, node);
    if (same != corner.end()) {  // functions of pyramids have no value at the apex
      around.push_back({node});
      continue;
    }
    linear.evaluate(element.nodes[node], values, gradients);
    const double largest = std::ranges::max(values);
    std::vector<std::size_t>& here = around.emplace_back();
    for (std::size_t k = 0; k < corner.size(); ++k) {
      if (std::abs(values[k]) < 1e-10) continue;
      if (std::abs(values[k] - largest) > 1e-10) return std::nullopt;
      here.push_back(corner[k]);
    }
  }
  return around;
}

// The corners of the cells as coarser space of order 2: the other nodes lie in the middle of edges, faces and cells,
// and fields of order 1 are among those of the space.
std::optional<NestedNodes> corner_nodes(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  std::map<CellKind, std::vector<std::vector<std::size_t>>> around;
  std::vector<Node> nodes;
  // how many, and which
  std::vector<std::array<Node, 9>> parents(static_cast<std::size_t>(space.node_count()), std::array<Node, 9>{});
  Index count = 0;
  for (const CellBlock& block : mesh.blocks()) {
    auto& lists = around[block.kind];
    if (lists.empty()) {
      auto found = corners_around(space.element(block.kind));
      if (!found) return std::nullopt;
      lists = std::move(*found);
    }
    for (Index cell = block.first_cell; cell < block.first_cell + block.cell_count(); ++cell) {
      space.nodes_of(cell, nodes);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        auto& p = parents[static_cast<std::size_t>(nodes[a])];
        if (p[0] != 0) continue;
        for (const std::size_t corner : lists[a]) p[static_cast<std::size_t>(++p[0])] = nodes[corner];
        count += p[0];
      }
    }
  }
  NestedNodes result{.first = {}, .parents = {}, .same = {}, .same_cells = true};
  std::vector<Node> coarse(parents.size(), -1);
  for (std::size_t node = 0; node < parents.size(); ++node)
    if (parents[node][0] == 1) {
      coarse[node] = static_cast<Node>(result.same.size());
      result.same.push_back(static_cast<Node>(node));
    }
  result.first.reserve(parents.size() + 1);
  result.parents.reserve(static_cast<std::size_t>(count));
  result.first.push_back(0);
  for (const auto& p : parents) {
    for (Node k = 1; k <= p[0]; ++k)
      result.parents.push_back(coarse[static_cast<std::size_t>(p[static_cast<std::size_t>(k)])]);
    result.first.push_back(static_cast<Index>(result.parents.size()));
  }
  return result;
}

}  // namespace

NestedLevels nested_nodes(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  if (mesh.structural() || space.order() > 2) return nullptr;
  std::vector<NestedNodes> levels;
  std::vector<Node> corner_of;  // [node], of the space of order 1
  Index count = space.node_count();
  if (space.order() == 2 && count > few) {
    std::optional<NestedNodes> corners = corner_nodes(space);
    if (!corners) return nullptr;
    count = static_cast<Index>(corners->same.size());
    corner_of.assign(static_cast<std::size_t>(space.node_count()), -1);
    for (std::size_t k = 0; k < corners->same.size(); ++k)
      corner_of[static_cast<std::size_t>(corners->same[k])] = static_cast<Node>(k);
    levels.push_back(std::move(*corners));
  }
  if (count > few) {
    add_coarser_meshes(mesh.dimension(), corner_cells(space, corner_of), count, levels);
    add_coarser_graphs(space, corner_of, count, levels);
  }
  if (levels.empty()) return nullptr;
  if (space.couplings() != nullptr && !couple_levels(*space.couplings(), levels)) return nullptr;
  return std::make_shared<const NestedHierarchy>(NestedHierarchy{std::move(levels)});
}

Nesting nesting_of(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  if (mesh.structural() || space.order() > 2 || space.node_count() <= few) return Nesting::none;
  if (space.order() == 2) return Nesting::cells;
  if (!looks_refined(mesh)) return Nesting::none;
  // nodes between those of simplices have two parents, too
  return is_of_simplices(mesh) ? Nesting::cells : Nesting::mesh;
}

SolverGeometry solver_geometry(const FunctionSpace& space) {
  return {&space.coordinates(), space.mesh().dimension(), [space] { return nested_nodes(space); }};
}

}  // namespace ritz
