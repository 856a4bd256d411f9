#include "fem/cells/reference_element.hpp"

#include "device/error.hpp"
#include "fem/cells/polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <memory>
#include <numeric>

namespace ritz {
namespace {

constexpr double same_place = 1e-9;  // on reference cells, whose size is 1 or 2

// --- nodes -----------------------------------------------------------------------------------------------------------

// Isaac's recursive nodes: barycentric coordinates of the node with the multi-index alpha.
std::vector<double> recursive_node(const std::vector<int>& alpha) {
  const int n = std::accumulate(alpha.begin(), alpha.end(), 0);
  const std::vector<double> line = n > 0 ? gauss_lobatto_nodes(n) : std::vector<double>{0};
  const auto on_line = [&](int i) { return n > 0 ? 0.5 * (1 + line[static_cast<std::size_t>(i)]) : 0.5; };
  if (alpha.size() == 1) return {1.0};
  if (alpha.size() == 2) return {on_line(alpha[0]), on_line(alpha[1])};
  std::vector<double> node(alpha.size(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    std::vector<int> rest = alpha;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const double weight = on_line(n - alpha[i]);
    total += weight;
    if (weight == 0) continue;
    const std::vector<double> face = recursive_node(rest);
    for (std::size_t j = 0, k = 0; j < alpha.size(); ++j)
      if (j != i) node[j] += weight * face[k++];
  }
  for (double& value : node) value /= total;
  return node;
}

std::vector<Point> triangle_nodes(int order) {
  std::vector<Point> nodes;
  for (int j = 0; j <= order; ++j)
    for (int i = 0; i + j <= order; ++i) {
      const std::vector<double> b = recursive_node({order - i - j, i, j});
      nodes.push_back({b[1], b[2], 0});
    }
  return nodes;
}

std::vector<Point> tetrahedron_nodes(int order) {
  std::vector<Point> nodes;
  for (int k = 0; k <= order; ++k)
    for (int j = 0; j + k <= order; ++j)
      for (int i = 0; i + j + k <= order; ++i) {
        const std::vector<double> b = recursive_node({order - i - j - k, i, j, k});
        nodes.push_back({b[1], b[2], b[3]});
      }
  return nodes;
}

// Layers of (order + 1 - k)^2 nodes: on triangular facets those of triangles, inside on the square through them.
std::vector<Point> pyramid_nodes(int order) {
  std::vector<Point> nodes;
  const std::vector<double> line = gauss_lobatto_nodes(order);
  for (int k = 0; k <= order; ++k) {
    const int m = order - k;
    const double z = recursive_node({order - k, 0, k})[2];
    for (int j = 0; j <= m; ++j)
      for (int i = 0; i <= m; ++i) {
        const auto place = [&](int a) -> double {  // along a base edge, at the height of this layer
          const std::vector<double> b = recursive_node({m - a, a, k});
          return b[1] - b[0];  // triangle with vertices (-1, 0), (1, 0), apex at 0
        };
        const auto height = [&](int a) { return recursive_node({m - a, a, k})[2]; };
        if (k == 0) {
          nodes.push_back({line[static_cast<std::size_t>(i)], line[static_cast<std::size_t>(j)], 0});
        } else if (j == 0 || j == m) {
          const double h = height(i), side = 1 - h;
          nodes.push_back({place(i), j == 0 ? -side : side, h});
        } else if (i == 0 || i == m) {
          const double h = height(j), side = 1 - h;
          nodes.push_back({i == 0 ? -side : side, place(j), h});
        } else {
          nodes.push_back({place(i), place(j), z});
        }
      }
    if (m == 0) nodes.back() = {0, 0, 1};
  }
  return nodes;
}

// --- elements --------------------------------------------------------------------------------------------------------

// Products of one-dimensional Lagrange polynomials.
ReferenceElement tensor_element(CellKind shape, int order) {
  ReferenceElement element;
  element.shape = shape;
  element.order = order;
  const int dimension = traits(shape).dimension;
  element.name = fmt::format("Q{} {}", order,
                             dimension == 3   ? "hexahedron"
                             : dimension == 2 ? "quadrilateral"
                                              : "line");
  element.line_nodes = gauss_lobatto_nodes(order);
  const std::size_t n = element.line_nodes.size();
  const std::size_t ny = dimension > 1 ? n : 1, nz = dimension > 2 ? n : 1;
  for (std::size_t k = 0; k < nz; ++k)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t i = 0; i < n; ++i)
        element.nodes.push_back({element.line_nodes[i], dimension > 1 ? element.line_nodes[j] : 0,
                                 dimension > 2 ? element.line_nodes[k] : 0});
  element.evaluate = [line = LineLagrange{element.line_nodes}, dimension, n, ny, nz](
                         const Point& x, std::span<double> values, std::span<Point> gradients) {
    std::vector<double> v[3], d[3];
    for (int axis = 0; axis < 3; ++axis) {
      v[axis].assign(n, 1.0);
      d[axis].assign(n, 0.0);
      if (axis < dimension) line.evaluate(x[static_cast<std::size_t>(axis)], v[axis].data(), d[axis].data());
    }
    std::size_t a = 0;
    for (std::size_t k = 0; k < nz; ++k)
      for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t i = 0; i < n; ++i, ++a) {
          values[a] = v[0][i] * v[1][j] * v[2][k];
          gradients[a] = {d[0][i] * v[1][j] * v[2][k], v[0][i] * d[1][j] * v[2][k], v[0][i] * v[1][j] * d[2][k]};
        }
  };
  return element;
}

ReferenceElement polynomial_element(CellKind shape, int order, std::string name, std::vector<Point> nodes) {
  ReferenceElement element = element_of(std::make_shared<const LagrangePolynomials>(shape, order, std::move(nodes)));
  element.name = std::move(name);
  return element;
}

ReferenceElement prism_element(int order) {
  auto triangle = std::make_shared<ReferenceElement>(lagrange_element(CellKind::tri3, order));
  auto line = std::make_shared<ReferenceElement>(lagrange_element(CellKind::line2, order));
  ReferenceElement element;
  element.name = fmt::format("P{} x Q{} prism", order, order);
  element.shape = CellKind::prism6;
  element.order = order;
  for (const Point& z : line->nodes)
    for (const Point& p : triangle->nodes) element.nodes.push_back({p[0], p[1], z[0]});
  element.evaluate = [triangle, line](const Point& x, std::span<double> values, std::span<Point> gradients) {
    const std::size_t nt = triangle->nodes.size(), nl = line->nodes.size();
    std::vector<double> vt(nt), vl(nl);
    std::vector<Point> gt(nt), gl(nl);
    triangle->evaluate(x, vt, gt);
    line->evaluate({x[2], 0, 0}, vl, gl);
    for (std::size_t k = 0, a = 0; k < nl; ++k)
      for (std::size_t t = 0; t < nt; ++t, ++a) {
        values[a] = vt[t] * vl[k];
        gradients[a] = {gt[t][0] * vl[k], gt[t][1] * vl[k], vt[t] * gl[k][0]};
      }
  };
  return element;
}

}  // namespace

int highest_lagrange_order(CellKind shape) {
  switch (traits(shape).linear) {
    case CellKind::tri3:
    case CellKind::tet4:
    case CellKind::prism6: return 4;
    case CellKind::pyramid5: return 3;
    default: return 8;
  }
}

ReferenceElement cell_element(CellKind kind) {
  const CellTraits& t = traits(kind);
  ReferenceElement element;
  element.name = std::string(t.name);
  element.shape = t.linear;
  element.order = t.order;
  element.nodes.assign(reference_nodes(kind).begin(), reference_nodes(kind).end());
  element.evaluate = [kind](const Point& x, std::span<double> values, std::span<Point> gradients) {
    std::ranges::copy(shape_values(kind, x), values.begin());
    std::ranges::copy(shape_gradients(kind, x), gradients.begin());
  };
  return element;
}

ReferenceElement element_of(std::shared_ptr<const LagrangePolynomials> functions) {
  ReferenceElement element;
  element.name = fmt::format("{} of order {}", traits(functions->shape()).name, functions->order());
  element.shape = functions->shape();
  element.order = functions->order();
  element.nodes.assign(functions->nodes().begin(), functions->nodes().end());
  element.evaluate = [functions = std::move(functions)](const Point& x, std::span<double> values,
                                                        std::span<Point> gradients) {
    functions->evaluate(x, values, gradients);
  };
  return element;
}

ReferenceElement lagrange_element(CellKind shape, int order) {
  const CellKind linear = traits(shape).linear;
  if (order < 1 || order > highest_lagrange_order(linear))
    throw Error(ErrorKind::model_options,
                fmt::format("order {} is not available on cells of kind {}", order, traits(linear).name),
                fmt::format("orders 1 to {} are", highest_lagrange_order(linear)));
  switch (linear) {
    case CellKind::line2:
    case CellKind::quad4:
    case CellKind::hex8: return tensor_element(linear, order);
    case CellKind::tri3:
      return polynomial_element(linear, order, fmt::format("P{} triangle", order), triangle_nodes(order));
    case CellKind::tet4:
      return polynomial_element(linear, order, fmt::format("P{} tetrahedron", order), tetrahedron_nodes(order));
    case CellKind::prism6: return prism_element(order);
    case CellKind::pyramid5:
      return polynomial_element(linear, order, fmt::format("order {} pyramid", order), pyramid_nodes(order));
    default: throw Error(ErrorKind::internal, fmt::format("no Lagrange element on {}", traits(shape).name));
  }
}

namespace {

// A facet of a reference cell: x = origin + sum_d axis_d (xi_d - start_d), since reference facets are parallelograms or
// triangles.
class ReferenceFacet {
 public:
  ReferenceFacet(CellKind cell, int facet) {
    const Facet& f = traits(cell).facets[static_cast<std::size_t>(facet)];
    const auto corners = reference_nodes(cell), facet_corners = reference_nodes(f.kind);
    dimension_ = static_cast<std::size_t>(traits(f.kind).dimension);
    origin_ = corners[static_cast<std::size_t>(f.nodes[0])];
    start_ = facet_corners[0];
    for (std::size_t d = 0; d < dimension_; ++d) {
      const std::size_t corner = d == 0 ? 1 : facet_corners.size() - 1;  // neighbours of corner 0 along x and y
      const double length = facet_corners[corner][d] - start_[d];
      for (std::size_t i = 0; i < 3; ++i)
        axis_[d][i] = (corners[static_cast<std::size_t>(f.nodes[corner])][i] - origin_[i]) / length;
    }
  }

  Point to_cell(const Point& xi) const {
    Point x = origin_;
    for (std::size_t d = 0; d < dimension_; ++d)
      for (std::size_t i = 0; i < 3; ++i) x[i] += axis_[d][i] * (xi[d] - start_[d]);
    return x;
  }

  // By least squares; none where x is not on the facet.
  std::optional<Point> from_cell(const Point& x) const {
    std::array<std::array<double, 2>, 2> gram{};
    double right[2] = {0, 0};
    for (std::size_t d = 0; d < dimension_; ++d)
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t e = 0; e < dimension_; ++e) gram[d][e] += axis_[d][i] * axis_[e][i];
        right[d] += axis_[d][i] * (x[i] - origin_[i]);
      }
    if (dimension_ == 1) gram[1][1] = 1;
    const double determinant = gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0];
    Point xi{};
    xi[0] = start_[0] + (gram[1][1] * right[0] - gram[0][1] * right[1]) / determinant;
    if (dimension_ == 2) xi[1] = start_[1] + (gram[0][0] * right[1] - gram[1][0] * right[0]) / determinant;
    const Point back = to_cell(xi);
    if (std::hypot(back[0] - x[0], back[1] - x[1], back[2] - x[2]) >= same_place) return {};
    return xi;
  }

  // The part of a gradient along the directions of the facet.
  Point along_facet(const Point& gradient) const {
    Point result{};
    for (std::size_t d = 0; d < dimension_; ++d)
      for (std::size_t i = 0; i < 3; ++i) result[d] += gradient[i] * axis_[d][i];
    return result;
  }

 private:
  std::size_t dimension_ = 0;
  Point origin_{}, start_{};
  std::array<Point, 2> axis_{};
};

}  // namespace

Trace trace_of(const ReferenceElement& element, int facet) {
  const ReferenceFacet map(element.shape, facet);
  struct Found {
    int node;
    Point xi;
  };
  std::vector<Found> found;
  for (int a = 0; a < element.node_count(); ++a)
    if (const auto xi = map.from_cell(element.nodes[static_cast<std::size_t>(a)])) found.push_back({a, *xi});
  std::ranges::sort(found, [](const Found& p, const Found& q) {
    if (std::abs(p.xi[1] - q.xi[1]) > same_place) return p.xi[1] < q.xi[1];
    return p.xi[0] < q.xi[0];
  });
  Trace trace;
  trace.element.name = fmt::format("facet {} of {}", facet, element.name);
  trace.element.shape = traits(element.shape).facets[static_cast<std::size_t>(facet)].kind;
  trace.element.order = element.order;
  for (const Found& p : found) {
    trace.nodes.push_back(p.node);
    trace.element.nodes.push_back(p.xi);
  }
  trace.element.evaluate = [cell = element.evaluate, count = element.nodes.size(), kept = trace.nodes, map](
                               const Point& xi, std::span<double> values, std::span<Point> gradients) {
    std::vector<double> v(count);
    std::vector<Point> g(count);
    cell(map.to_cell(xi), v, g);
    for (std::size_t a = 0; a < kept.size(); ++a) {
      const auto node = static_cast<std::size_t>(kept[a]);
      values[a] = v[node];
      gradients[a] = map.along_facet(g[node]);
    }
  };
  return trace;
}

}  // namespace ritz
