// Into which cells a reference cell is cut by uniform refinement.
#pragma once

#include "mesh/cell_geometry.hpp"

#include <vector>

namespace ritz {

struct Child {
  CellKind linear;
  std::vector<Point> corners;  // on the reference cell of the parent
};

// `variant` of 3 for tetrahedra: one per diagonal of the octahedron inside; else 0.
std::vector<Child> children_of(CellKind linear, int variant);

// Maps a point of the child's reference cell to the parent's.
Point place_in_parent(const Child& child, const Point& xi);

}  // namespace ritz
