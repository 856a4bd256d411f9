#include "io/meshes/vtk_cells.hpp"

#include "mesh/lagrange_cells.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

namespace ritz {
namespace {

// Pixels and voxels: quadrilaterals and hexahedra along the axes, whose nodes go row by row instead of round.
constexpr int pixel = 8, voxel = 11;

// VTK's Lagrange cells of order 1 and 2 have the node orders of the older cells.
const CellTraits* cell_of(int vtk_type, int node_count) {
  if (vtk_type == pixel && node_count == 4) return &traits(CellKind::quad4);
  if (vtk_type == voxel && node_count == 8) return &traits(CellKind::hex8);
  constexpr int lagrange_curve = 68;
  struct Lagrange {
    int type, dimension, corner_count;
  };
  constexpr std::array lagrange{Lagrange{lagrange_curve, 1, 2},
                                Lagrange{69, 2, 3},
                                Lagrange{70, 2, 4},
                                Lagrange{71, 3, 4},
                                Lagrange{72, 3, 8},
                                Lagrange{73, 3, 6}};
  for (const CellKind kind : all_cell_kinds()) {
    const CellTraits& cell = traits(kind);
    if (cell.node_count != node_count) continue;
    if (cell.vtk_type == vtk_type) return &cell;
    for (const Lagrange& other : lagrange)
      if (other.type == vtk_type && other.dimension == cell.dimension && other.corner_count == cell.corner_count)
        return &cell;
  }
  return nullptr;
}

// Lagrange cells of order 3 and more; VTK has no such pyramids.
struct HighOrderCell {
  CellKind kind;  // that they are taken as
  int order;
};
std::optional<HighOrderCell> high_order_cell(int vtk_type, int node_count) {
  constexpr int cubic_line = 35, highest_order = 10;
  using enum CellKind;
  for (const CellKind shape : {line2, tri3, quad4, tet4, hex8, prism6})
    for (int order = 3; order <= highest_order; ++order) {
      const LagrangeType type = lagrange_type(shape, order);
      if (type.node_count == node_count &&
          (type.vtk_type == vtk_type || (vtk_type == cubic_line && shape == line2 && order == 3)))
        return HighOrderCell{complete_quadratic(shape), order};
    }
  return std::nullopt;
}

// Cells of one kind and of several orders cannot be told apart later; nor have we cells of one order in one direction
// and another in the next.
const CellTraits* take_high_order(const HighOrderCell& cell, bool equal_degrees, VtkCells& cells) {
  NodeSet& set = cells.node_sets[static_cast<std::size_t>(cell.kind)];
  if (!equal_degrees || (set.order != cell.order && cells.counts.contains(cell.kind))) return nullptr;
  if (set.nodes.empty()) set = {cell.order, lagrange_nodes(traits(cell.kind).linear, cell.order)};
  return &traits(cell.kind);
}

}  // namespace

VtkConnectivity::VtkConnectivity(const UnstructuredGrid& grid, const std::string& path)
    : grid_(&grid), path_(&path), point_count_(std::ssize(grid.points) / 3) {
  const std::vector<std::int64_t>& offsets = grid.offsets;
  bool rises = offsets.size() == grid.types.size() + 1 && offsets.front() == 0 &&
               offsets.back() <= std::ssize(grid.connectivity);
  for (std::size_t cell = 0; rises && cell + 1 < offsets.size(); ++cell) rises = offsets[cell] <= offsets[cell + 1];
  if (!rises)
    throw Error(
        ErrorKind::mesh_contents,
        fmt::format("the lists of points of the {} cells of '{}' do not follow each other", grid.types.size(), path),
        fmt::format("there are {} offsets and {} point numbers", offsets.size(), grid.connectivity.size()),
        "write the file again");
}

void VtkConnectivity::nodes_of(std::size_t cell, std::span<Node> nodes) const {
  const auto first = static_cast<std::size_t>(grid_->offsets[cell]);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t point = grid_->connectivity[first + i];
    if (point < 0 || point >= point_count_)
      throw Error(ErrorKind::mesh_reference, fmt::format("cell {} of '{}' uses point {}", cell, *path_, point),
                  fmt::format("there are {} points, numbered from 0", point_count_), "write the file again");
    nodes[i] = static_cast<Node>(point);
  }
  if (grid_->types[cell] != pixel && grid_->types[cell] != voxel) return;
  for (std::size_t i = 2; i + 1 < nodes.size(); i += 4) std::swap(nodes[i], nodes[i + 1]);
}

VtkCells cells_of(const UnstructuredGrid& grid, const VtkConnectivity& connectivity, const std::string& path) {
  VtkCells cells;
  std::map<std::pair<int, int>, Index> unsupported;
  std::pair<int, int> last{-1, -1};
  const GridArray& degrees = grid.degrees;
  const auto equal_degrees = [&degrees](std::size_t cell, int dimension) {
    const auto axes = static_cast<std::size_t>(std::min(dimension, degrees.components));
    const std::size_t first = cell * static_cast<std::size_t>(degrees.components);
    for (std::size_t axis = 1; axis < axes && first + axis < degrees.values.size(); ++axis)
      if (degrees.values[first + axis] != degrees.values[first]) return false;
    return true;
  };
  bool is_high = false;
  Index* counted = nullptr;
  CellKind counted_kind{};
  cells.kinds.reserve(grid.types.size());
  const CellTraits* kind = nullptr;
  for (std::size_t cell = 0; cell < grid.types.size(); ++cell) {
    const int type = grid.types[cell];
    const auto node_count = static_cast<int>(connectivity.node_count(cell));
    if (last != std::pair(type, node_count) || is_high) {
      kind = cell_of(type, node_count);
      const auto high = kind == nullptr ? high_order_cell(type, node_count) : std::nullopt;
      is_high = high.has_value();
      if (high) kind = take_high_order(*high, equal_degrees(cell, traits(high->kind).dimension), cells);
      else if (kind != nullptr && !cells.node_sets[static_cast<std::size_t>(kind->kind)].nodes.empty()) kind = nullptr;
    }
    last = {type, node_count};
    if (kind == nullptr) ++unsupported[{type, node_count}];
    else cells.dimension = std::max(cells.dimension, kind->dimension);
    cells.kinds.push_back(kind);
    if (kind == nullptr) continue;
    if (counted == nullptr || counted_kind != kind->kind) counted = &cells.counts[counted_kind = kind->kind];
    ++*counted;
  }
  if (unsupported.empty()) return cells;
  std::string list;
  for (const auto& [what, count] : unsupported)
    list += fmt::format("{}{} cells of VTK type {} with {} nodes", list.empty() ? "" : ", ", count, what.first,
                        what.second);
  throw Error(ErrorKind::mesh_order, fmt::format("'{}' holds {}", path, list),
              cells.has_high_order() ? "Ritz has no such cells, or none of several orders from 3 in one shape"
                                     : "Ritz has no such cells",
              "use lines, triangles, quadrilaterals, tetrahedra, hexahedra, wedges and pyramids of order 1 or 2");
}

CellsByKind nodes_by_kind(const VtkConnectivity& connectivity, const VtkCells& cells, const std::vector<Node>& joined) {
  CellsByKind nodes;
  for (std::size_t cell = 0; cell < cells.kinds.size(); ++cell) {
    const CellKind kind = cells.kinds[cell]->kind;
    std::vector<Node>& of_kind = nodes[static_cast<std::size_t>(kind)];
    const std::size_t before = of_kind.size();
    of_kind.resize(before + static_cast<std::size_t>(file_node_count(cells.node_sets, kind)));
    connectivity.nodes_of(cell, std::span(of_kind).subspan(before));
    if (!joined.empty())
      for (Node& node : std::span(of_kind).subspan(before)) node = joined[static_cast<std::size_t>(node)];
  }
  return nodes;
}

}  // namespace ritz
