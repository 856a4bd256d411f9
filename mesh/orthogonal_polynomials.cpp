#include "mesh/orthogonal_polynomials.hpp"

#include "device/error.hpp"

#include <cmath>
#include <numbers>

namespace ritz {
namespace {

// Products over a line, for degrees up to `order` in each direction.
std::vector<double> tensor_modes(int dimension, int order, const Point& x) {
  std::vector<double> modes{1.0};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    std::vector<double> products;
    for (const double p : scaled_jacobi(order, 0, x[axis], 1.0))
      for (const double mode : modes) products.push_back(p * mode);
    modes = std::move(products);
  }
  return modes;
}

std::vector<double> modes_at(CellKind shape, int order, const Point& x) {
  switch (shape) {
    case CellKind::tri3: return triangle_modes(order, x);
    case CellKind::tet4: return tetrahedron_modes(order, x);
    case CellKind::pyramid5: return pyramid_modes(order, off_the_apex(x));
    case CellKind::prism6: {
      std::vector<double> products;
      const std::vector<double> upright = scaled_jacobi(order, 0, x[2], 1.0);
      for (const double t : triangle_modes(order, x))
        for (const double u : upright) products.push_back(t * u);
      return products;
    }
    default: return tensor_modes(traits(shape).dimension, order, x);
  }
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
    // Newton for P_n'(x) = n (P_(n-1) - x P_n) / (1 - x^2) = 0; its derivative from Legendre's equation (1 - x^2) P'' = 2 x P' - n (n + 1) P.
    for (int step = 0; step < 100; ++step) {
      const std::vector<double> p = scaled_jacobi(order, 0, x, 1.0);
      const double first = double(n) * (p[n - 1] - x * p[n]) / (1 - x * x);
      const double second = (2 * x * first - double(n * (n + 1)) * p[n]) / (1 - x * x);
      const double change = first / second;
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

LagrangePolynomials::LagrangePolynomials(CellKind shape, int order, std::span<const Point> nodes) : shape_(shape), order_(order) {
  std::vector<double> vandermonde;
  for (const Point& node : nodes) std::ranges::copy(modes_at(shape, order, node), std::back_inserter(vandermonde));
  if (vandermonde.size() != nodes.size() * nodes.size()) throw Error(Exit::internal, "the nodes of a cell do not determine its functions");
  coefficients_ = inverse_matrix(std::move(vandermonde), nodes.size());
}

std::vector<double> LagrangePolynomials::at(const Point& x) const {
  const std::vector<double> modes = modes_at(shape_, order_, x);
  const std::size_t n = modes.size();
  std::vector<double> values(n);
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t a = 0; a < n; ++a) values[a] += coefficients_[m * n + a] * modes[m];
  return values;
}

}  // namespace ritz
