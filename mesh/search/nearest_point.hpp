// The nearest point of a cell, or of a facet, edge or corner of one, straight or curved: Newton's method on the cell's
// map, kept inside the reference cell.
//
//   const CellMap map(mesh, cell);
//   const Nearest found = nearest_point(shape_of(map, facet), x, 0);      // found.xi, found.distance
#pragma once

#include "mesh/curved_cells.hpp"
#include "mesh/mesh.hpp"
#include "mesh/search/cell_search.hpp"

#include <span>
#include <vector>

namespace ritz {

// A cell, or one of its facets, edges and corners, through whose reference cell it is mapped. The map must outlive it.
struct LocatedShape {
  CellKind kind;  // linear
  const CellMap* cell;
  std::vector<Point> corners;  // on the cell's reference cell; none of the cell itself
};
LocatedShape shape_of(const CellMap& cell);
LocatedShape shape_of(const CellMap& cell, int facet);  // -1: the cell itself

// sum of weights times points
Point combined(std::span<const double> weights, std::span<const Point> points);
// On the reference cell of the shape's cell.
Point place_in_cell(const LocatedShape& shape, const Point& xi);
// In space.
Point point_at(const LocatedShape& shape, const Point& xi);

// The same, and d x / d xi_k.
CellMap::Place with_tangents_at(const LocatedShape& shape, const Point& xi);

struct Nearest {
  Point xi;  // on the reference cell of the shape's kind
  double distance;
};
// From the centre, and if that does not reach the point within `enough`, from the node of the cell that is nearest to
// it.
Nearest descend_twice(const LocatedShape& shape, const Point& target, double enough);
// The nearest point of a shape: inside it, or the nearest point of one of its facets.
Nearest nearest_point(const LocatedShape& shape, const Point& target, double enough);

}  // namespace ritz
