#include "apps/region_integral.hpp"

#include "fem/cells/quadrature.hpp"
#include "mesh/cell_geometry.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace ritz {
namespace {

// A reference cell at the points of its rule.
struct Table {
  int node_count = 0, dimension = 0;
  std::vector<double> weights;                 // [point]
  std::vector<std::vector<double>> values;     // [point][node]
  std::vector<std::vector<Point>> gradients;   // [point][node]
};

// Degree 4 is exact for a linear field times the Jacobian of a trilinear cell, 7 for the quadratic ones.
Table make_table(CellKind kind) {
  Table table{traits(kind).node_count, traits(kind).dimension, {}, {}, {}};
  const QuadratureRule rule = quadrature(kind, traits(kind).order == 1 ? 4 : 7);
  table.weights = rule.weights;
  for (const Point& xi : rule.points) {
    table.values.push_back(shape_values(kind, xi));
    table.gradients.push_back(shape_gradients(kind, xi));
  }
  return table;
}

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

// f(point of the rule, weight in space) for the points of a cell or facet.
template <class F>
void for_each_point(const Mesh& mesh, const Table& table, std::span<const Node> nodes, const BodyMeasure& measure, const F& f) {
  for (std::size_t q = 0; q < table.weights.size(); ++q) {
    std::array<Point, 3> tangents{};
    double radius = 0;
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const auto x = mesh.point(nodes[a]);
      radius += table.values[q][a] * x[0];
      for (std::size_t k = 0; k < static_cast<std::size_t>(table.dimension); ++k)
        for (std::size_t i = 0; i < 3; ++i) tangents[k][i] += table.gradients[q][a][k] * x[i];
    }
    f(q, table.weights[q] * drawn_size(tangents, table.dimension) * measure.weight * (measure.axisymmetric ? radius : 1));
  }
}

// One entry for the size, then one per number of the component; added to `sums`.
void add_element(const Mesh& mesh, const Table& table, std::span<const Node> nodes, const Field& field,
                 const FieldComponent& component, const BodyMeasure& measure, std::vector<double>& sums) {
  const auto components = static_cast<std::size_t>(field.components);
  double value[64], selected[64];
  for_each_point(mesh, table, nodes, measure, [&](std::size_t q, double weight) {
    std::fill_n(value, components, 0.0);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t c = 0; c < components; ++c)
        value[c] += table.values[q][a] * field.values[static_cast<std::size_t>(nodes[a]) * components + c];
    component.select(value, selected);
    sums[0] += weight;
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += weight * selected[i - 1];
  });
}

// Made for a kind when its first cell or facet comes.
class Tables {
 public:
  const Table& of(CellKind kind) {
    const auto [at, fresh] = tables_.try_emplace(kind);
    if (fresh) at->second = make_table(kind);
    return at->second;
  }

 private:
  std::map<CellKind, Table> tables_;
};

}  // namespace

RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component, const BodyMeasure& measure) {
  if (region.kind == RegionKind::nodes)
    throw Error(Exit::input, fmt::format("an integral over '{}', a region of nodes", region.name),
                "nodes have no size", "name a region of cells or facets");
  if (field.components > 64)
    throw Error(Exit::input, fmt::format("field '{}' has {} components", field.name, field.components), "64 is the most", "");
  Tables tables;
  std::vector<double> sums(static_cast<std::size_t>(1 + component.size()), 0.0);
  for (const Index cell : region.cells)
    add_element(mesh, tables.of(mesh.kind_of(cell)), mesh.nodes_of(cell), field, component, measure, sums);
  for (const FacetOfCell& facet : region.facets) {
    const Facet& local = traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)];
    add_element(mesh, tables.of(local.kind), mesh.nodes_of(facet), field, component, measure, sums);
  }
  return {sums[0], {sums.begin() + 1, sums.end()}};
}

RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component, const BodyMeasure& measure) {
  Tables tables;
  RegionIntegral result{0, std::vector<double>(static_cast<std::size_t>(component.size()), 0.0)};
  std::vector<double> selected(result.integrals.size());
  for (const Index cell : region.cells) {
    double size = 0;
    for_each_point(mesh, tables.of(mesh.kind_of(cell)), mesh.nodes_of(cell), measure, [&size](std::size_t, double weight) { size += weight; });
    component.select(field.values.data() + cell * field.components, selected.data());
    result.size += size;
    for (std::size_t i = 0; i < selected.size(); ++i) result.integrals[i] += size * selected[i];
  }
  return result;
}

}  // namespace ritz
