#include "fem/physics/orientation.hpp"

#include "device/error.hpp"
#include "mesh/direction.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

Point scaled(const Point& a, double factor) { return {factor * a[0], factor * a[1], factor * a[2]}; }

// Perpendicular unit vectors; nothing where the vectors are parallel.
std::optional<Axes> perpendicular(const Point& given_first, const Point& given_other) {
  const Point first = direction_of(given_first), other = direction_of(given_other);
  const double size = length(first), reach = length(other);
  if (!(size > 0) || !(reach > 0)) return std::nullopt;
  const Point one = scaled(first, 1 / size);
  const Point two = minus(other, scaled(one, dot(one, other)));
  if (!(length(two) > 1e-9 * reach)) return std::nullopt;
  return Axes{one, scaled(two, 1 / length(two))};
}

Point unit(const Point& given, const char* kind) {
  const Point axis = direction_of(given);
  if (!(length(axis) > 0))
    throw Error(ErrorKind::orientation, fmt::format("the direction of a {} orientation has no length", kind), {},
                "give a direction");
  return scaled(axis, 1 / length(axis));
}

}  // namespace

// Vectors that vary from point to point.
namespace directions {
using Direction = std::array<PointExpression, 3>;

Direction from(const Point& origin) {
  return {PointExpression::x() - origin[0], PointExpression::y() - origin[1], PointExpression::z() - origin[2]};
}
PointExpression dot(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
PointExpression length(const Direction& a) { return sqrt(dot(a, a)); }
Direction scaled(const Direction& a, const PointExpression& factor) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
Direction minus(const Direction& a, const Direction& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Direction cross(const Direction& a, const Direction& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Direction fixed(const Point& a) { return {a[0], a[1], a[2]}; }
}  // namespace directions

Orientation::Orientation(const Axes& axes) : constant_(axes) {
  for (const Point& each : {axes.first, axes.second})
    for (const double coordinate : each) functions_.push_back(constant(coordinate));
}

Orientation::Orientation(std::function<Axes(const Point&)> axes) : axes_(std::move(axes)) {
  for (std::size_t k = 0; k < 6; ++k)
    functions_.emplace_back([axes = axes_, k](std::span<const double> points, std::span<double> values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Axes here = axes({points[3 * i], points[3 * i + 1], points[3 * i + 2]});
        values[i] = k < 3 ? here.first[k] : here.second[k - 3];
      }
    });
}

Orientation::Orientation(const Direction& first, const Direction& second, const PointExpression& size,
                         const char* kind) {
  const PointExpression there =
      0 * size.limited({}, [kind](double, const EvaluationPoints& point, double, const std::string&) {
        throw Error(
            ErrorKind::material_axes,
            fmt::format("material axes have no direction at ({:g}, {:g}, {:g})", point.x[0], point.x[1], point.x[2]),
            fmt::format("the point lies on the axis of a {} orientation", kind),
            "move the axis out of the material, or give the cells around it constant axes");
      });
  for (const Direction& each : {first, second})
    for (const PointExpression& coordinate : each) functions_.push_back(coordinate + there);
}

Axes Orientation::at(const Point& point) const {
  if (constant_) return *constant_;
  if (axes_) return axes_(point);
  Axes axes;
  for (std::size_t k = 0; k < 6; ++k) functions_[k](point, 0, {k < 3 ? &axes.first[k] : &axes.second[k - 3], 1});
  return axes;
}

Orientation Orientation::along(const Point& first, const Point& other) {
  if (const std::optional<Axes> axes = perpendicular(first, other)) return Orientation(*axes);
  throw Error(ErrorKind::orientation, "the two vectors of an orientation are parallel, or one has no length",
              "the first is axis 1, and both span the plane of axes 1 and 2", "give two different directions");
}

Orientation Orientation::cylindrical(const Point& point, const Point& axis) {
  using directions::cross, directions::dot, directions::length, directions::minus, directions::scaled;
  const Direction third = directions::fixed(unit(axis, "cylindrical")), arm = directions::from(point),
                  radial = minus(arm, scaled(third, dot(arm, third)));
  const PointExpression size = length(radial), none = sqrt(-1);
  const Direction one = scaled(radial, 1 / size);
  return {one, cross(third, one), PointExpression::choice(1e-12 * length(arm) < size, size, none), "cylindrical"};
}

Orientation Orientation::spherical(const Point& centre, const Point& pole) {
  using directions::dot, directions::length, directions::minus, directions::scaled;
  const Point north = unit(pole, "spherical");
  const Direction south = {-north[0], -north[1], -north[2]}, radial = directions::from(centre),
                  one = scaled(radial, 1 / length(radial)), across = minus(south, scaled(one, dot(one, south)));
  const PointExpression size = length(across), none = sqrt(-1);
  return {one, scaled(across, 1 / size), PointExpression::choice(1e-9 < size, size, none), "spherical"};
}

std::optional<Axes> axes_in_first_cell(const Orientation& orientation, const Mesh& mesh, const Region& region,
                                       ErrorList& errors) {
  if (region.cells.empty()) return std::nullopt;
  Point centre{};
  const auto nodes = mesh.nodes_of(region.cells.front());
  for (const Node node : nodes)
    for (std::size_t d = 0; d < 3; ++d) centre[d] += mesh.point(node)[d] / static_cast<double>(nodes.size());
  try {
    return orientation.at(centre);
  } catch (const Error& error) { errors.add(error); }
  return std::nullopt;
}

}  // namespace ritz
