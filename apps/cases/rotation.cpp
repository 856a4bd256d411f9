#include "apps/cases/rotation.hpp"

#include <algorithm>

namespace ritz {
namespace {

Point read_point(const Case::Table& t, const char* key, const char* about, int dimension, const Point& fallback) {
  const auto size = static_cast<std::size_t>(dimension);
  const std::vector<double> values = t.vector(
      key, about, {.size = dimension, .fallback = std::vector<double>(fallback.begin(), fallback.begin() + dimension)});
  Point result{};
  if (values.size() == size) std::ranges::copy(values, result.begin());
  return result;
}

}  // namespace

std::optional<Rotation> read_rotation(Case& input, int dimension, bool of_revolution) {
  const Case::Table t = input.table("rotation",
                                    "the body turns at a constant speed: centrifugal forces, what they change in "
                                    "modes, and gyroscopic forces of complex modes");
  if (!t.present()) return std::nullopt;
  Rotation result{.origin = t.where()};
  result.speed = t.number("speed", "by the right-hand rule about the axis [rad/s]");
  if (of_revolution) result.axis = {0, 1, 0};
  if (dimension == 3) {
    result.axis = read_point(t, "axis", "direction of the axis", 3, {0, 0, 1});
    if (result.axis == Point{})
      t.error(ErrorKind::region_definition, "axis", "an axis of length 0", {}, "give a direction, as [0, 0, 1]");
  }
  if (!of_revolution)
    result.point = read_point(t, "point", "a point of the axis [m]; in the plane where it stands", dimension, {});
  return result;
}

void check_rotation(Case& input, const Model& model) {
  if (!model.turning || model.attached.empty()) return;
  input.root().error(ErrorKind::vibration, "rotation", "a body that turns with a mass or a spring at a reference point",
                     "its centrifugal and gyroscopic forces are not known",
                     "model it by cells, or as a [[mass]] of a shaft");
}

}  // namespace ritz
