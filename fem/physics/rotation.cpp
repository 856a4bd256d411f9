#include "fem/physics/rotation.hpp"

#include "mesh/direction.hpp"

namespace ritz {

std::optional<Point> unit_axis(const Rotation& rotation, ErrorList& errors) {
  if (const Point axis = unit_direction(rotation.axis); length(axis) > 0) return axis;
  errors.add(
      Error(ErrorKind::vibration, "a rotation about this axis", "an axis has a direction", "give one, as [0, 0, 1]")
          .at(rotation.origin));
  return std::nullopt;
}

}  // namespace ritz
