// Renumberings of cells that leave them as they are, to check that nothing depends on how a mesh numbers them.
#pragma once

#include "mesh/mesh.hpp"

#include <cstdint>
#include <vector>

namespace ritz {

// Every renumbering of a cell's nodes that describes the same cell with the same orientation: node a of the renumbered
// cell is node rotation[a] of the other.
std::vector<std::vector<int>> rotations_of(CellKind kind);

// The same mesh with cells turned at random, and nodes and cells of each block numbered at random. Cells keep no map of
// their own (mesh/curved_cells.hpp), the mesh no regions.
Mesh turned_at_random(const Mesh& mesh, std::uint64_t seed);

}  // namespace ritz
