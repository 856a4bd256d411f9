// The cells in which points lie, of a mesh that has the values of a field: for MeshField, and for kernels that look for
// its points (fem/operator/fields_at_points.hpp).
#pragma once

#include "mesh/quality/quality.hpp"
#include "mesh/search/point_location.hpp"

#include <fmt/format.h>

namespace ritz {

// Most points lie in a cell; those outside are looked for farther away.
class FieldPlaces {
 public:
  FieldPlaces(const Mesh& mesh, double tolerance)
      : mesh_(mesh),
        locator_(mesh, tolerance),
        rounding_(1e-9 * bounding_box(mesh).diagonal()),
        reach_(tolerance * bounding_box(mesh).diagonal()) {}

  // The point may lie in the cell that is guessed.
  PointLocator::Place of(const Point& point, Index guess = -1) const {
    if (const auto place = locator_.find(point, rounding_, guess)) return *place;
    if (const auto place = locator_.find(point, reach_)) return *place;
    try {
      return locator_.locate(point);
    } catch (const Error& error) {
      throw Error(ErrorKind::formula_value,
                  fmt::format("a field is needed where it has no values: {}", error.message()), error.why(),
                  "take a field on a mesh that covers the body, in the same unit of length and place");
    }
  }
  bool is_outside(const PointLocator::Place& place) const { return place.distance > rounding_; }
  const PointLocator& locator() const { return locator_; }
  double rounding() const { return rounding_; }

 private:
  Mesh mesh_;
  PointLocator locator_;
  double rounding_, reach_;  // [length]
};

}  // namespace ritz
