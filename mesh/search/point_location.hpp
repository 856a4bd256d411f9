// Locates points in the mesh: the cell that holds a point and its reference coordinates there, for values of a field by
// shape functions. A tree of bounding boxes over the cells along the space-filling curve finds candidates, so graded
// meshes cost no more than uniform ones; Newton's method inverts the map of a cell (cell_search.hpp). Points that it
// misses, outside or in cells of order 3 and more, are looked for here with care.
//
//   PointLocator locator(mesh);
//   auto place = locator.locate({0.1, 0, 0.2});   double T = interpolate(mesh, place, temperature, 1)[0];
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"
#include "mesh/search/cell_search.hpp"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

// Views of the cells of a mesh, which they keep.
struct CellBlocks {
  explicit CellBlocks(const Mesh& mesh);
  Mesh mesh;
  std::vector<CellBlockView> views;
};

class PointLocator {
 public:
  // `tolerance`: how far outside a point may lie, relative to the diagonal of the mesh's bounding box.
  explicit PointLocator(const Mesh& mesh, double tolerance = 1e-6);

  struct Place {
    Index cell;
    Point xi;         // reference coordinates, inside the reference cell
    double distance;  // from the point to the cell; 0 (but for rounding) inside the mesh [length]
  };
  // Takes the cell with the lowest number if several share the point. A point outside belongs to the nearest cell
  // within the tolerance. Throws Error: Exit::input with the bounding box and the nearest node when there is none.
  Place locate(const Point& point) const;
  // The same within another distance [length]; nothing where there is no cell. The cell that is guessed is taken if it
  // holds the point.
  std::optional<Place> find(const Point& point, double reach, Index guess = -1) const;
  // In this cell, if it holds the point up to rounding: where the cell can be guessed, without a search.
  static std::optional<Place> in_cell(const Mesh& mesh, Index cell, const Point& point);

  // The boxes, and the cells in their order, for kernels that find most points.
  CellSearch search() const;
  std::span<const CellBox> boxes() const { return boxes_; }
  std::span<const std::int32_t> cells() const { return cells_; }
  static Index box_count(const Mesh& mesh);
  // [bytes] About what a locator of this mesh takes.
  static Index bytes_for(const Mesh& mesh);

 private:
  struct Box {
    Point low, high;
    void add(const Point& point);
    double distance(const Point& point) const;
    operator CellBox() const;
  };
  Box box_of(Index cell) const;
  void add_levels();
  std::optional<Place> nearest_of(std::span<const Index> cells, const Point& point, double reach) const;
  [[noreturn]] void throw_outside(const Point& point) const;

  Mesh mesh_;
  struct Sample {
    std::vector<double> values, straight;  // of a curved cell's functions, and of the corners', at a point
  };
  std::map<const LagrangePolynomials*, std::vector<Sample>> samples_;
  CellBlocks blocks_;  // as the others, for search()
  std::vector<std::int32_t> cells_;
  std::vector<CellBox> boxes_;
  CellSearch search_;
  double reach_ = 0;  // tolerance as a distance
};

// sum over the nodes a of the cell of N_a(xi) f_a, for values [mesh node][component].
std::vector<double> interpolate(const Mesh& mesh, const PointLocator::Place& place, std::span<const double> values,
                                int components);

}  // namespace ritz
