// Orthogonal polynomials on reference cells, in forms without division, for any numbers with arithmetic: doubles, and
// numbers that carry a derivative.
#pragma once

#include "mesh/cell_geometry.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace ritz {

// t^n P_n^(alpha, 0)(x / t) for n = 0 ... order, by the three-term recurrence multiplied through with t: no division.
template <class Number>
std::vector<Number> scaled_jacobi(int order, int alpha, Number x, Number t) {
  std::vector<Number> p{Number(1.0)};
  if (order > 0) p.push_back(0.5 * (double(alpha) * t + double(alpha + 2) * x));
  for (int k = 1; k < order; ++k) {
    const double a = alpha, c = 2.0 * k + a;
    const double a1 = 2 * (k + 1) * (k + a + 1) * c, a2 = (c + 1) * a * a, a3 = c * (c + 1) * (c + 2),
                 a4 = 2 * (k + a) * k * (c + 2);
    p.push_back(
        ((a2 * t + a3 * x) * p[static_cast<std::size_t>(k)] - a4 * (t * t * p[static_cast<std::size_t>(k) - 1])) / a1);
  }
  return p;
}

// Dubiner's bases of triangle and tetrahedron (Karniadakis and Sherwin, Spectral/hp Element Methods, 2005, 3.2), and
// the rational basis of the pyramid (Bergot, Cohen, Durufle 2010), which is not to be taken at its apex: see
// off_the_apex.
template <class Number>
std::vector<Number> triangle_modes(int order, const std::array<Number, 3>& point) {
  const auto& [x, y, unused] = point;
  std::vector<Number> modes;
  const std::vector<Number> first = scaled_jacobi(order, 0, 2.0 * x + y - 1.0, 1.0 - y);
  for (int i = 0; i <= order; ++i) {
    const std::vector<Number> second = scaled_jacobi(order - i, 2 * i + 1, 2.0 * y - 1.0, Number(1.0));
    for (const Number& s : second) modes.push_back(first[static_cast<std::size_t>(i)] * s);
  }
  return modes;
}

template <class Number>
std::vector<Number> tetrahedron_modes(int order, const std::array<Number, 3>& point) {
  const auto& [x, y, z] = point;
  std::vector<Number> modes;
  const std::vector<Number> first = scaled_jacobi(order, 0, 2.0 * x + y + z - 1.0, 1.0 - y - z);
  for (int i = 0; i <= order; ++i) {
    const std::vector<Number> second = scaled_jacobi(order - i, 2 * i + 1, 2.0 * y + z - 1.0, 1.0 - z);
    for (int j = 0; i + j <= order; ++j) {
      const std::vector<Number> third = scaled_jacobi(order - i - j, 2 * (i + j) + 2, 2.0 * z - 1.0, Number(1.0));
      for (const Number& t : third)
        modes.push_back(first[static_cast<std::size_t>(i)] * second[static_cast<std::size_t>(j)] * t);
    }
  }
  return modes;
}

template <class Number>
std::vector<Number> pyramid_modes(int order, const std::array<Number, 3>& point) {
  const auto& [x, y, z] = point;
  const Number t = 1.0 - z;
  std::vector<Number> modes;
  const std::vector<Number> px = scaled_jacobi(order, 0, x, t), py = scaled_jacobi(order, 0, y, t);
  for (int i = 0; i <= order; ++i)
    for (int j = 0; j <= order; ++j) {
      const int m = std::max(i, j);
      Number square = px[static_cast<std::size_t>(i)] * py[static_cast<std::size_t>(j)];
      for (int k = 0; k < std::min(i, j); ++k) square = square / t;
      const std::vector<Number> up = scaled_jacobi(order - m, 2 * m + 2, 2.0 * z - 1.0, Number(1.0));
      for (const Number& u : up) modes.push_back(square * u);
    }
  return modes;
}

// The point of the pyramid; for the apex a point next to it on the axis, where the functions have limits.
inline Point off_the_apex(const Point& x) {
  constexpr double nearest = 1e-14;
  return 1.0 - x[2] < nearest ? Point{0, 0, 1 - nearest} : x;
}

// The Gauss-Lobatto nodes of order n on [-1, 1]: n + 1 points, ascending, the ends included.
std::vector<double> gauss_lobatto_nodes(int order);

// The inverse of an n x n row-major matrix; partial pivoting. Throws Error: Exit::internal when it is singular.
std::vector<double> inverse_matrix(std::vector<double> matrix, std::size_t n);

// Lagrange's polynomials through nodes of a cell that determine them: those of degree `order` on simplices, of this
// degree in each direction on lines, quadrilaterals and hexahedra, products on prisms, and the rational functions above
// on pyramids.
class LagrangePolynomials {
 public:
  // Throws Error: Exit::internal when the nodes do not determine them.
  LagrangePolynomials(CellKind shape, int order, std::vector<Point> nodes);

  CellKind shape() const { return shape_; }  // a linear kind
  int order() const { return order_; }
  std::span<const Point> nodes() const { return nodes_; }
  std::vector<double> at(const Point& x) const;  // [node]
  // [node], [node][axis]
  void evaluate(const Point& x, std::span<double> values, std::span<Point> gradients) const;

 private:
  CellKind shape_;
  int order_;
  std::vector<Point> nodes_;
  std::vector<double> coefficients_;  // [mode][node]
};

}  // namespace ritz
