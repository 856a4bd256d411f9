#include "fem/cells/vector_element.hpp"

#include "device/error.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
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

// Of a simplex: (x - P) / (d V), with P the corner across and V the volume 1 / d!.
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

// Of a square or cube [-1, 1]^d: along the axis of the facet, (1 +- x) / 2 over the facet's area 2^(d - 1).
void facet_of_cube(CellKind shape, int facet, const Point& xi, Point& value, Point& derivative) {
  const CellTraits& t = traits(shape);
  const Point middle = middle_of(shape, t.facets[static_cast<std::size_t>(facet)].nodes);
  const double area = t.dimension == 2 ? 2 : 4;
  for (std::size_t d = 0; d < static_cast<std::size_t>(t.dimension); ++d)
    if (middle[d] != 0) value[d] = middle[d] * (1 + middle[d] * xi[d]) / (2 * area);
  derivative[0] = 1 / (2 * area);
}

// Of a simplex: l_p grad l_q - l_q grad l_p, with the barycentric coordinates l of the edge's ends.
void edge_of_simplex(CellKind shape, int edge, const Point& xi, Point& value, Point& derivative) {
  const auto [p, q] = traits(shape).edges[static_cast<std::size_t>(edge)];
  const std::vector<double> l = shape_values(shape, xi);
  const std::vector<Point> slope = shape_gradients(shape, xi);
  const auto i = static_cast<std::size_t>(p), j = static_cast<std::size_t>(q);
  for (std::size_t d = 0; d < 3; ++d) value[d] = l[i] * slope[j][d] - l[j] * slope[i][d];
  derivative = cross(slope[i], slope[j]);
  for (double& each : derivative) each *= 2;
}

// Of a square or cube: along the axis of the edge, falling linearly to the edges across, 1 / 2 on the edge of length 2.
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

}  // namespace

int VectorElement::derivative_count() const { return family == Family::edge && traits(shape).dimension == 3 ? 3 : 1; }

void VectorElement::evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const {
  for (int a = 0; a < unknown_count; ++a) {
    Point &value = values[static_cast<std::size_t>(a)], &derivative = derivatives[static_cast<std::size_t>(a)];
    value = derivative = {};
    if (family == Family::facet)
      (is_simplex(shape) ? facet_of_simplex : facet_of_cube)(shape, a, xi, value, derivative);
    else (is_simplex(shape) ? edge_of_simplex : edge_of_cube)(shape, a, xi, value, derivative);
    if (family == Family::edge && traits(shape).dimension == 2) derivative = {derivative[2], 0, 0};
  }
}

VectorElement vector_element(CellKind shape, Family family) {
  if (shape != CellKind::tri3 && shape != CellKind::quad4 && shape != CellKind::tet4 && shape != CellKind::hex8)
    throw Error(Exit::input,
                fmt::format("there are no unknowns on {} of cells of kind {}",
                            family == Family::facet ? "facets" : "edges", traits(shape).name),
                "such elements exist on triangles, quadrilaterals, tetrahedra and hexahedra", "mesh with these");
  const CellTraits& t = traits(shape);
  return {family, shape, static_cast<int>(family == Family::facet ? t.facets.size() : t.edges.size())};
}

ReferenceElement entity_element(CellKind shape, Family family) {
  const CellTraits& t = traits(shape);
  ReferenceElement element;
  element.shape = shape;
  if (family == Family::cell) {
    element.name = fmt::format("constants in a {}", t.name);
    element.nodes = {reference_centroid(shape)};
    element.evaluate = [](const Point&, std::span<double> values, std::span<Point> gradients) {
      values[0] = 1;
      gradients[0] = {};
    };
    return element;
  }
  const VectorElement functions = vector_element(shape, family);
  element.name = fmt::format("{} of a {}", family == Family::facet ? "facets" : "edges", t.name);
  for (const Facet& facet : t.facets)
    if (family == Family::facet) element.nodes.push_back(middle_of(shape, facet.nodes));
  for (const auto& edge : t.edges)
    if (family == Family::edge) element.nodes.push_back(middle_of(shape, edge));
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
