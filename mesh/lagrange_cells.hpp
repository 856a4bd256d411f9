// Cells of any order as VTK defines them (VTK_LAGRANGE_TETRAHEDRON and so on): the positions of their
// nodes, equally spaced, and their order; and the points and cells for results of a higher order than the
// mesh.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <vector>

namespace ritz {

struct LagrangeBlock {
  int vtk_type;
  int node_count;
  std::vector<Node> nodes;  // [cell][node]: points of LagrangeCells
};

// A block for each block of the mesh, a cell for each of its cells, in its order.
struct LagrangeCells {
  std::vector<double> points;  // [point][3]
  std::vector<LagrangeBlock> blocks;
  Index point_count() const { return static_cast<Index>(points.size()) / 3; }
};

// VTK type that a cell of this shape (a linear kind) is written as. VTK has no Lagrange pyramid: even orders are
// written as its quadratic one with 13 nodes, odd orders as the linear one.
struct LagrangeType {
  int vtk_type;
  int node_count;
};
LagrangeType lagrange_type(CellKind shape, int order);

// The equally spaced nodes of a cell on its reference cell, order >= 1; those of LagrangeType in VTK's order, which
// come first (vtkHigherOrderTriangle, -Tetra, -Quadrilateral, -Hexahedron and -Wedge, in files of version 2.1 and
// newer).
std::vector<Point> lagrange_nodes(CellKind shape, int order);

}  // namespace ritz
