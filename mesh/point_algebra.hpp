// Points as vectors.
#pragma once

#include "mesh/cell_geometry.hpp"

#include <cmath>

namespace ritz {

constexpr Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
constexpr double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double length(const Point& a) { return std::sqrt(dot(a, a)); }
inline double distance(const Point& a, const Point& b) { return length(minus(a, b)); }
constexpr Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace ritz
