// Points in rows, columns and layers, as meshers of blocks number them: point (i, j, k) is number i + ni (j + nj k),
// all from 0. Private to io.
#pragma once

#include "mesh/mesh.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

// Points from `first` to `last` along each direction, both included.
struct StructuredRange {
  std::array<Index, 3> first, last;

  int dimension() const;  // in how many directions it extends
};

class StructuredGrid {
 public:
  // dimension 2 or 3; extents of points, 1 in the direction that a plane grid has not. `first`: number of point (0, 0,
  // 0).
  StructuredGrid(int dimension, std::array<Index, 3> points, Node first)
      : dimension_(dimension), points_(points), first_(first) {}

  int dimension() const { return dimension_; }
  Index point_count() const { return points_[0] * points_[1] * points_[2]; }
  Index points_along(int direction) const { return points_[static_cast<std::size_t>(direction)]; }
  Node node(Index i, Index j, Index k) const {
    return static_cast<Node>(first_ + i + points_[0] * (j + points_[1] * k));
  }
  StructuredRange all() const { return {{0, 0, 0}, {points_[0] - 1, points_[1] - 1, points_[2] - 1}}; }
  std::vector<Node> nodes(const StructuredRange& range) const;
  // Zones may be numbered with either hand: after this, cells of the grid's own dimension have positive volumes, if
  // most can.
  void turn_to_positive(std::span<const double> points);  // [point][3]
  // Lines, quadrilaterals or hexahedra between the points of the range, in VTK's order of nodes, appended.
  void append_cells(const StructuredRange& range, std::vector<Node>& nodes) const;
  // The cells of a range that has the grid's dimension, row by row: the number of the first one in the grid, and how
  // many.
  std::vector<std::pair<Index, Index>> rows_of_cells(const StructuredRange& range) const;

 private:
  int dimension_;
  std::array<Index, 3> points_;
  Node first_;
  bool turned_ = false;  // corners of cells go the other way round in their first direction
};

CellKind structured_kind(int dimension);  // line2, quad4, hex8

}  // namespace ritz
