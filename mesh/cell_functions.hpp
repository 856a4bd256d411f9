// The shape functions of the kinds of cells (cell_geometry.hpp) as plain numbers, which kernels and the host evaluate
// alike at points that no table knows beforehand.
//
//   each_cell_function(cell_functions(CellKind::hex27), xi, [&](int node, double N, const Point& slope) { ... });
#pragma once

#include "mesh/cell_geometry.hpp"

#include <cstdint>

namespace ritz {

struct CellFunctions {
  enum class Family : std::uint8_t { products, serendipity, simplex, prism, pyramid };
  static constexpr int most_rational = 14;

  Family family;
  int dimension, order, count;
  // [node]. Products: 0, 1 and 2 at -1, 0 and 1 in each direction. Simplices and prisms: the first and the last corner
  // of the triangle or tetrahedron that the node lies between; of prisms then 0, 1 or 2 at z = -1, 0 or 1.
  std::uint8_t places[most_cell_nodes][3];
  double coefficients[most_rational][most_rational];  // of pyramids: [rational function][node]
};
const CellFunctions& cell_functions(CellKind kind);

namespace cell_function_parts {

// Functions of one direction at -1, 0 and 1, and their slopes.
struct OnLine {
  double value[3], slope[3];
};
constexpr OnLine on_line(bool quadratic, double t) {
  const double middle = (1 - t) * (1 + t), slope = (1 - t) - (1 + t);
  if (!quadratic) return {{0.5 * (1 - t), middle, 0.5 * (1 + t)}, {-0.5, slope, 0.5}};
  return {{0.5 * t * (t - 1), middle, 0.5 * t * (t + 1)}, {0.5 * ((t - 1) + t), slope, 0.5 * ((t + 1) + t)}};
}

template <class Use>
constexpr void products(const CellFunctions& of, const Point& xi, const Use& use) {
  const bool serendipity = of.family == CellFunctions::Family::serendipity;
  OnLine line[3] = {{{0, 1, 0}, {}}, {{0, 1, 0}, {}}, {{0, 1, 0}, {}}};  // unused directions have one function, 1
  for (int k = 0; k < of.dimension; ++k)
    line[k] = on_line(of.order == 2 && !serendipity, xi[static_cast<std::size_t>(k)]);
  for (int a = 0; a < of.count; ++a) {
    const auto [i, j, k] = of.places[a];
    const double f = line[0].value[i], g = line[1].value[j], h = line[2].value[k], fg = f * g;
    double N = fg * h;
    Point slope = {line[0].slope[i] * g * h, f * line[1].slope[j] * h, fg * line[2].slope[k]};
    if (serendipity && i != 1 && j != 1 && (of.dimension == 2 || k != 1)) {  // a corner
      const Point s = {i - 1.0, j - 1.0, k - 1.0};
      double sum = 1 - of.dimension;
      for (std::size_t d = 0; d < static_cast<std::size_t>(of.dimension); ++d) sum += s[d] * xi[d];
      for (std::size_t d = 0; d < 3; ++d) slope[d] = slope[d] * sum + N * s[d];
      N *= sum;
    }
    use(a, N, slope);
  }
}

// Barycentric coordinates. Their slopes are -1 in each direction for the first, and 1 in one for each other.
struct Barycentric {
  double value[4] = {1, 0, 0, 0};
  int dimension;
  constexpr Barycentric(int dimension, const Point& xi) : dimension(dimension) {
    for (int k = 0; k < dimension; ++k) {
      value[k + 1] = xi[static_cast<std::size_t>(k)];
      value[0] = value[0] - value[k + 1];
    }
  }
  constexpr double slope(int corner, int axis) const {
    if (axis >= dimension) return 0;
    return corner == 0 ? -1 : corner == axis + 1 ? 1 : 0;
  }
  // The function of the node between two corners, or at one.
  constexpr double at(int order, int i, int j) const {
    if (order == 1) return value[i];
    return i == j ? value[i] * (2 * value[i] - 1) : 4 * value[i] * value[j];
  }
  constexpr double slope(int order, int i, int j, int axis) const {
    if (order == 1) return slope(i, axis);
    if (i == j) return (2 * value[i] - 1) * slope(i, axis) + value[i] * (2 * slope(i, axis));
    return value[j] * (4 * slope(i, axis)) + 4 * value[i] * slope(j, axis);
  }
};

template <class Use>
constexpr void simplex(const CellFunctions& of, const Point& xi, const Use& use) {
  const Barycentric lambda(of.dimension, xi);
  for (int a = 0; a < of.count; ++a) {
    const int i = of.places[a][0], j = of.places[a][1];
    Point slope{};
    for (int k = 0; k < of.dimension; ++k) slope[static_cast<std::size_t>(k)] = lambda.slope(of.order, i, j, k);
    use(a, lambda.at(of.order, i, j), slope);
  }
}

// prism15: corners l (2l - 1)(1 + s z)/2 - l (1 - z^2)/2, edges of the triangles 2 l m (1 + s z), uprights l (1 - z^2).
template <class Use>
constexpr void prism(const CellFunctions& of, const Point& xi, const Use& use) {
  const Barycentric lambda(2, xi);
  const bool reduced = of.count == 15;
  const OnLine line = on_line(of.order == 2 && !reduced, xi[2]);
  for (int a = 0; a < of.count; ++a) {
    const int i = of.places[a][0], j = of.places[a][1], layer = of.places[a][2];
    const int order = reduced && layer == 1 ? 1 : of.order;
    const double triangle = lambda.at(order, i, j), h = line.value[layer];
    double N = triangle * h;
    Point slope = {lambda.slope(order, i, j, 0) * h, lambda.slope(order, i, j, 1) * h, triangle * line.slope[layer]};
    if (reduced && layer != 1 && i == j) {
      N = N - 0.5 * (lambda.value[i] * line.value[1]);
      for (int k = 0; k < 2; ++k) slope[static_cast<std::size_t>(k)] -= 0.5 * (lambda.slope(i, k) * line.value[1]);
      slope[2] -= 0.5 * (lambda.value[i] * line.slope[1]);
    }
    use(a, N, slope);
  }
}

// The value and the slopes of a rational function.
struct Rational {
  double value, slope[3];
};

// 1, x, y, z, r = xy / (1 - z); x^2, y^2, z^2, xy, yz, zx, xr, yr; r^2. At the apex r and its slopes are 0.
constexpr void rational_functions(const Point& p, Rational* b) {
  const double x = p[0], y = p[1], z = p[2], rest = 1 - z;
  const double inverse = z >= 1 ? 0 : 1 / rest, r = z >= 1 ? 0 : x * y / rest, rx = y * inverse, ry = x * inverse,
               rz = z >= 1 ? 0 : r / rest;
  b[0] = {1, {0, 0, 0}}, b[1] = {x, {1, 0, 0}}, b[2] = {y, {0, 1, 0}}, b[3] = {z, {0, 0, 1}}, b[4] = {r, {rx, ry, rz}};
  b[5] = {x * x, {2 * x, 0, 0}}, b[6] = {y * y, {0, 2 * y, 0}}, b[7] = {z * z, {0, 0, 2 * z}};
  b[8] = {x * y, {y, x, 0}}, b[9] = {y * z, {0, z, y}}, b[10] = {z * x, {z, 0, x}};
  b[11] = {x * r, {r + x * rx, x * ry, x * rz}}, b[12] = {y * r, {y * rx, r + y * ry, y * rz}};
  b[13] = {r * r, {2 * r * rx, 2 * r * ry, 2 * r * rz}};
}

template <class Use>
constexpr void pyramid(const CellFunctions& of, const Point& xi, const Use& use) {
  Rational basis[CellFunctions::most_rational] = {};
  rational_functions(xi, basis);
  for (int a = 0; a < of.count; ++a) {
    double N = 0;
    Point slope{};
    for (int j = 0; j < of.count; ++j) {
      const double c = of.coefficients[j][a];
      N += c * basis[j].value;
      for (std::size_t k = 0; k < 3; ++k) slope[k] += c * basis[j].slope[k];
    }
    use(a, N, slope);
  }
}

}  // namespace cell_function_parts

// use(node, value, gradient) for all shape functions at a point of the reference cell.
template <class Use>
constexpr void each_cell_function(const CellFunctions& of, const Point& xi, const Use& use) {
  switch (of.family) {
    case CellFunctions::Family::simplex: return cell_function_parts::simplex(of, xi, use);
    case CellFunctions::Family::prism: return cell_function_parts::prism(of, xi, use);
    case CellFunctions::Family::pyramid: return cell_function_parts::pyramid(of, xi, use);
    default: return cell_function_parts::products(of, xi, use);
  }
}

}  // namespace ritz
