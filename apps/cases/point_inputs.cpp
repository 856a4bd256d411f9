#include "apps/cases/point_inputs.hpp"

#include <algorithm>

namespace ritz {

Point padded(const std::vector<double>& v) {
  Point p{};
  for (std::size_t d = 0; d < std::min<std::size_t>(v.size(), 3); ++d) p[d] = v[d];
  return p;
}

std::vector<double> zeros_of(int size) { return std::vector<double>(static_cast<std::size_t>(size), 0.0); }

std::optional<Point> optional_point(const Case::Table& t, const char* key, const char* about, int dimension) {
  const bool given = t.has(key);
  VectorRule rule{.size = dimension};
  if (!given) rule.fallback = zeros_of(dimension);
  const std::vector<double> v = t.vector(key, about, rule);
  return given ? std::optional(padded(v)) : std::nullopt;
}

CylindricalAxes read_axes(const Case::Table& t, int dimension) {
  CylindricalAxes axes;
  axes.origin =
      padded(t.vector("origin", "a point on the axis [m]", {.size = dimension, .fallback = zeros_of(dimension)}));
  if (dimension == 3) axes.axis = padded(t.vector("axis", "direction of the axis, of any length", {.size = 3}));
  return axes;
}

}  // namespace ritz
