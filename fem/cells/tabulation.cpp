#include "fem/cells/tabulation.hpp"

#include "device/error.hpp"
#include "fem/cells/polynomials.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

bool is_simplex(CellKind linear) { return linear == CellKind::tri3 || linear == CellKind::tet4; }

// Functions that are fitted through the evaluation points of an element: constants on linear simplices, else the linear
// or multilinear functions of the shape; above order 2 the Lagrange functions of one order less.
std::vector<double> fit_functions(CellKind shape, int order, const Point& x) {
  switch (order > 2 ? CellKind::vertex1 : shape) {
    case CellKind::line2: return {1, x[0]};
    case CellKind::tri3: return order == 1 ? std::vector<double>{1} : std::vector<double>{1, x[0], x[1]};
    case CellKind::tet4: return order == 1 ? std::vector<double>{1} : std::vector<double>{1, x[0], x[1], x[2]};
    case CellKind::quad4: return {1, x[0], x[1], x[0] * x[1]};
    case CellKind::hex8: return {1, x[0], x[1], x[2], x[0] * x[1], x[1] * x[2], x[0] * x[2], x[0] * x[1] * x[2]};
    case CellKind::prism6: return {1, x[0], x[1], x[2], x[0] * x[2], x[1] * x[2]};
    case CellKind::pyramid5: return {1, x[0], x[1], x[2]};
    default: break;
  }
  const ReferenceElement lower = lagrange_element(shape, order - 1);
  std::vector<double> values(lower.nodes.size());
  std::vector<Point> gradients(lower.nodes.size());
  lower.evaluate(x, values, gradients);
  return values;
}

// Solves the symmetric system M X = B in place (Gaussian elimination; a handful of unknowns); false: M is singular.
bool solve_in_place(std::vector<std::vector<double>>& m, std::vector<std::vector<double>>& b) {
  const std::size_t n = m.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (m[k][k] < 1e-10) return false;  // entries are of the size of one
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      for (std::size_t j = 0; j < b[i].size(); ++j) b[i][j] -= factor * b[k][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (double& value : b[i]) value /= m[i][i];
  return true;
}

// [node][point]: value at the node of the least-squares fit through values at the points.
std::vector<double> extrapolation_matrix(const ReferenceElement& element, const QuadratureRule& rule) {
  const std::size_t points = rule.points.size();
  std::vector<std::vector<double>> at_points;
  for (const auto& point : rule.points) at_points.push_back(fit_functions(element.shape, element.order, point));
  const std::size_t n = at_points.front().size();
  const std::vector<Point>& nodes = element.nodes;
  std::vector<double> result(nodes.size() * points, 1.0 / static_cast<double>(points));
  if (n > points) return result;  // too few points for the fit, or all on a facet: their mean
  std::vector<std::vector<double>> normal(n, std::vector<double>(n, 0)), fit(n, std::vector<double>(points));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t q = 0; q < points; ++q) {
      fit[i][q] = at_points[q][i];
      for (std::size_t j = 0; j < n; ++j) normal[i][j] += at_points[q][i] * at_points[q][j];
    }
  if (!solve_in_place(normal, fit)) return result;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const std::vector<double> at_node = fit_functions(element.shape, element.order, nodes[a]);
    for (std::size_t q = 0; q < points; ++q) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += at_node[i] * fit[i][q];
      result[a * points + q] = sum;
    }
  }
  return result;
}

// A matrix [q][i] of N x N in the layout of line_product in tensor_engine.hpp: as it is of two and four nodes, else its
// even and odd parts. parity: m_(N-1-q)(N-1-i) = parity m_qi.
void append_line_matrix(const std::vector<double>& m, std::size_t n, int parity, std::vector<double>& numbers) {
  const std::size_t begin = numbers.size();
  if (n == 2 || n == 4) {
    numbers.insert(numbers.end(), m.begin(), m.end());
    return;
  }
  const std::size_t H = (n + 1) / 2, h = n / 2;
  for (std::size_t q = 0; q < (parity > 0 ? H : h); ++q)
    for (std::size_t i = 0; i < H; ++i)
      numbers.push_back(2 * i + 1 == n ? m[q * n + i] : 0.5 * (m[q * n + i] + m[q * n + n - 1 - i]));
  for (std::size_t q = 0; q < (parity > 0 ? h : H); ++q)
    for (std::size_t i = 0; i < h; ++i) numbers.push_back(0.5 * (m[q * n + i] - m[q * n + n - 1 - i]));
  numbers.resize(begin + n * n, 0.0);
}

// LineTables of tensor_engine.hpp: points, weights, and four matrices: values at the points from nodes, slopes at the
// points from values at the points, and both transposed. Then SquareTables of tensor_diagonals.hpp, [node][point]: of
// the functions of the nodes their squares, products with their slopes, and squares of their slopes.
void append_line_tables(const std::vector<double>& line_nodes, std::vector<double>& numbers) {
  const std::size_t n = line_nodes.size();
  const QuadratureRule rule = quadrature(CellKind::line2, 2 * static_cast<int>(n) - 1);
  std::vector<double> points;
  for (const Point& p : rule.points) points.push_back(p[0]);
  numbers.insert(numbers.end(), points.begin(), points.end());
  numbers.insert(numbers.end(), rule.weights.begin(), rule.weights.end());
  const LineLagrange through_nodes{line_nodes}, through_points{points};
  std::vector<double> values(n * n), nodal_slopes(n * n), slopes(n * n), unused(n);
  for (std::size_t q = 0; q < n; ++q) {
    through_nodes.evaluate(points[q], &values[q * n], &nodal_slopes[q * n]);
    through_points.evaluate(points[q], unused.data(), &slopes[q * n]);
  }
  const auto transposed = [n](const std::vector<double>& m) {
    std::vector<double> t(n * n);
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t i = 0; i < n; ++i) t[i * n + q] = m[q * n + i];
    return t;
  };
  append_line_matrix(values, n, 1, numbers);
  append_line_matrix(slopes, n, -1, numbers);
  append_line_matrix(transposed(values), n, 1, numbers);
  append_line_matrix(transposed(slopes), n, -1, numbers);
  for (const auto& [a, b] : {std::pair{&values, &values}, {&values, &nodal_slopes}, {&nodal_slopes, &nodal_slopes}})
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t q = 0; q < n; ++q) numbers.push_back((*a)[q * n + i] * (*b)[q * n + i]);
}

}  // namespace

Tabulation::Tabulation(const Device& device, const ReferenceElement& element, const ReferenceElement& geometry,
                       const QuadratureRule& rule)
    : node_count_(element.node_count()),
      geometry_node_count_(geometry.node_count()),
      dimension_(element.dimension()),
      point_count_(static_cast<int>(rule.points.size())) {
  std::vector<double> numbers = rule.weights;
  const auto tabulate = [&](const ReferenceElement& e) {
    std::vector<double> values(e.nodes.size()), all_gradients;
    std::vector<Point> gradients(e.nodes.size());
    for (const Point& point : rule.points) {
      e.evaluate(point, values, gradients);
      numbers.insert(numbers.end(), values.begin(), values.end());
      for (const Point& gradient : gradients)
        all_gradients.insert(all_gradients.end(), gradient.begin(), gradient.begin() + dimension_);
    }
    numbers.insert(numbers.end(), all_gradients.begin(), all_gradients.end());
  };
  tabulate(element);
  tabulate(geometry);
  const std::vector<double> extrapolation = extrapolation_matrix(element, rule);
  numbers.insert(numbers.end(), extrapolation.begin(), extrapolation.end());
  const bool tensor =
      !element.line_nodes.empty() && rule.points.size() == element.nodes.size() && element.dimension() > 1;
  if (tensor) append_line_tables(element.line_nodes, line_);
  single_line_.assign(line_.begin(), line_.end());
  numbers_ = Vector(device, std::span<const double>(numbers), "reference cells");
  single_ = Array<float>(device, std::span<const float>(std::vector<float>(numbers.begin(), numbers.end())),
                         "reference cells");
}

template <class Real>
Tabulated<Real> Tabulation::parts(const Real* weights, const std::vector<Real>& line) const {
  const Real* values = weights + point_count_;
  const Real* gradients = values + point_count_ * node_count_;
  const Real* geometry_values = gradients + point_count_ * node_count_ * dimension_;
  const Real* geometry_gradients = geometry_values + point_count_ * geometry_node_count_;
  const Real* extrapolation = geometry_gradients + point_count_ * geometry_node_count_ * dimension_;
  return {weights,
          values,
          gradients,
          geometry_values,
          geometry_gradients,
          extrapolation,
          line.empty() ? nullptr : line.data()};
}

ReferenceTable Tabulation::table() const {
  return {parts(numbers_.data(), line_),
          parts(single_.data(), single_line_),
          node_count_,
          geometry_node_count_,
          dimension_,
          point_count_};
}

int stiffness_degree(CellKind shape, int order) {
  if (is_simplex(shape)) return 2 * (order - 1);
  return shape == CellKind::prism6 ? 2 * order : 2 * order + 1;  // triangle x line, cubes and pyramids
}

int mass_degree(CellKind shape, int order) {
  // triangle x line, cubes and pyramids
  return is_simplex(shape) || shape == CellKind::prism6 ? 2 * order : 2 * order + 1;
}

int evaluation_degree(CellKind shape, int order) {
  if (is_simplex(shape)) return 2 * (order - 1);
  if (order > 2) return 2 * order - 1;
  return shape == CellKind::prism6 ? 2 : 3;
}

}  // namespace ritz
