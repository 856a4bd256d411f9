#include "fem/results/region_points.hpp"

#include "fem/cells/tabulation.hpp"
#include "mesh/quadrature.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// Degree for a field of this order times the Jacobian: 4 for a linear field on a trilinear cell, 7 for quadratic ones.
int degree_for(int field, int map) { return field + 3 * map - (map > 1 ? 1 : 0); }

// Volume, area or length per unit of the reference cell, in space of three dimensions.
double drawn_size(const std::array<Point, 3>& t, int dimension) {
  const auto cross = [](const Point& a, const Point& b) {
    return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto length = [](const Point& a) { return std::hypot(a[0], a[1], a[2]); };
  switch (dimension) {
    case 0: return 1;
    case 1: return length(t[0]);
    case 2: return length(cross(t[0], t[1]));
    default: {
      const Point area = cross(t[1], t[2]);
      return t[0][0] * area[0] + t[0][1] * area[1] + t[0][2] * area[2];
    }
  }
}

}  // namespace

double RegionPoints::weight_at(const Table& table, std::size_t q, std::span<const Point> nodes) const {
  double radius = 0;
  std::array<Point, 3> tangents{};
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    radius += table.places[q][a] * nodes[a][0];
    for (std::size_t k = 0; k < static_cast<std::size_t>(table.dimension); ++k)
      for (std::size_t i = 0; i < 3; ++i) tangents[k][i] += table.gradients[q][a][k] * nodes[a][i];
  }
  return table.weights[q] * drawn_size(tangents, table.dimension) * measure_.weight *
         (measure_.axisymmetric ? radius : 1);
}

RegionPoints::Table RegionPoints::make_table(const CellMap& cell, int facet) const {
  const CellKind kind = facet < 0 ? cell.kind() : traits(cell.kind()).facets[static_cast<std::size_t>(facet)].kind;
  const int map = cell.functions() != nullptr ? cell.functions()->order() : traits(cell.kind()).order;
  const QuadratureRule rule =
      quadrature(kind, field_order_ > 0 ? mass_degree(traits(kind).linear, std::max(field_order_, map))
                                        : degree_for(finer_ != nullptr ? finer_->order() : traits(kind).order, map));
  Table table{traits(kind).dimension, rule.weights, {}, {}, {}, {}};
  for (const Point& xi : rule.points) {
    Point in_cell = xi;
    std::array<Point, 3> axes{Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}};  // of the rule's cell, in the cell
    if (facet >= 0) {
      const FacetMap on(cell, facet);
      in_cell = on.place(xi);
      axes = on.axes(xi);
    }
    table.xi.push_back(in_cell);
    std::vector<double> places(cell.nodes().size());
    std::vector<Point> slopes(places.size()), along(places.size());
    cell.evaluate(in_cell, places, slopes);
    for (std::size_t a = 0; a < along.size(); ++a)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 3; ++i) along[a][k] += slopes[a][i] * axes[k][i];
    table.values.push_back(finer_ != nullptr ? finer_->functions(cell.kind()).at(in_cell) : shape_values(kind, xi));
    table.places.push_back(std::move(places));
    table.gradients.push_back(std::move(along));
  }
  return table;
}

double loaded_size(const Mesh& mesh, const Region& region, const BodyMeasure& measure, int field_order) {
  RegionPoints points(mesh, measure, field_order);
  double size = 0;
  const auto add = [&size](const RegionPoints::Table&, std::span<const Node>, const auto& each) {
    each([&size](std::size_t, double weight) { size += weight; });
  };
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, add);
  for (const Index cell : region.cells) points.of_cell(cell, add);
  return size;
}

}  // namespace ritz
