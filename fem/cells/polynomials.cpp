#include "fem/cells/polynomials.hpp"

namespace ritz {
namespace {

using Number = Dual<double>;

std::array<Number, 3> point_with_derivative(const Point& x, int axis) {
  std::array<Number, 3> p;
  for (std::size_t i = 0; i < 3; ++i) p[i] = Number(x[i], static_cast<int>(i) == axis ? 1.0 : 0.0);
  return p;
}

}  // namespace

void triangle_basis(int order, const Point& x, int axis, std::vector<Number>& modes) {
  modes = triangle_modes(order, point_with_derivative(x, axis));
}

void tetrahedron_basis(int order, const Point& x, int axis, std::vector<Number>& modes) {
  modes = tetrahedron_modes(order, point_with_derivative(x, axis));
}

void pyramid_basis(int order, const Point& x, int axis, std::vector<Number>& modes) {
  modes = pyramid_modes(order, point_with_derivative(off_the_apex(x), axis));
}

void LineLagrange::evaluate(double x, double* values, double* derivatives) const {
  const Number at(x, 1.0);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    Number product(1.0);
    for (std::size_t b = 0; b < nodes.size(); ++b)
      if (b != a) product *= (at - nodes[b]) / (nodes[a] - nodes[b]);
    values[a] = product.value;
    derivatives[a] = product.derivative;
  }
}

}  // namespace ritz
