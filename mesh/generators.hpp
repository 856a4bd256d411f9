// Structured boxes of every cell kind, for tests, benchmarks and first steps. They name the sides of the box
// (facets "x0" "x1" "y0" "y1" "z0" "z1") and all cells ("all").
//
//   Mesh mesh = box(10, 10, 40, {1, 1, 4}, CellKind::hex20);
//
// Every cube of the grid becomes one hexahedron, two prisms (extruded along z), six pyramids around a centre node, or
// six tetrahedra around the diagonal (Kuhn); every square one quadrilateral or two triangles.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"
#include "mesh/order.hpp"

#include <array>

namespace ritz {

// Moves nodes inside the box; its sides stay as they are, node for node.
struct Distortion {
  double smooth = 0;       // amplitude of a smooth displacement, relative to the lengths; up to 0.15
  double random = 0;       // largest displacement of inner nodes, relative to the grid's cell; 0.05 suits all kinds
  std::uint64_t seed = 1;  // of the random displacement
  bool curved = false;     // quadratic cells: nodes between the corners move on their own, else edges stay straight
};

// nx x ny x nz cubes on [0, lengths]. Throws Error: Exit::input for counts below 1, lengths not positive, wrong kinds.
Mesh box(Index nx, Index ny, Index nz, Point lengths, CellKind kind, const Distortion& distortion = {});
MeshData box_data(Index nx, Index ny, Index nz, Point lengths, CellKind kind, const Distortion& distortion = {});

// nx x ny squares on [0, lengths], dimension 2; regions x0, x1, y0, y1 and "all".
Mesh rectangle(Index nx, Index ny, std::array<double, 2> lengths, CellKind kind, const Distortion& distortion = {});
MeshData rectangle_data(Index nx, Index ny, std::array<double, 2> lengths, CellKind kind,
                        const Distortion& distortion = {});

// Hexahedra, prisms, pyramids and tetrahedra in one conforming mesh: from x = 0 on a quarter each of hexahedra, of
// prisms, of pyramids (with tetrahedra on their last face) and of tetrahedra. Needs nx >= 4.
Mesh box_mixed(Index nx, Index ny, Index nz, Point lengths, int order = 1, MidNodes mid_nodes = MidNodes::full,
               const Distortion& distortion = {});
MeshData box_mixed_data(Index nx, Index ny, Index nz, Point lengths, int order = 1, MidNodes mid_nodes = MidNodes::full,
                        const Distortion& distortion = {});

}  // namespace ritz
