#include "mesh/cell_geometry.hpp"

#include "mesh/cell_functions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {
namespace {

std::vector<Point> reference_corners(CellKind linear) {
  switch (linear) {
    case CellKind::vertex1: return {{0, 0, 0}};
    case CellKind::line2: return {{-1, 0, 0}, {1, 0, 0}};
    case CellKind::tri3: return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    case CellKind::quad4: return {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    case CellKind::tet4: return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    case CellKind::prism6: return {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    case CellKind::pyramid5: return {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}};
    default:
      return {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
  }
}

std::vector<Point> make_reference_nodes(const CellTraits& t) {
  std::vector<Point> nodes = reference_corners(t.linear);
  const auto add_mean = [&nodes](std::span<const int> of) {
    Point mean{};
    for (const int i : of)
      for (std::size_t k = 0; k < 3; ++k)
        mean[k] += nodes[static_cast<std::size_t>(i)][k] / static_cast<double>(of.size());
    nodes.push_back(mean);
  };
  if (t.order == 1) return nodes;
  for (const auto& edge : t.edges) add_mean(edge);
  if (t.dimension == 3)  // face centres; kinds with edge nodes only have none
    for (const Facet& facet : t.facets)
      if (facet.kind == CellKind::quad9) add_mean(std::span(facet.nodes).first(4));
  if (static_cast<int>(nodes.size()) < t.node_count) nodes.push_back({0, 0, 0});  // quad9, hex27
  return nodes;
}

using Matrix = std::vector<std::vector<double>>;

Matrix inverse(Matrix a) {  // Gauss-Jordan with row pivoting
  const std::size_t n = a.size();
  Matrix b(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    const double scale = 1 / a[k][k];
    for (std::size_t j = 0; j < n; ++j) a[k][j] *= scale, b[k][j] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i][k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) a[i][j] -= factor * a[k][j], b[i][j] -= factor * b[k][j];
    }
  }
  return b;
}

// Column i of the inverse Vandermonde matrix holds the basis coefficients of shape function i. They are multiples
// of 1/8, so that rounding to them makes the shape functions exact.
Matrix pyramid_coefficients(CellKind kind) {
  Matrix vandermonde;
  for (const Point& node : reference_nodes(kind)) {
    cell_function_parts::Rational basis[CellFunctions::most_rational] = {};
    cell_function_parts::rational_functions(node, basis);
    std::vector<double>& row = vandermonde.emplace_back();
    for (std::size_t j = 0; j < reference_nodes(kind).size(); ++j) row.push_back(basis[j].value);
  }
  Matrix coefficients = inverse(std::move(vandermonde));
  for (auto& row : coefficients)
    for (double& c : row) c = std::round(c * 8) / 8;
  return coefficients;
}

CellFunctions::Family family_of(const CellTraits& t) {
  using Family = CellFunctions::Family;
  if (t.kind == CellKind::quad8 || t.kind == CellKind::hex20) return Family::serendipity;
  switch (t.linear) {
    case CellKind::tri3:
    case CellKind::tet4: return Family::simplex;
    case CellKind::prism6: return Family::prism;
    case CellKind::pyramid5: return Family::pyramid;
    default: return Family::products;
  }
}

CellFunctions make_functions(const CellTraits& t) {
  CellFunctions f{.family = family_of(t),
                  .dimension = t.dimension,
                  .order = t.order,
                  .count = t.node_count,
                  .places = {},
                  .coefficients = {}};
  const std::span<const Point> nodes = reference_nodes(t.kind);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const auto third = [&](std::size_t k) { return static_cast<std::uint8_t>(std::lround(nodes[a][k] + 1)); };
    if (f.family != CellFunctions::Family::simplex && f.family != CellFunctions::Family::prism) {
      for (std::size_t k = 0; k < 3; ++k) f.places[a][k] = third(k);
      continue;
    }
    const cell_function_parts::Barycentric lambda(f.family == CellFunctions::Family::prism ? 2 : t.dimension, nodes[a]);
    const auto is_near = [](double value) { return value > 0.25; };
    const auto first = std::ranges::find_if(lambda.value, is_near) - std::begin(lambda.value);
    f.places[a][0] = f.places[a][1] = static_cast<std::uint8_t>(first);
    for (std::size_t i = 0; i < 4; ++i)
      if (is_near(lambda.value[i])) f.places[a][1] = static_cast<std::uint8_t>(i);
    if (f.family == CellFunctions::Family::prism) f.places[a][2] = third(2);
  }
  if (f.family != CellFunctions::Family::pyramid) return f;
  const Matrix C = pyramid_coefficients(t.kind);
  for (std::size_t j = 0; j < C.size(); ++j) std::ranges::copy(C[j], f.coefficients[j]);
  return f;
}

constexpr std::size_t gauss_count = 3;
const std::array<double, gauss_count> gauss_points = {-std::sqrt(0.6), 0, std::sqrt(0.6)};
constexpr std::array<double, gauss_count> gauss_weights = {5.0 / 9, 8.0 / 9, 5.0 / 9};

// A point of the cube [-1, 1]^d carried to the reference cell (Duffy's collapse), with the factor of the volumes.
QuadraturePoint collapsed(CellKind linear, const Point& c) {
  const auto [u, v, w] = Point{(1 + c[0]) / 2, (1 + c[1]) / 2, (1 + c[2]) / 2};
  switch (linear) {
    case CellKind::tri3: return {{u * (1 - v), v, 0}, (1 - v) / 4};
    case CellKind::tet4: return {{u * (1 - v) * (1 - w), v * (1 - w), w}, (1 - v) * (1 - w) * (1 - w) / 8};
    case CellKind::prism6: return {{u * (1 - v), v, c[2]}, (1 - v) / 4};
    case CellKind::pyramid5: return {{c[0] * (1 - w), c[1] * (1 - w), w}, (1 - w) * (1 - w) / 2};
    default: return {c, 1};
  }
}

std::vector<QuadraturePoint> make_geometry_rule(const CellTraits& t) {
  std::vector<QuadraturePoint> rule;
  const std::size_t ni = t.dimension > 0 ? gauss_count : 1, nj = t.dimension > 1 ? gauss_count : 1,
                    nk = t.dimension > 2 ? gauss_count : 1;
  for (std::size_t k = 0; k < nk; ++k)
    for (std::size_t j = 0; j < nj; ++j)
      for (std::size_t i = 0; i < ni; ++i) {
        QuadraturePoint q = collapsed(
            t.linear, {ni > 1 ? gauss_points[i] : 0, nj > 1 ? gauss_points[j] : 0, nk > 1 ? gauss_points[k] : 0});
        q.weight *= (ni > 1 ? gauss_weights[i] : 1) * (nj > 1 ? gauss_weights[j] : 1) * (nk > 1 ? gauss_weights[k] : 1);
        rule.push_back(q);
      }
  return rule;
}

// A table with one entry per kind, made once.
template <class Make>
auto for_all_kinds(Make make) {
  std::vector<decltype(make(traits(CellKind::vertex1)))> list;
  for (const CellKind kind : all_cell_kinds()) list.push_back(make(traits(kind)));
  return list;
}

}  // namespace

std::span<const Point> reference_nodes(CellKind kind) {
  static const auto all = for_all_kinds(make_reference_nodes);
  return all[static_cast<std::size_t>(kind)];
}

Point reference_centroid(CellKind kind) {
  switch (traits(kind).linear) {
    case CellKind::tri3: return {1.0 / 3, 1.0 / 3, 0};
    case CellKind::tet4: return {0.25, 0.25, 0.25};
    case CellKind::prism6: return {1.0 / 3, 1.0 / 3, 0};
    case CellKind::pyramid5: return {0, 0, 0.25};
    default: return {0, 0, 0};
  }
}

const CellFunctions& cell_functions(CellKind kind) {
  static const auto all = for_all_kinds(make_functions);
  return all[static_cast<std::size_t>(kind)];
}

std::vector<double> shape_values(CellKind kind, const Point& xi) {
  std::vector<double> values;
  each_cell_function(cell_functions(kind), xi, [&](int, double N, const Point&) { values.push_back(N); });
  return values;
}

std::size_t shape_values(CellKind kind, const Point& xi, std::span<double, most_cell_nodes> values) {
  const CellFunctions& functions = cell_functions(kind);
  each_cell_function(functions, xi, [&](int a, double N, const Point&) { values[static_cast<std::size_t>(a)] = N; });
  return static_cast<std::size_t>(functions.count);
}

std::vector<Point> shape_gradients(CellKind kind, const Point& xi) {
  std::vector<Point> gradients;
  each_cell_function(cell_functions(kind), xi, [&](int, double, const Point& slope) { gradients.push_back(slope); });
  return gradients;
}

std::size_t shape_functions(CellKind kind, const Point& xi, std::span<double, most_cell_nodes> values,
                            std::span<Point, most_cell_nodes> gradients) {
  const CellFunctions& functions = cell_functions(kind);
  each_cell_function(functions, xi, [&](int a, double N, const Point& slope) {
    values[static_cast<std::size_t>(a)] = N;
    gradients[static_cast<std::size_t>(a)] = slope;
  });
  return static_cast<std::size_t>(functions.count);
}

std::span<const QuadraturePoint> geometry_rule(CellKind kind) {
  static const auto all = for_all_kinds(make_geometry_rule);
  return all[static_cast<std::size_t>(kind)];
}

}  // namespace ritz
