#include "fem/cells/polynomials.hpp"

#include "device/error.hpp"
#include "fem/cells/reference_element.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ritz {
namespace {

using Number = Dual<double>;

// t^n P_n^(alpha, 0)(x / t) for n = 0 ... order, by the three-term recurrence multiplied through with t: no division.
std::vector<Number> scaled_jacobi(int order, int alpha, Number x, Number t) {
  std::vector<Number> p{Number(1.0)};
  if (order > 0) p.push_back(0.5 * (double(alpha) * t + double(alpha + 2) * x));
  for (int k = 1; k < order; ++k) {
    const double a = alpha, c = 2.0 * k + a;
    const double a1 = 2 * (k + 1) * (k + a + 1) * c, a2 = (c + 1) * a * a, a3 = c * (c + 1) * (c + 2),
                 a4 = 2 * (k + a) * k * (c + 2);
    p.push_back(((a2 * t + a3 * x) * p[static_cast<std::size_t>(k)] - a4 * (t * t * p[static_cast<std::size_t>(k) - 1])) / a1);
  }
  return p;
}

std::array<Number, 3> point_with_derivative(const Point& x, int axis) {
  std::array<Number, 3> p;
  for (std::size_t i = 0; i < 3; ++i) p[i] = Number(x[i], static_cast<int>(i) == axis ? 1.0 : 0.0);
  return p;
}

}  // namespace

std::vector<double> gauss_lobatto_nodes(int order) {
  const auto n = static_cast<std::size_t>(order);
  std::vector<double> nodes(n + 1);
  for (std::size_t i = 0; i <= n; ++i) {
    double x = -std::cos(std::numbers::pi * double(i) / double(n));
    if (i == 0 || i == n) {
      nodes[i] = i == 0 ? -1 : 1;
      continue;
    }
    // Newton for P_n'(x) = 0; its derivative from Legendre's equation (1 - x^2) P'' = 2 x P' - n (n + 1) P.
    for (int step = 0; step < 100; ++step) {
      const Number p = scaled_jacobi(order, 0, Number(x, 1.0), Number(1.0)).back();
      const double second = (2 * x * p.derivative - double(n * (n + 1)) * p.value) / (1 - x * x);
      const double change = p.derivative / second;
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    nodes[i] = x;
  }
  for (std::size_t i = 0; i <= n / 2; ++i) {  // exactly symmetric
    const double half = 0.5 * (nodes[n - i] - nodes[i]);
    nodes[i] = -half;
    nodes[n - i] = half;
  }
  return nodes;
}

void triangle_basis(int order, const Point& point, int axis, std::vector<Number>& modes) {
  const auto [x, y, unused] = point_with_derivative(point, axis);
  modes.clear();
  const std::vector<Number> first = scaled_jacobi(order, 0, 2.0 * x + y - 1.0, 1.0 - y);
  for (int i = 0; i <= order; ++i) {
    const std::vector<Number> second = scaled_jacobi(order - i, 2 * i + 1, 2.0 * y - 1.0, Number(1.0));
    for (const Number& s : second) modes.push_back(first[static_cast<std::size_t>(i)] * s);
  }
}

void tetrahedron_basis(int order, const Point& point, int axis, std::vector<Number>& modes) {
  const auto [x, y, z] = point_with_derivative(point, axis);
  modes.clear();
  const std::vector<Number> first = scaled_jacobi(order, 0, 2.0 * x + y + z - 1.0, 1.0 - y - z);
  for (int i = 0; i <= order; ++i) {
    const std::vector<Number> second = scaled_jacobi(order - i, 2 * i + 1, 2.0 * y + z - 1.0, 1.0 - z);
    for (int j = 0; i + j <= order; ++j) {
      const std::vector<Number> third = scaled_jacobi(order - i - j, 2 * (i + j) + 2, 2.0 * z - 1.0, Number(1.0));
      for (const Number& t : third) modes.push_back(first[static_cast<std::size_t>(i)] * second[static_cast<std::size_t>(j)] * t);
    }
  }
}

void pyramid_basis(int order, const Point& point, int axis, std::vector<Number>& modes) {
  auto [x, y, z] = point_with_derivative(point, axis);
  constexpr double nearest = 1e-14;  // to the apex, where the functions have limits along the axis only
  if (1.0 - z.value < nearest) {
    z.value = 1 - nearest;
    x.value = y.value = 0;
  }
  const Number t = 1.0 - z;
  modes.clear();
  const std::vector<Number> px = scaled_jacobi(order, 0, x, t), py = scaled_jacobi(order, 0, y, t);
  for (int i = 0; i <= order; ++i)
    for (int j = 0; j <= order; ++j) {
      const int m = std::max(i, j);
      Number square = px[static_cast<std::size_t>(i)] * py[static_cast<std::size_t>(j)];
      for (int k = 0; k < std::min(i, j); ++k) square = square / t;
      const std::vector<Number> up = scaled_jacobi(order - m, 2 * m + 2, 2.0 * z - 1.0, Number(1.0));
      for (const Number& u : up) modes.push_back(square * u);
    }
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

std::vector<double> inverse_matrix(std::vector<double> a, std::size_t n) {
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (std::abs(a[pivot * n + k]) < 1e-12) throw Error(Exit::internal, "the nodes of an element do not determine its functions");
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(a[k * n + j], a[pivot * n + j]);
      std::swap(inverse[k * n + j], inverse[pivot * n + j]);
    }
    const double scale = 1 / a[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k * n + j] *= scale;
      inverse[k * n + j] *= scale;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i * n + k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
  return inverse;
}

}  // namespace ritz
