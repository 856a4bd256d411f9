// Finds the uniform refinement in a mesh of quadrilaterals or hexahedra: four or eight cells around a node make one
// coarser cell. Only the cells are used, so the origin and the numbering of the mesh do not matter.
//
//   while (const auto coarser = coarser_cells(3, cells, node_count)) {
//     ...
//     cells = coarser->cells; node_count = coarser->node_count();
//   }
#pragma once

#include "mesh/mesh.hpp"

#include <optional>

namespace ritz {

struct NestedCells {
  std::vector<Node> cells;   // [coarser cell][corner], in the order of CellTraits
  std::vector<Node> same;    // [coarser node] the finer node at its place, ascending
  std::vector<Index> first;  // [finer node + 1] first of its parents
  // the ends of the edge, the corners of the face or cell in whose middle the node lies, or the coarser node at its
  // place; of nodes that no cell has: none
  std::vector<Node> parents;
  Index node_count() const { return static_cast<Index>(same.size()); }
};

// cells: [cell][corner] of quadrilaterals (dimension 2) or hexahedra (3), in the order of CellTraits. Nothing where
// they are not the uniform refinement of conforming cells. Linear time.
std::optional<NestedCells> coarser_cells(int dimension, std::vector<Node> cells, Index node_count);

// Whether coarser_cells succeeds, but for nodes that lie differently in several coarser cells; takes half of the time.
bool has_coarser_cells(int dimension, std::vector<Node> cells, Index node_count);

}  // namespace ritz
