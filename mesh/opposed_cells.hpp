// Surfaces whose normals (right-hand rule of the nodes) jump to the other side at an edge: what acts against the
// normal, and what is measured along it, changes its sign there.
//
//   if (const OpposedCells o = opposed_cells(mesh, region.cells); o.pairs > 0) ...
#pragma once

#include "mesh/mesh.hpp"

#include <span>

namespace ritz {

// Of the edges that belong to two of the cells: how many look so, and the two cells of one of them. Where more surfaces
// meet there is no common side.
struct OpposedCells {
  Index pairs = 0, first = -1, second = -1;
};
OpposedCells opposed_cells(const Mesh& mesh, std::span<const Index> cells);

}  // namespace ritz
