#include "fem/physics/orientation.hpp"

#include "device/error.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

Point scaled(const Point& a, double factor) { return {factor * a[0], factor * a[1], factor * a[2]}; }

// Perpendicular unit vectors; nothing where the vectors are parallel.
std::optional<Axes> perpendicular(const Point& first, const Point& other) {
  const double size = length(first), reach = length(other);
  if (!(size > 0) || !(reach > 0)) return std::nullopt;
  const Point one = scaled(first, 1 / size);
  const Point two = minus(other, scaled(one, dot(one, other)));
  if (!(length(two) > 1e-9 * reach)) return std::nullopt;
  return Axes{one, scaled(two, 1 / length(two))};
}

Point unit(const Point& axis, const char* kind) {
  if (!(length(axis) > 0))
    throw Error(Exit::input, fmt::format("the direction of a {} orientation has no length", kind), {},
                "give a direction");
  return scaled(axis, 1 / length(axis));
}

[[noreturn]] void throw_on_axis(const Point& x, const char* kind) {
  throw Error(Exit::model, fmt::format("material axes have no direction at ({:g}, {:g}, {:g})", x[0], x[1], x[2]),
              fmt::format("the point lies on the axis of a {} orientation", kind),
              "move the axis out of the material, or give the cells around it constant axes");
}

}  // namespace

Orientation Orientation::along(const Point& first, const Point& other) {
  if (const std::optional<Axes> axes = perpendicular(first, other)) return Orientation(*axes);
  throw Error(Exit::input, "the two vectors of an orientation are parallel, or one has no length",
              "the first is axis 1, and both span the plane of axes 1 and 2", "give two different directions");
}

Orientation Orientation::cylindrical(const Point& point, const Point& axis) {
  const Point third = unit(axis, "cylindrical");
  return Orientation([point, third](const Point& x) {
    const Point from = minus(x, point), radial = minus(from, scaled(third, dot(from, third)));
    if (!(length(radial) > 1e-12 * length(from))) throw_on_axis(x, "cylindrical");
    const Point one = scaled(radial, 1 / length(radial));
    return Axes{one, cross(third, one)};
  });
}

Orientation Orientation::spherical(const Point& centre, const Point& pole) {
  const Point north = unit(pole, "spherical");
  return Orientation([centre, north](const Point& x) {
    const Point radial = minus(x, centre);
    const std::optional<Axes> axes = perpendicular(radial, scaled(north, -1));
    if (!axes) throw_on_axis(x, "spherical");
    return *axes;
  });
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

std::vector<PointFunction> Orientation::functions() const {
  std::vector<PointFunction> result;
  for (std::size_t k = 0; k < 6; ++k)
    result.emplace_back([self = *this, k](std::span<const double> points, std::span<double> values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Axes axes = self.at({points[3 * i], points[3 * i + 1], points[3 * i + 2]});
        values[i] = k < 3 ? axes.first[k] : axes.second[k - 3];
      }
    });
  return result;
}

}  // namespace ritz
