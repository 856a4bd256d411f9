// Locates points in the mesh: the cell that holds a point and its reference coordinates there, for values of a field by
// shape functions. A tree of bounding boxes over the cells along the space-filling curve finds candidates, so graded
// meshes cost no more than uniform ones; Newton's method inverts the map of a cell, curved or not.
//
//   PointLocator locator(mesh);
//   auto place = locator.locate({0.1, 0, 0.2});   double T = interpolate(mesh, place, temperature, 1)[0];
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class PointLocator {
 public:
  // The mesh must outlive the locator. `tolerance`: how far outside a point may lie, relative to the diagonal of the
  // mesh's bounding box.
  explicit PointLocator(const Mesh& mesh, double tolerance = 1e-6);

  struct Place {
    Index cell;
    Point xi;         // reference coordinates, inside the reference cell
    double distance;  // from the point to the cell; 0 (but for rounding) inside the mesh [length]
  };
  // Takes the cell with the lowest number if several share the point. A point outside belongs to the nearest cell
  // within the tolerance. Throws Error(Exit::input) with the bounding box and the nearest node when there is none.
  Place locate(const Point& point) const;
  // The same within another distance [length]; nothing where there is no cell.
  std::optional<Place> find(const Point& point, double reach) const;
  // In this cell, if it holds the point up to rounding: where the cell can be guessed, without a search.
  static std::optional<Place> in_cell(const Mesh& mesh, Index cell, const Point& point);
  // The same by a few steps of Newton's method, which may miss it in a cell that is much bent.
  static std::optional<Place> quickly_in_cell(const Mesh& mesh, Index cell, const Point& point);
  // [bytes] About what a locator of this mesh takes.
  static Index bytes_for(const Mesh& mesh);

 private:
  struct Box {
    Point low, high;
    void add(const Box& other);
    bool is_within(double reach, const Point& point) const;
    double distance(const Point& point) const;
  };
  struct CellBox {  // the same in half the memory, not smaller
    std::array<float, 3> low, high;
    explicit CellBox(const Box& box);
    CellBox() = default;
    bool is_within(double reach, const Point& point) const;
  };
  struct Straight;
  Box box_of(Index cell) const;
  template <class Visit>  // visit(cell) for all cells whose box is within `reach` of the point
  void for_each_near(const Point& point, double reach, Visit visit) const;
  std::optional<Place> nearest_of(std::span<const Index> cells, const Point& point, double reach) const;
  [[noreturn]] void throw_outside(const Point& point) const;

  const Mesh* mesh_;
  struct Sample {
    std::vector<double> values, straight;  // of a curved cell's functions, and of the corners', at a point
  };
  std::map<const LagrangePolynomials*, std::vector<Sample>> samples_;
  std::vector<Index> order_;              // cells along the curve
  std::vector<CellBox> boxes_;            // [i] of order_[i]
  std::vector<std::vector<Box>> levels_;  // levels_[0][i] holds order_[4 i ... 4 i + 3]; the last level is the root
  double reach_ = 0;                      // tolerance as a distance
};

// sum over the nodes a of the cell of N_a(xi) f_a, for values [mesh node][component].
std::vector<double> interpolate(const Mesh& mesh, const PointLocator::Place& place, std::span<const double> values,
                                int components);

}  // namespace ritz
