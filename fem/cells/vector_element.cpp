#include "fem/cells/vector_element.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

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
  vector_functions(shape, family, order).evaluate(xi, values, derivatives);
}

std::vector<Moment> VectorElement::moments(int degree) const { return moments_of(shape, family, order, degree); }

int highest_order(Family family) { return family == Family::cell ? 1 : 2; }

VectorElement vector_element(CellKind shape, Family family, int order) {
  if (shape != CellKind::tri3 && shape != CellKind::quad4 && shape != CellKind::tet4 && shape != CellKind::hex8)
    throw Error(ErrorKind::model_options,
                fmt::format("there are no unknowns on {} of cells of kind {}",
                            family == Family::facet ? "facets" : "edges", traits(shape).name),
                "such elements exist on triangles, quadrilaterals, tetrahedra and hexahedra", "mesh with these");
  if (order < 1 || order > highest_order(family))
    throw Error(
        ErrorKind::model_options,
        fmt::format("fields of {} of order {} were asked for", family == Family::facet ? "facets" : "edges", order), {},
        "use order 1 or 2");
  return {family, shape, order, vector_functions(shape, family, order).count()};
}

ReferenceElement entity_element(CellKind shape, Family family, int order) {
  const CellTraits& t = traits(shape);
  ReferenceElement element;
  element.shape = shape;
  if (family == Family::cell) {
    if (order < 0 || order > 1 || (order == 1 && shape == CellKind::pyramid5))
      throw Error(ErrorKind::model_options,
                  fmt::format("fields in cells of kind {} of order {} were asked for", t.name, order), {},
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
  for (const Moment& moment : functions.moments(0)) element.nodes.push_back(moment.node);
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
