// A number that carries its derivatives along the three reference axes, for shape functions and their gradients in one
// go.
#pragma once

#include "mesh/cell_geometry.hpp"

namespace ritz {

struct Jet {  // a value with its derivatives along x, y, z
  double value = 0;
  Point slope{};

  Jet(double constant = 0) : value(constant) {}
  static Jet variable(double at, int axis) {
    Jet jet(at);
    jet.slope[static_cast<std::size_t>(axis)] = 1;
    return jet;
  }
};

inline Jet combine(double value, double da, const Jet& a, double db, const Jet& b) {
  Jet c(value);
  for (std::size_t k = 0; k < 3; ++k) c.slope[k] = da * a.slope[k] + db * b.slope[k];
  return c;
}
inline Jet operator+(const Jet& a, const Jet& b) { return combine(a.value + b.value, 1, a, 1, b); }
inline Jet operator-(const Jet& a, const Jet& b) { return combine(a.value - b.value, 1, a, -1, b); }
inline Jet operator*(const Jet& a, const Jet& b) { return combine(a.value * b.value, b.value, a, a.value, b); }
inline Jet operator/(const Jet& a, const Jet& b) {
  const double q = a.value / b.value;
  return combine(q, 1 / b.value, a, -q / b.value, b);
}

}  // namespace ritz
