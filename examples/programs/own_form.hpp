// The area of a film that spans a frame, -div(grad u / sqrt(1 + |grad u|^2)) = 0: by its energy, of which Ritz takes
// the first and second derivatives.
#pragma once

#include "fem/forms/from_energy.hpp"

#include <cmath>

struct Film {
  static constexpr const char* name = "film";
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = false, uses_gradient = true;
  double tension = 1;

  template <class T>
  constexpr T energy(const ritz::Location<T, 2>&, const ritz::Fields<T, 1, 2>& u) const {
    using std::sqrt;
    const auto& slope = u.gradient[0];
    return tension * sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
  }
};
