// The geometry of the reference cells: where their nodes are, and the shape functions and gradients that carry
// the reference cell to a cell of a mesh. Plain double, one point at a time: for tabulation and checks.
//
//   std::vector<double> N = shape_values(CellKind::tet10, {0.25, 0.25, 0.25});
//
// Reference cells: line [-1, 1]; triangle and tetrahedron with vertices at 0 and the unit vectors; quadrilateral and
// hexahedron [-1, 1]^d; prism = triangle x [-1, 1]; pyramid with base [-1, 1]^2 at z = 0 and apex (0, 0, 1).
// Spaces: P1, P2 on simplices; Q1, Q2 or serendipity on cubes; P_k x Q_k on prisms (prism15: serendipity);
// pyramids are rational, with r = xy / (1 - z): 5 nodes span P1 + {r}, 13 nodes P2 + {r, x r, y r}, 14 nodes
// P2 + {r, x r, y r, r^2} (Bergot, Cohen, Durufle 2010). Restricted to a facet, each is the space of the facet's
// kind. At the apex a pyramid's gradients depend on the direction: there the limit along the axis x = y = 0 is given.
#pragma once

#include "mesh/cell_kind.hpp"

#include <array>
#include <span>
#include <vector>

namespace ritz {

using Point = std::array<double, 3>;

// Coordinates of the nodes on the reference cell, in the order of CellTraits; unused coordinates are 0.
std::span<const Point> reference_nodes(CellKind kind);

// The centroid of the reference cell's volume.
Point reference_centroid(CellKind kind);

// Values of all shape functions at a point of the reference cell: [node].
std::vector<double> shape_values(CellKind kind, const Point& xi);
// The same into an array for any cell, without memory of its own; their number.
inline constexpr std::size_t most_cell_nodes = 27;
std::size_t shape_values(CellKind kind, const Point& xi, std::span<double, most_cell_nodes> values);

// Their gradients with respect to the reference coordinates: [node][axis]; unused axes are 0.
std::vector<Point> shape_gradients(CellKind kind, const Point& xi);
// Both, likewise.
std::size_t shape_functions(CellKind kind, const Point& xi, std::span<double, most_cell_nodes> values,
                            std::span<Point, most_cell_nodes> gradients);

struct QuadraturePoint {
  Point xi;
  double weight;
};

// Three Gauss points in each direction (collapsed for simplices and pyramids). Exact for the volume of every cell
// kind, and for the integral of x . n over every facet kind, curved or not.
std::span<const QuadraturePoint> geometry_rule(CellKind kind);

}  // namespace ritz
