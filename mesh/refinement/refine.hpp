// Uniform refinement: every line becomes 2 cells, every triangle and quadrilateral 4, every tetrahedron, hexahedron and
// prism 8, every pyramid 6 pyramids and 4 tetrahedra. Orders and kinds of mid nodes are kept.
//
//   Mesh finer = refine(mesh);
#pragma once

#include "mesh/mesh.hpp"

namespace ritz {

// New nodes lie on the geometry of the parent cell (its shape functions), curved or not, and are shared by the cells
// around them; old nodes keep their numbers and come first. The octahedron inside a tetrahedron is cut along its
// shortest diagonal. Children of one cell are consecutive; those of pyramids are in two blocks. Regions of cells and
// facets hold the children; a new node joins a region of nodes when all nodes of the edge or face (or cell) on which it
// lies belong to it, but not between the ends of a line cell, and no region named in `points`. Throws Error: Exit::mesh
// when node numbers would not fit 32 bits.
Mesh refine(const Mesh& mesh, std::span<const std::string> points = {});
MeshData refine(const MeshData& data, std::span<const std::string> points = {});

}  // namespace ritz
