// The nodes of a Lagrange cell of any order, in the order in which a file lists them: corners, edges, facets, the
// inside. Formats differ in the direction of edges, and in where the list of a facet starts and how it continues; these
// differences are data:
//
//   NodeOrder gmsh{CellKind::quad4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, Listing::recursive, Listing::recursive};
//   std::vector<Point> nodes = reference_points(CellKind::quad4, lattice(gmsh, 3), equal_steps(3));
#pragma once

#include "mesh/cell_geometry.hpp"

#include <array>
#include <span>
#include <vector>

namespace ritz {

// in steps of the lattice, from corner 0; in a pyramid of order p, layer k has (p + 1 - k)^2 places
using Place = std::array<int, 3>;

enum class Listing {
  rows,       // x fastest, then y, then z
  recursive,  // like the cell of the order that is left inside: its corners, its edges, ...
  rings,      // once around, then around what is left; in solids one layer after the other
  columns,    // prisms: the triangles recursively, and for each place in them all heights, the ends first
};

struct NodeOrder {
  CellKind shape;                         // linear
  std::vector<std::array<int, 2>> edges;  // corners, from the first to the second
  // of solids: corners; lists start at the first, run to the second, then to the last
  std::vector<std::vector<int>> facets;
  Listing on_facets, inside;
};

// All places of a cell of order p; p >= 0.
std::vector<Place> lattice(const NodeOrder& order, int p);

// Positions on the reference cell, for the nodes of a line on [0, 1], symmetric, ends included; their number less one
// is the order. In triangles and tetrahedra, a place with the barycentric steps a, b, c, ... has the weights line[a] :
// line[b] : line[c] ...
std::vector<Point> reference_points(CellKind shape, std::span<const Place> places, std::span<const double> line);

std::vector<double> equal_steps(int order);  // 0, 1/p, ..., 1

}  // namespace ritz
