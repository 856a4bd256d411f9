// The points of a quadrature rule in the elements of a group: their positions on the device, some batches at a time so
// that these need little memory, and the cells in which they lie. Private to fem/operator.
#pragma once

#include "fem/launch/coefficients.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/operator/readable.hpp"
#include "mesh/evaluation_points.hpp"
#include "mesh/quadrature.hpp"

#include <map>
#include <utility>
#include <vector>

namespace ritz {

// Cells of a group's elements, and where in them its points lie. None of nodes.
class PlacesInCells {
 public:
  PlacesInCells(const Mesh& mesh, const ElementGroup& group, const QuadratureRule& rule);

  struct Table {
    CellKind kind;
    std::vector<Point> points;  // on the reference cell
  };
  const std::vector<Table>& tables() const { return tables_; }
  static bool known(const ElementGroup& group) { return !group.elements.empty() || !group.facets.empty(); }
  Index cell(std::size_t element) const {
    return group_.elements.empty() ? group_.facets[element].cell : group_.elements[element];
  }
  int table(std::size_t element) const;

 private:
  Mesh mesh_;
  const ElementGroup& group_;
  std::vector<Table> tables_;
  std::map<std::pair<CellKind, int>, int> on_facets_;
};

class QuadraturePoints {
 public:
  QuadraturePoints(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule);

  const Device& device() const { return device_; }
  const CoefficientKernels& kernels() const { return kernels_; }
  const Mesh& mesh() const { return mesh_; }
  const ElementGroup& group() const { return group_; }
  const PlacesInCells& in_cells() const { return in_cells_; }
  Index count() const { return count_; }                                        // in an element
  Index entries() const { return group_.batch_count() * count_ * lane_count; }  // [batch][point][lane]
  Index entries_of_piece() const { return entries_of_piece(group_, count_); }   // at most
  static Index entries_of_piece(const ElementGroup& group, Index points);
  // use(places, first entry) for pieces that cover all batches
  template <class Use>
  void each_piece(const Use& use) const {
    PointPlaces places = places_;
    for (Index first = 0; first < group_.batch_count(); first += batches_of_piece) {
      places.first_batch = first;
      places.count = std::min(batches_of_piece, group_.batch_count() - first) * count_ * lane_count;
      use(places, first * count_ * lane_count);
    }
  }
  // The points of a piece with their cells, for functions of the host and for errors.
  class OnHost {
   public:
    OnHost(const QuadraturePoints& points, const PointPlaces& places, const Vector& x);
    EvaluationPoints points() const;

   private:
    const QuadraturePoints& of_;
    std::vector<double> x_;
    std::vector<Index> cells_;
    std::vector<Point> xi_;
  };

 private:
  static constexpr Index batches_of_piece = 1024;
  const Device device_;
  const CoefficientKernels& kernels_;
  Mesh mesh_;
  const ElementGroup& group_;
  PlacesInCells in_cells_;
  std::vector<double> shapes_;
  Readable<double> shapes_on_device_;
  Index count_;
  PointPlaces places_{};
};

}  // namespace ritz
