// Raising linear cells to quadratic ones and back.
//
//   Mesh fine = with_order(mesh, 2);                       // tet4 -> tet10, hex8 -> hex27, ...
//   Mesh lean = with_order(mesh, 2, MidNodes::serendipity) // hex8 -> hex20, quad4 -> quad8, prism6 -> prism15, ...
#pragma once

#include "mesh/mesh.hpp"

namespace ritz {

enum class MidNodes {
  serendipity,  // on edges only
  full,         // on edges, quadrilateral faces, and in the middle of hexahedra and quadrilaterals
};

// The kind of the same shape with that order; tri6, tet10 and line3 serve both kinds of mid nodes.
CellKind kind_with_order(CellKind kind, int order, MidNodes mid_nodes = MidNodes::full);

// The same geometry with cells of order 1 or 2. New nodes lie where the old cell has them (in the middle of linear
// cells) and are shared between cells. Nodes that are no longer needed are removed, which straightens curved cells; at
// order 2, cells whose map is of a higher order keep it. Nodes that stay keep their order and come first. Regions of
// cells and facets are kept as they are. A new node joins a region of nodes when all corners of the edge, face or cell
// in whose middle it lies belong to that region, but not in the middle of a line cell, and no region named in `points`.
// Throws Error: Exit::input when the order is not 1 or 2.
Mesh with_order(const Mesh& mesh, int order, MidNodes mid_nodes = MidNodes::full,
                std::span<const std::string> points = {});
MeshData with_order(const MeshData& data, int order, MidNodes mid_nodes = MidNodes::full,
                    std::span<const std::string> points = {});

}  // namespace ritz
