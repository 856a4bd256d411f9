#include "mesh/orthogonal_polynomials.hpp"

#include "device/error.hpp"
#include "mesh/jet.hpp"

#include <cmath>
#include <numbers>

namespace ritz {
namespace {

// Products over a line, for degrees up to `order` in each direction.
template <class Number>
std::vector<Number> tensor_modes(int dimension, int order, const std::array<Number, 3>& x) {
  std::vector<Number> modes{Number(1.0)};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    std::vector<Number> products;
    for (const Number& p : scaled_jacobi(order, 0, x[axis], Number(1.0)))
      for (const Number& mode : modes) products.push_back(p * mode);
    modes = std::move(products);
  }
  return modes;
}

// Modes on a pyramid, except at its apex.
template <class Number>
std::vector<Number> modes_at(CellKind shape, int order, const std::array<Number, 3>& x) {
  switch (shape) {
    case CellKind::tri3: return triangle_modes(order, x);
    case CellKind::tet4: return tetrahedron_modes(order, x);
    case CellKind::pyramid5: return pyramid_modes(order, x);
    case CellKind::prism6: {
      std::vector<Number> products;
      const std::vector<Number> upright = scaled_jacobi(order, 0, x[2], Number(1.0));
      for (const Number& t : triangle_modes(order, x))
        for (const Number& u : upright) products.push_back(t * u);
      return products;
    }
    default: return tensor_modes(traits(shape).dimension, order, x);
  }
}

// Functions have limits at a pyramid's apex, but formulas have not.
Point within(CellKind shape, const Point& x) { return shape == CellKind::pyramid5 ? off_the_apex(x) : x; }

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
    // Newton for P_n'(x) = n (P_(n-1) - x P_n) / (1 - x^2) = 0; its derivative from Legendre's equation (1 - x^2) P'' =
    // 2 x P' - n (n + 1) P.
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
    if (std::abs(a[pivot * n + k]) < 1e-12)
      throw Error(ErrorKind::internal, "the nodes of an element do not determine its functions");
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

LagrangePolynomials::LagrangePolynomials(CellKind shape, int order, std::vector<Point> nodes)
    : shape_(shape), order_(order), nodes_(std::move(nodes)) {
  std::vector<double> vandermonde;
  for (const Point& node : nodes_)
    std::ranges::copy(modes_at<double>(shape, order, within(shape, node)), std::back_inserter(vandermonde));
  if (vandermonde.size() != nodes_.size() * nodes_.size())
    throw Error(ErrorKind::internal, "the nodes of a cell do not determine its functions");
  coefficients_ = inverse_matrix(std::move(vandermonde), nodes_.size());
}

std::vector<double> LagrangePolynomials::at(const Point& x) const {
  const std::vector<double> modes = modes_at<double>(shape_, order_, within(shape_, x));
  const std::size_t n = modes.size();
  std::vector<double> values(n);
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t a = 0; a < n; ++a) values[a] += coefficients_[m * n + a] * modes[m];
  return values;
}

void LagrangePolynomials::evaluate(const Point& x, std::span<double> values, std::span<Point> gradients) const {
  const Point p = within(shape_, x);
  const std::vector<Jet> modes =
      modes_at<Jet>(shape_, order_, {Jet::variable(p[0], 0), Jet::variable(p[1], 1), Jet::variable(p[2], 2)});
  const std::size_t n = modes.size();
  std::ranges::fill(values, 0.0);
  std::ranges::fill(gradients, Point{});
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t a = 0; a < n; ++a) {
      const double c = coefficients_[m * n + a];
      values[a] += c * modes[m].value;
      for (std::size_t k = 0; k < 3; ++k) gradients[a][k] += c * modes[m].slope[k];
    }
}

}  // namespace ritz
