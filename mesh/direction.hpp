// Vectors of any length that give a direction: the squares of their components may be beyond the range of numbers.
#pragma once

#include "mesh/point_algebra.hpp"

#include <algorithm>

namespace ritz {

// The vector with a largest component of 1 or -1; zero has no direction and stays.
inline Point direction_of(const Point& a) {
  const double largest = std::max({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])});
  return largest > 0 ? Point{a[0] / largest, a[1] / largest, a[2] / largest} : a;
}

// The direction of length 1; zero stays.
inline Point unit_direction(const Point& a) {
  const Point direction = direction_of(a);
  const double size = length(direction);
  return size > 0 ? Point{direction[0] / size, direction[1] / size, direction[2] / size} : direction;
}

}  // namespace ritz
