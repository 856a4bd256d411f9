// Shape functions are written once, for numbers and for those that carry their gradient with them (Jet).
#include "mesh/cell_geometry.hpp"

#include "mesh/jet.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace ritz {
namespace {

// Numbers T: double, or Jet for gradients.
template <class T>
using PointOf = std::array<T, 3>;

// One for each node.
template <class T>
class List {
 public:
  List() = default;
  List(std::initializer_list<T> first) {
    for (const T& each : first) push_back(each);
  }
  void push_back(const T& each) { items_[size_++] = each; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, most_cell_nodes> items_;
  std::size_t size_ = 0;
};

double value_of(double x) { return x; }
double value_of(const Jet& x) { return x.value; }

// Lagrange polynomials on [-1, 1]: the one that is 1 at `node`.
template <class T>
T linear_at(double node, const T& t) {
  return 0.5 * (1 + node * t);
}
template <class T>
T quadratic_at(double node, const T& t) {
  return node == 0 ? (1 - t) * (1 + t) : 0.5 * (t * (t + node));
}

template <class T>
List<T> tensor(CellKind kind, const PointOf<T>& x) {
  const bool quadratic = traits(kind).order == 2;
  List<T> N;
  for (const Point& node : reference_nodes(kind)) {
    T product = 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(traits(kind).dimension); ++k)
      product = product * (quadratic ? quadratic_at(node[k], x[k]) : linear_at(node[k], x[k]));
    N.push_back(product);
  }
  return N;
}

// Corners: prod (1 + x_i x) (sum x_i x - (d - 1)) / 2^d; edges: (1 - t^2) prod of the other (1 + x_i x) / 2^(d-1).
template <class T>
List<T> serendipity(CellKind kind, const PointOf<T>& x) {
  const auto d = static_cast<std::size_t>(traits(kind).dimension);
  List<T> N;
  for (const Point& node : reference_nodes(kind)) {
    T product = 1, sum = 1 - static_cast<double>(d);
    bool corner = true;
    for (std::size_t k = 0; k < d; ++k) {
      corner = corner && node[k] != 0;
      product = product * (node[k] == 0 ? quadratic_at(0, x[k]) : linear_at(node[k], x[k]));
      sum = sum + node[k] * x[k];
    }
    N.push_back(corner ? product * sum : product);
  }
  return N;
}

template <class T>
List<T> barycentric(int dimension, const PointOf<T>& x) {
  List<T> lambda = {T(1)};
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k) {
    lambda[0] = lambda[0] - x[k];
    lambda.push_back(x[k]);
  }
  return lambda;
}

template <class T>
List<T> simplex(CellKind kind, const PointOf<T>& x) {
  const CellTraits& t = traits(kind);
  const List<T> lambda = barycentric(t.dimension, x);
  if (t.order == 1) return lambda;
  List<T> N;
  for (const T& l : lambda) N.push_back(l * (2 * l - 1));
  for (const auto& [a, b] : t.edges)
    N.push_back(4 * lambda[static_cast<std::size_t>(a)] * lambda[static_cast<std::size_t>(b)]);
  return N;
}

// prism15: corners l (2l - 1)(1 + s z)/2 - l (1 - z^2)/2, edges of the triangles 2 l m (1 + s z), uprights l (1 - z^2).
template <class T>
List<T> prism(CellKind kind, const PointOf<T>& x) {
  const List<T> l1 = simplex(CellKind::tri3, x), l2 = simplex(CellKind::tri6, x);
  const T& z = x[2];
  const T bubble = quadratic_at(0, z);
  List<T> N;
  const auto layer = [&](const List<T>& triangle, std::size_t first, std::size_t last, auto profile) {
    for (std::size_t i = first; i < last; ++i) N.push_back(triangle[i] * profile);
  };
  if (kind == CellKind::prism6) {
    for (const double s : {-1.0, 1.0}) layer(l1, 0, 3, linear_at(s, z));
  } else if (kind == CellKind::prism15) {
    for (const double s : {-1.0, 1.0})
      for (std::size_t i = 0; i < 3; ++i) N.push_back(l2[i] * linear_at(s, z) - 0.5 * (l1[i] * bubble));
    for (const double s : {-1.0, 1.0}) layer(l2, 3, 6, linear_at(s, z));
    layer(l1, 0, 3, bubble);
  } else {
    for (const double s : {-1.0, 1.0}) layer(l2, 0, 3, quadratic_at(s, z));
    for (const double s : {-1.0, 1.0}) layer(l2, 3, 6, quadratic_at(s, z));
    layer(l2, 0, 3, bubble);
    layer(l2, 3, 6, bubble);
  }
  return N;
}

template <class T>
List<T> pyramid_basis(CellKind kind, const PointOf<T>& p) {
  const auto& [x, y, z] = p;
  const T r = value_of(z) >= 1 ? T(0) : x * y / (1 - z);
  List<T> basis = {T(1), x, y, z, r};
  if (kind == CellKind::pyramid5) return basis;
  for (const T& f : {x * x, y * y, z * z, x * y, y * z, z * x, x * r, y * r}) basis.push_back(f);
  if (kind == CellKind::pyramid14) basis.push_back(r * r);
  return basis;
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
    std::vector<double> row;
    for (const double f : pyramid_basis<double>(kind, node)) row.push_back(f);
    vandermonde.push_back(std::move(row));
  }
  Matrix coefficients = inverse(std::move(vandermonde));
  for (auto& row : coefficients)
    for (double& c : row) c = std::round(c * 8) / 8;
  return coefficients;
}

template <class T>
List<T> pyramid(CellKind kind, const PointOf<T>& x) {
  static const std::array<Matrix, 3> coefficients = {pyramid_coefficients(CellKind::pyramid5),
                                                     pyramid_coefficients(CellKind::pyramid13),
                                                     pyramid_coefficients(CellKind::pyramid14)};
  const Matrix& C = coefficients[kind == CellKind::pyramid5 ? 0 : kind == CellKind::pyramid13 ? 1 : 2];
  const List<T> basis = pyramid_basis(kind, x);
  List<T> N;
  for (std::size_t i = 0; i < basis.size(); ++i) N.push_back(0);
  for (std::size_t j = 0; j < basis.size(); ++j)
    for (std::size_t i = 0; i < N.size(); ++i) N[i] = N[i] + C[j][i] * basis[j];
  return N;
}

template <class T>
List<T> functions_at(CellKind kind, const PointOf<T>& x) {
  switch (kind) {
    case CellKind::quad8:
    case CellKind::hex20: return serendipity(kind, x);
    default: break;
  }
  switch (traits(kind).linear) {
    case CellKind::vertex1: return {T(1)};
    case CellKind::tri3:
    case CellKind::tet4: return simplex(kind, x);
    case CellKind::prism6: return prism(kind, x);
    case CellKind::pyramid5: return pyramid(kind, x);
    default: return tensor(kind, x);
  }
}

List<Jet> jets_at(CellKind kind, const Point& xi) {
  return functions_at<Jet>(kind, {Jet::variable(xi[0], 0), Jet::variable(xi[1], 1), Jet::variable(xi[2], 2)});
}

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

std::vector<double> shape_values(CellKind kind, const Point& xi) {
  const List<double> N = functions_at<double>(kind, xi);
  return {N.begin(), N.end()};
}

std::size_t shape_values(CellKind kind, const Point& xi, std::span<double, most_cell_nodes> values) {
  const List<double> N = functions_at<double>(kind, xi);
  std::ranges::copy(N, values.begin());
  return N.size();
}

std::vector<Point> shape_gradients(CellKind kind, const Point& xi) {
  std::vector<Point> gradients;
  for (const Jet& N : jets_at(kind, xi)) gradients.push_back(N.slope);
  return gradients;
}

std::size_t shape_functions(CellKind kind, const Point& xi, std::span<double, most_cell_nodes> values,
                            std::span<Point, most_cell_nodes> gradients) {
  const List<Jet> N = jets_at(kind, xi);
  for (std::size_t a = 0; a < N.size(); ++a) {
    values[a] = N[a].value;
    gradients[a] = N[a].slope;
  }
  return N.size();
}

std::span<const QuadraturePoint> geometry_rule(CellKind kind) {
  static const auto all = for_all_kinds(make_geometry_rule);
  return all[static_cast<std::size_t>(kind)];
}

}  // namespace ritz
