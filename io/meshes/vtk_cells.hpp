// The cells of a VTK grid as kinds of ours, with the nodes of each. Private to io.
#pragma once

#include "io/vtk/unstructured_grid.hpp"
#include "mesh/lower_order.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Lists of points by cell, in arrays that nobody has looked at yet.
class VtkConnectivity {
 public:
  // Throws Error: Exit::mesh for lists that do not follow each other.
  VtkConnectivity(const UnstructuredGrid& grid, const std::string& path);
  Index node_count(std::size_t cell) const { return grid_->offsets[cell + 1] - grid_->offsets[cell]; }
  // Copies the nodes of a cell, as many as it has, in the order of our kinds; throws for points that are not there.
  void nodes_of(std::size_t cell, std::span<Node> nodes) const;

 private:
  const UnstructuredGrid* grid_;
  const std::string* path_;
  Index point_count_;
};

struct VtkCells {
  std::vector<const CellTraits*> kinds;  // of each cell
  std::map<CellKind, Index> counts;
  NodeSets node_sets;  // of cells of order 3 and more
  int dimension = 0;
  bool has_high_order() const {
    return std::ranges::any_of(node_sets, [](const NodeSet& set) { return !set.nodes.empty(); });
  }
};
// Throws Error: Exit::mesh for kinds that Ritz has not.
VtkCells cells_of(const UnstructuredGrid& grid, const VtkConnectivity& connectivity, const std::string& path);

// joined: [point] its number among those that stay; empty: its own.
CellsByKind nodes_by_kind(const VtkConnectivity& connectivity, const VtkCells& cells, const std::vector<Node>& joined);

}  // namespace ritz
