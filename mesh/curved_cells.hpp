// Cells whose map is of order 3 or more. The mesh holds their nodes of order 2, as of all cells, and additionally
// their own map: polynomials through points of their own. Fields are integrated, written and evaluated on this
// map.
//
//   for (Index cell : ...) Point x = CellMap(mesh, cell).at(xi);
#pragma once

#include "mesh/orthogonal_polynomials.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

class Mesh;

// Those of one block.
struct CurvedCells {
  std::shared_ptr<const LagrangePolynomials> functions;  // on the reference cell
  std::vector<std::int64_t> cells;                       // positions in the block, ascending
  std::vector<Point> points;                             // [cell][node of the functions]

  bool empty() const { return cells.empty(); }
  // The points of the cell at a position in the block: [node of the functions]; empty where the cell's own nodes define
  // its map.
  std::span<const Point> of(std::int64_t position) const;
  // Takes over the points of a cell of `others`, if it has any. Positions ascend.
  void append(const CurvedCells& others, std::int64_t their_position, std::int64_t position);
};

// From the reference cell to a cell of the mesh, whatever its order.
class CellMap {
 public:
  CellMap(const Mesh& mesh, std::int64_t cell);
  CellKind kind() const { return kind_; }
  std::span<const Point> nodes() const { return nodes_; }              // of the map, in space
  std::span<const Point> reference_nodes() const;                      // the same on the reference cell
  const LagrangePolynomials* functions() const { return functions_; }  // nullptr: those of the kind
  // of the functions of its nodes
  void evaluate(const Point& xi, std::span<double> values, std::span<Point> gradients) const;
  Point at(const Point& xi) const;
  std::array<Point, 3> tangents(const Point& xi) const { return with_tangents(xi).tangents; }  // d x / d xi_k
  struct Place {
    Point at{};
    std::array<Point, 3> tangents{};
  };
  Place with_tangents(const Point& xi) const;

 private:
  CellKind kind_;
  const LagrangePolynomials* functions_ = nullptr;
  std::vector<Point> nodes_;
};

// From the reference cell of a facet's kind into space, through the cell that it belongs to.
class FacetMap {
 public:
  FacetMap(const CellMap& cell, int facet) : FacetMap(cell.kind(), facet) { cell_ = &cell; }
  FacetMap(CellKind cell, int facet);  // onto the reference cell alone: for place() and axes()
  Point at(const Point& xi) const { return cell_->at(place(xi)); }
  std::array<Point, 3> tangents(const Point& xi) const;
  Point place(const Point& xi) const;                // on the cell's reference cell
  std::array<Point, 3> axes(const Point& xi) const;  // d place / d xi_k

 private:
  const CellMap* cell_ = nullptr;
  CellKind shape_;              // of the facet, linear
  std::vector<Point> corners_;  // on the cell's reference cell
};

}  // namespace ritz
