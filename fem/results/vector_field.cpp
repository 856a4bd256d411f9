#include "fem/results/vector_field.hpp"

#include "device/error.hpp"
#include "mesh/curved_cells.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quadrature.hpp"

#include <array>
#include <cmath>
#include <map>

namespace ritz {
namespace {

void check(const FieldsOperator& equations, int field) {
  if (equations.terms().family(field) != Family::facet && equations.terms().family(field) != Family::edge)
    throw Error(ErrorKind::internal,
                "the values of a field at nodes or in cells were asked for as vectors of facets or edges", {},
                "use the field's space");
}

// Columns of the Jacobian, of a plane one with the unit normal as the third, and its determinant.
struct TangentFrame {
  std::array<Point, 3> t;
  double determinant;
  TangentFrame(const CellMap& map, const Point& xi, int dimension) : t(map.tangents(xi)) {
    if (dimension == 2) t[2] = {0, 0, 1};
    determinant = dot(t[0], cross(t[1], t[2]));
  }
  Point of_flux(const Point& v) const {  // J v / det J
    Point out{};
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < 3; ++i) out[i] += t[d][i] * v[d] / determinant;
    return out;
  }
  Point to_flux(const Point& v) const {  // the inverse of of_flux
    Point out{};
    for (std::size_t d = 0; d < 3; ++d) out[d] = dot(cross(t[(d + 1) % 3], t[(d + 2) % 3]), v);
    return out;
  }
  Point to_circulation(const Point& v) const { return {dot(t[0], v), dot(t[1], v), dot(t[2], v)}; }
  Point of_circulation(const Point& v) const {  // J^-T v
    Point out{};
    for (std::size_t d = 0; d < 3; ++d) {
      const Point row = cross(t[(d + 1) % 3], t[(d + 2) % 3]);
      for (std::size_t i = 0; i < 3; ++i) out[i] += row[i] * v[d] / determinant;
    }
    return out;
  }
};

// [point]
std::vector<Point> evaluate(const std::vector<PointFunction>& f, const std::vector<Point>& x) {
  std::vector<Point> values(x.size(), Point{});
  std::vector<double> numbers, of_one(x.size());
  for (const Point& point : x) numbers.insert(numbers.end(), point.begin(), point.end());
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i](std::span<const double>(numbers), 0, of_one);
    for (std::size_t p = 0; p < x.size(); ++p) values[p][i] = of_one[p];
  }
  return values;
}

}  // namespace

VectorField::VectorField(const FieldsOperator& equations, int field, const Vector& u)
    : space_(equations.space(field)),
      family_((check(equations, field), equations.terms().family(field))),
      signs_(space_, family_),
      u_(equations.layout().part(u, field).host()) {}

VectorField::Value VectorField::at(Index cell, const Point& xi) const {
  const CellKind kind = space_.mesh().kind_of(cell);
  const int dimension = traits(kind).dimension;
  const VectorElement element = vector_element(traits(kind).linear, family_, space_.element(kind).order);
  std::vector<Point> values(static_cast<std::size_t>(element.unknown_count)), derivatives(values.size());
  element.evaluate(xi, values, derivatives);
  std::vector<Node> nodes;
  space_.nodes_of(cell, nodes);
  std::vector<double> factors;
  for (const Node node : nodes) factors.push_back(u_[static_cast<std::size_t>(node)]);
  signs_.to_cell(cell, factors);
  Point value{}, derivative{};
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t d = 0; d < 3; ++d) {
      value[d] += factors[a] * values[a][d];
      derivative[d] += factors[a] * derivatives[a][d];
    }
  const TangentFrame J(CellMap(space_.mesh(), cell), xi, dimension);
  Value result{family_ == Family::facet ? J.of_flux(value) : J.of_circulation(value), {}};
  if (family_ == Family::edge && dimension == 3) result.derivative = J.of_flux(derivative);
  else result.derivative[0] = derivative[0] / J.determinant;
  return result;
}

std::vector<double> VectorField::in_cells() const {
  std::vector<double> all;
  for (Index cell = 0; cell < space_.mesh().cell_count(); ++cell) {
    const Point value = at(cell, reference_centroid(space_.mesh().kind_of(cell))).value;
    all.insert(all.end(), value.begin(), value.end());
  }
  return all;
}

double VectorField::error(const std::vector<PointFunction>& exact, Point Value::*part) const {
  double sum = 0;
  for (Index cell = 0; cell < space_.mesh().cell_count(); ++cell) {
    const CellKind kind = space_.mesh().kind_of(cell);
    const CellMap map(space_.mesh(), cell);
    const QuadratureRule rule = quadrature(traits(kind).linear, 5);
    std::vector<Point> x;
    for (const Point& xi : rule.points) x.push_back(map.at(xi));
    const std::vector<Point> all_known = evaluate(exact, x);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      const Point &known = all_known[q], value = at(cell, rule.points[q]).*part;
      const double weight = rule.weights[q] * TangentFrame(map, rule.points[q], traits(kind).dimension).determinant;
      for (std::size_t i = 0; i < 3; ++i) sum += weight * std::pow(value[i] - known[i], 2);
    }
  }
  return std::sqrt(sum);
}

double VectorField::l2_error(const std::vector<PointFunction>& exact) const { return error(exact, &Value::value); }
double VectorField::l2_error_of_derivative(const std::vector<PointFunction>& exact) const {
  return error(exact, &Value::derivative);
}

Vector interpolate(const FieldsOperator& equations, int field, const std::vector<PointFunction>& vector) {
  check(equations, field);
  const FunctionSpace& space = equations.space(field);
  const Mesh& mesh = space.mesh();
  const Family family = equations.terms().family(field);
  const EntitySigns signs(space, family);
  std::vector<double> u(static_cast<std::size_t>(space.unknown_count()));
  std::vector<Node> nodes;
  std::map<CellKind, std::vector<Moment>> known;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellKind kind = mesh.kind_of(cell);
    std::vector<Moment>& moments = known[kind];
    if (moments.empty())
      moments = vector_element(traits(kind).linear, family, space.element(kind).order).moments(2 * space.order() + 3);
    const CellMap map(mesh, cell);
    space.nodes_of(cell, nodes);
    std::vector<Point> x;
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (const Point& xi : moments[a].points) x.push_back(map.at(xi));
    const std::vector<Point> values = evaluate(vector, x);
    std::vector<double> of_cell(nodes.size(), 0.0);
    for (std::size_t a = 0, p = 0; a < nodes.size(); ++a)
      for (std::size_t q = 0; q < moments[a].points.size(); ++q, ++p) {
        const TangentFrame J(map, moments[a].points[q], traits(kind).dimension);
        const Point& v = values[p];
        of_cell[a] += dot(moments[a].weights[q], family == Family::facet ? J.to_flux(v) : J.to_circulation(v));
      }
    signs.from_cell(cell, of_cell);
    for (std::size_t a = 0; a < nodes.size(); ++a) u[static_cast<std::size_t>(nodes[a])] = of_cell[a];
  }
  return Vector(space.device(), std::span<const double>(u), "vectors");
}

}  // namespace ritz
