// Finds surfaces whose normals (right-hand rule of the nodes) flip at an edge: loads against the normal, and quantities
// measured along it, change their sign there.
//
//   if (const OpposedCells o = opposed_cells(mesh, region.cells); o.pairs > 0) ...
#pragma once

#include "mesh/mesh.hpp"

#include <span>

namespace ritz {

// Number of edges shared by two cells with opposed normals, and the two cells of one of them. Edges where more surfaces
// meet have no common side and are not counted.
struct OpposedCells {
  Index pairs = 0, first = -1, second = -1;
};
OpposedCells opposed_cells(const Mesh& mesh, std::span<const Index> cells);

}  // namespace ritz
