// An order of the cells along a space-filling curve (Hilbert's), so that cells near each other in memory are near each
// other in space: for caches, for first-touch numbering of unknowns, and for cutting a mesh into parts.
//
//   std::vector<Index> order = curve_order(mesh);   // order[0] is the first cell along the curve
#pragma once

#include "mesh/mesh.hpp"

#include <array>
#include <cstdint>

namespace ritz {

// A permutation of the cells, by the means of their corners, in coordinates that are measured in mean extents of the
// cells: stretching a mesh along an axis changes nothing. Cells in the same place of a grid of 2^16 (two dimensions:
// 2^24) places per direction keep their order. The result does not depend on the number of threads.
std::vector<Index> curve_order(const Mesh& mesh);

// The same within one block: positions in the block, for blocks that are renumbered one by one.
std::vector<Index> curve_order(const Mesh& mesh, const CellBlock& block);

// Position along the Hilbert curve of `levels` bits per direction (3 D: at most 21, 2 D: at most 31).
std::uint64_t hilbert_position_3d(std::array<std::uint32_t, 3> place, int levels);
std::uint64_t hilbert_position_2d(std::array<std::uint32_t, 2> place, int levels);

}  // namespace ritz
