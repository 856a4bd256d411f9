#include "fem/cells/vector_element.hpp"

#include "device/error.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

bool is_simplex(CellKind shape) { return shape == CellKind::tri3 || shape == CellKind::tet4; }

Point corner(CellKind shape, int i) { return reference_nodes(shape)[static_cast<std::size_t>(i)]; }

Point middle_of(CellKind shape, std::span<const int> corners) {
  Point sum{};
  for (const int i : corners)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += corner(shape, i)[d] / double(corners.size());
  return sum;
}

// In a simplex: (x - P) / (d V), with P the corner across and V the volume 1 / d!.
void facet_of_simplex(CellKind shape, int facet, const Point& xi, Point& value, Point& derivative) {
  const CellTraits& t = traits(shape);
  const auto& on = t.facets[static_cast<std::size_t>(facet)].nodes;
  int across = 0;
  while (std::ranges::find(on, across) != on.end()) ++across;
  const double scale = t.dimension == 2 ? 1 : 2;
  for (std::size_t d = 0; d < static_cast<std::size_t>(t.dimension); ++d)
    value[d] = scale * (xi[d] - corner(shape, across)[d]);
  derivative[0] = scale * t.dimension;
}

// In a square or cube [-1, 1]^d: along the axis of the facet, (1 +- x) / 2 over the facet's area 2^(d - 1).
void facet_of_cube(CellKind shape, int facet, const Point& xi, Point& value, Point& derivative) {
  const CellTraits& t = traits(shape);
  const Point middle = middle_of(shape, t.facets[static_cast<std::size_t>(facet)].nodes);
  const double area = t.dimension == 2 ? 2 : 4;
  for (std::size_t d = 0; d < static_cast<std::size_t>(t.dimension); ++d)
    if (middle[d] != 0) value[d] = middle[d] * (1 + middle[d] * xi[d]) / (2 * area);
  derivative[0] = 1 / (2 * area);
}

// In a simplex: l_p grad l_q - l_q grad l_p, with the barycentric coordinates l of the edge's ends.
void edge_of_simplex(CellKind shape, int edge, const Point& xi, Point& value, Point& derivative) {
  const auto [p, q] = traits(shape).edges[static_cast<std::size_t>(edge)];
  const std::vector<double> l = shape_values(shape, xi);
  const std::vector<Point> slope = shape_gradients(shape, xi);
  const auto i = static_cast<std::size_t>(p), j = static_cast<std::size_t>(q);
  for (std::size_t d = 0; d < 3; ++d) value[d] = l[i] * slope[j][d] - l[j] * slope[i][d];
  derivative = cross(slope[i], slope[j]);
  for (double& each : derivative) each *= 2;
}

// In a square or cube: along the axis of the edge, falling linearly to the edges across, 1 / 2 on the edge of length 2.
void edge_of_cube(CellKind shape, int edge, const Point& xi, Point& value, Point& derivative) {
  const CellTraits& t = traits(shape);
  const auto& ends = t.edges[static_cast<std::size_t>(edge)];
  const Point middle = middle_of(shape, ends), to = corner(shape, ends[1]);
  std::size_t axis = 0;
  while (middle[axis] != 0) ++axis;
  const auto without = [&](std::size_t skipped) {  // the product of the factors but that of one axis
    double product = 0.5 * to[axis];
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.dimension); ++d)
      if (d != axis && d != skipped) product *= (1 + middle[d] * xi[d]) / 2;
    return product;
  };
  Point slope{};  // of the value
  for (std::size_t d = 0; d < static_cast<std::size_t>(t.dimension); ++d)
    if (d != axis) slope[d] = without(d) * middle[d] / 2;
  value[axis] = without(axis);
  Point along{};
  along[axis] = 1;
  derivative = cross(slope, along);
}

// A term of a polynomial vector: x^e along an axis.
struct Term {
  std::size_t axis;
  std::array<int, 3> exponent;
};

double power(double x, int n) { return n == 0 ? 1 : n == 1 ? x : x * x; }

double value_of(const Term& term, const Point& x) {
  return power(x[0], term.exponent[0]) * power(x[1], term.exponent[1]) * power(x[2], term.exponent[2]);
}
double slope_of(const Term& term, const Point& x) {  // along its own axis
  Term lower = term;
  const int e = lower.exponent[term.axis]--;
  return e == 0 ? 0 : e * value_of(lower, x);
}

// Raviart and Thomas's space of order 2: linear vectors and x times linear functions on simplices; on squares and cubes
// along each axis quadratic in it and linear in the others.
std::vector<std::vector<Term>> quadratic_facet_space(CellKind shape) {
  const auto d = static_cast<std::size_t>(traits(shape).dimension);
  std::vector<std::vector<Term>> space;
  for (std::size_t axis = 0; axis < d; ++axis) {
    if (is_simplex(shape)) {
      space.push_back({{axis, {0, 0, 0}}});
      for (std::size_t k = 0; k < d; ++k) {
        std::array<int, 3> e{};
        e[k] = 1;
        space.push_back({{axis, e}});
      }
      continue;
    }
    for (int i = 0; i <= 2; ++i)
      for (int j = 0; j <= 1; ++j)
        for (int k = 0; k <= (d == 3 ? 1 : 0); ++k) {
          std::array<int, 3> e{};
          e[axis] = i;
          e[(axis + 1) % d] = j;
          if (d == 3) e[(axis + 2) % d] = k;
          space.push_back({{axis, e}});
        }
  }
  if (!is_simplex(shape)) return space;
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<Term>& radial = space.emplace_back();
    for (std::size_t axis = 0; axis < d; ++axis) {
      std::array<int, 3> e{};
      ++e[axis];
      ++e[k];
      radial.push_back({axis, e});
    }
  }
  return space;
}

// The moments that are the unknowns: use(point, weight vector of the moment) for each point of its rule.
template <class Use>
void for_each_moment(CellKind shape, const Use& use) {
  const CellTraits& t = traits(shape);
  const auto d = static_cast<std::size_t>(t.dimension);
  std::size_t unknown = 0;
  for (const Facet& facet : t.facets) {
    const QuadratureRule rule = quadrature(facet.kind, 4);
    for (std::size_t corner_of_facet = 0; corner_of_facet < facet.nodes.size(); ++corner_of_facet, ++unknown)
      for (std::size_t q = 0; q < rule.points.size(); ++q) {
        const std::vector<double> weights = shape_values(facet.kind, rule.points[q]);
        const std::vector<Point> slopes = shape_gradients(facet.kind, rule.points[q]);
        Point x{};
        std::array<Point, 2> tangents{};
        for (std::size_t i = 0; i < facet.nodes.size(); ++i)
          for (std::size_t k = 0; k < 3; ++k) {
            x[k] += weights[i] * corner(shape, facet.nodes[i])[k];
            for (std::size_t s = 0; s < 2; ++s) tangents[s][k] += slopes[i][s] * corner(shape, facet.nodes[i])[k];
          }
        Point normal = cross(tangents[0], d == 3 ? tangents[1] : Point{0, 0, 1});
        for (double& n : normal) n *= rule.weights[q] * weights[corner_of_facet];
        use(unknown, x, normal);
      }
  }
  const QuadratureRule rule = quadrature(shape, 4);
  for (std::size_t axis = 0; axis < d; ++axis)
    for (int j = 0; j <= (is_simplex(shape) ? 0 : 1); ++j)
      for (int k = 0; k <= (is_simplex(shape) || d == 2 ? 0 : 1); ++k, ++unknown)
        for (std::size_t q = 0; q < rule.points.size(); ++q) {
          Point weight{};
          weight[axis] = rule.weights[q] * power(rule.points[q][(axis + 1) % d], j) *
                         power(rule.points[q][(axis + 2) % d], d == 3 ? k : 0);
          use(unknown, rule.points[q], weight);
        }
}

// Functions whose own moment is 1 and all others 0, as combinations of the space: [function][of the space].
struct MomentFunctions {
  std::vector<std::vector<Term>> space;
  std::vector<std::vector<double>> factors;
};

MomentFunctions moment_functions(CellKind shape) {
  MomentFunctions result{quadratic_facet_space(shape), {}};
  const std::size_t n = result.space.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(2 * n, 0.0));  // moments [moment][of the space], and one
  for (std::size_t i = 0; i < n; ++i) m[i][n + i] = 1;
  for_each_moment(shape, [&](std::size_t moment, const Point& x, const Point& weight) {
    for (std::size_t j = 0; j < n; ++j)
      for (const Term& term : result.space[j]) m[moment][j] += weight[term.axis] * value_of(term, x);
  });
  for (std::size_t k = 0; k < n; ++k) {  // Gauss and Jordan, with pivots
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    std::swap(m[k], m[pivot]);
    const double scale = 1 / m[k][k];
    for (double& entry : m[k]) entry *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = m[i][k];
      for (std::size_t j = 0; j < 2 * n; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  result.factors.assign(n, std::vector<double>(n));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t j = 0; j < n; ++j) result.factors[a][j] = m[j][n + a];
  return result;
}

const MomentFunctions& moment_functions_of(CellKind shape) {
  static const MomentFunctions tri = moment_functions(CellKind::tri3), quad = moment_functions(CellKind::quad4),
                               tet = moment_functions(CellKind::tet4), hex = moment_functions(CellKind::hex8);
  return shape == CellKind::tri3 ? tri : shape == CellKind::quad4 ? quad : shape == CellKind::tet4 ? tet : hex;
}

void evaluate_moments(CellKind shape, const Point& xi, std::span<Point> values, std::span<Point> derivatives) {
  const MomentFunctions& functions = moment_functions_of(shape);
  for (std::size_t a = 0; a < functions.factors.size(); ++a) {
    values[a] = derivatives[a] = {};
    for (std::size_t j = 0; j < functions.space.size(); ++j)
      for (const Term& term : functions.space[j]) {
        values[a][term.axis] += functions.factors[a][j] * value_of(term, xi);
        derivatives[a][0] += functions.factors[a][j] * slope_of(term, xi);
      }
  }
}

// The linear functions of the cell through corners that are moved half way to its middle, so that none is on the
// border.
ReferenceElement jumping_element(CellKind shape) {
  ReferenceElement element;
  element.name = fmt::format("linear functions in a {}", traits(shape).name);
  element.shape = shape;
  const Point middle = reference_centroid(shape);
  for (const Point& x : reference_nodes(shape))
    element.nodes.push_back({0.5 * (x[0] + middle[0]), 0.5 * (x[1] + middle[1]), 0.5 * (x[2] + middle[2])});
  element.evaluate = [shape, middle](const Point& xi, std::span<double> values, std::span<Point> gradients) {
    const Point there{2 * xi[0] - middle[0], 2 * xi[1] - middle[1], 2 * xi[2] - middle[2]};
    const std::vector<double> v = shape_values(shape, there);
    const std::vector<Point> g = shape_gradients(shape, there);
    for (std::size_t a = 0; a < v.size(); ++a) {
      values[a] = v[a];
      gradients[a] = {2 * g[a][0], 2 * g[a][1], 2 * g[a][2]};
    }
  };
  return element;
}

}  // namespace

int VectorElement::derivative_count() const { return family == Family::edge && traits(shape).dimension == 3 ? 3 : 1; }

void VectorElement::evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const {
  if (order == 2) return evaluate_moments(shape, xi, values, derivatives);
  for (int a = 0; a < unknown_count; ++a) {
    Point &value = values[static_cast<std::size_t>(a)], &derivative = derivatives[static_cast<std::size_t>(a)];
    value = derivative = {};
    if (family == Family::facet)
      (is_simplex(shape) ? facet_of_simplex : facet_of_cube)(shape, a, xi, value, derivative);
    else (is_simplex(shape) ? edge_of_simplex : edge_of_cube)(shape, a, xi, value, derivative);
    if (family == Family::edge && traits(shape).dimension == 2) derivative = {derivative[2], 0, 0};
  }
}

int highest_order(Family family) { return family == Family::facet ? 2 : 1; }

VectorElement vector_element(CellKind shape, Family family, int order) {
  if (shape != CellKind::tri3 && shape != CellKind::quad4 && shape != CellKind::tet4 && shape != CellKind::hex8)
    throw Error(Exit::input,
                fmt::format("there are no unknowns on {} of cells of kind {}",
                            family == Family::facet ? "facets" : "edges", traits(shape).name),
                "such elements exist on triangles, quadrilaterals, tetrahedra and hexahedra", "mesh with these");
  if (order < 1 || order > highest_order(family))
    throw Error(
        Exit::input,
        fmt::format("fields of {} of order {} were asked for", family == Family::facet ? "facets" : "edges", order), {},
        fmt::format("use order 1{}", highest_order(family) > 1 ? " or 2" : ""));
  const CellTraits& t = traits(shape);
  if (order == 2) return {family, shape, order, static_cast<int>(moment_functions_of(shape).space.size())};
  return {family, shape, order, static_cast<int>(family == Family::facet ? t.facets.size() : t.edges.size())};
}

ReferenceElement entity_element(CellKind shape, Family family, int order) {
  const CellTraits& t = traits(shape);
  ReferenceElement element;
  element.shape = shape;
  if (family == Family::cell) {
    if (order < 0 || order > 1 || (order == 1 && shape == CellKind::pyramid5))
      throw Error(Exit::input, fmt::format("fields in cells of kind {} of order {} were asked for", t.name, order), {},
                  "use order 0, or 1 without pyramids");
    if (order == 1) return jumping_element(shape);
    element.name = fmt::format("constants in a {}", t.name);
    element.nodes = {reference_centroid(shape)};
    element.evaluate = [](const Point&, std::span<double> values, std::span<Point> gradients) {
      values[0] = 1;
      gradients[0] = {};
    };
    return element;
  }
  const VectorElement functions = vector_element(shape, family, order);
  element.name = fmt::format("{} of a {}, order {}", family == Family::facet ? "facets" : "edges", t.name, order);
  element.order = order;
  for (const Facet& facet : t.facets) {
    if (family != Family::facet) break;
    const Point middle = middle_of(shape, facet.nodes);
    if (order == 1) element.nodes.push_back(middle);
    for (const int i : facet.nodes) {
      if (order == 1) break;
      const Point x = corner(shape, i);  // half way to the corner
      element.nodes.push_back({0.5 * (x[0] + middle[0]), 0.5 * (x[1] + middle[1]), 0.5 * (x[2] + middle[2])});
    }
  }
  for (const auto& edge : t.edges)
    if (family == Family::edge) element.nodes.push_back(middle_of(shape, edge));
  element.nodes.resize(static_cast<std::size_t>(functions.unknown_count), reference_centroid(shape));
  element.evaluate = [functions](const Point&, std::span<double> values, std::span<Point> gradients) {
    std::ranges::fill(values, 1.0 / functions.unknown_count);
    std::ranges::fill(gradients, Point{});
  };
  return element;
}

VectorTabulation::VectorTabulation(const Device& device, const VectorElement& element, const ReferenceElement& geometry,
                                   const QuadratureRule& rule)
    : geometry_(device, geometry, geometry, rule), unknown_count_(element.unknown_count) {
  const auto count = static_cast<std::size_t>(element.unknown_count);
  const auto dimension = static_cast<std::size_t>(traits(element.shape).dimension);
  std::vector<Point> values(count), derivatives(count);
  std::vector<double> numbers, all_derivatives;
  for (const Point& xi : rule.points) {
    element.evaluate(xi, values, derivatives);
    for (std::size_t a = 0; a < count; ++a) {
      numbers.insert(numbers.end(), values[a].begin(), values[a].begin() + static_cast<std::ptrdiff_t>(dimension));
      all_derivatives.insert(all_derivatives.end(), derivatives[a].begin(),
                             derivatives[a].begin() + element.derivative_count());
    }
  }
  derivatives_ = static_cast<Index>(numbers.size());
  numbers.insert(numbers.end(), all_derivatives.begin(), all_derivatives.end());
  numbers_ = Vector(device, std::span<const double>(numbers), "reference cells");
}

ReferenceTable VectorTabulation::table() const {
  ReferenceTable table = geometry_.table();
  table.node_count = unknown_count_;
  table.values = numbers_.data();
  table.gradients = numbers_.data() + derivatives_;
  return table;
}

}  // namespace ritz
