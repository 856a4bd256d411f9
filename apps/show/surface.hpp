// The surface of a mesh as triangles, and its bars as segments. Facets with mid-nodes are divided at them, so that they
// look as curved as they are.
//
//   const Surface seen = surface_of(mesh);   seen.nodes[seen.triangles[0][1]]   // a node of the mesh
#pragma once

#include "mesh/mesh.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace ritz {

struct Surface {
  std::vector<Node> nodes;   // of the mesh, ascending
  std::vector<Index> cells;  // of the mesh, ascending
  // Positions in `nodes`, the normal pointing outwards, and the position in `cells` of the cell that each belongs to.
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint32_t> triangle_cells;
  std::vector<std::array<std::uint32_t, 2>> segments;
  std::vector<std::uint32_t> segment_cells;
  // Sides of triangles along which the surface ends or turns by more than 30 degrees.
  std::vector<std::array<std::uint32_t, 2>> edges;
};

// Facets that belong to one solid cell, cells in the plane, shells, bars and beams.
Surface surface_of(const Mesh& mesh);

}  // namespace ritz
