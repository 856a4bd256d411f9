// The box around points.
#pragma once

#include "device/array.hpp"

#include <array>

namespace ritz {

struct BoxAround {
  std::array<double, 3> centre{}, extent{};  // 0 in directions that the points do not have
};

// coordinates: [point][dimension]. Six numbers are read from the device.
BoxAround box_around(const Vector& coordinates, int dimension);

}  // namespace ritz
