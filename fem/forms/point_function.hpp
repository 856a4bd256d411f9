// A number that depends on the position, such as a material's or a load's.
#pragma once

#include <functional>
#include <span>

namespace ritz {

// Values at positions [point][3] -> [point]. It may be called from one thread at a time, and throws Error where it has
// no value.
using PointFunction = std::function<void(std::span<const double> points, std::span<double> values)>;

inline PointFunction constant(double value) {
  return [value](std::span<const double>, std::span<double> values) {
    for (double& each : values) each = value;
  };
}

}  // namespace ritz
