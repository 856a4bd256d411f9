#include "apps/results/region_integral.hpp"

#include "fem/cells/tabulation.hpp"
#include "mesh/quadrature.hpp"
#include "mesh/curved_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ritz {
namespace {

// A reference cell, or one of its facets, at the points of its rule.
struct Table {
  int dimension = 0;
  std::vector<double> weights;                // [point]
  std::vector<std::vector<double>> values;    // of the field's functions: [point][node]
  std::vector<std::vector<double>> places;    // of the cell's map: [point][node of the map]
  std::vector<std::vector<Point>> gradients;  // of the same along the axes of the cell or facet
};

// Of a field of this order times the Jacobian: 4 for a linear field on a trilinear cell, 7 for quadratic ones.
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

// f(point of the rule, weight in space); x: the nodes of the cell's map.
template <class F>
void for_each_point(const Table& table, std::span<const Point> x, const BodyMeasure& measure, const F& f) {
  for (std::size_t q = 0; q < table.weights.size(); ++q) {
    double radius = 0;
    std::array<Point, 3> tangents{};
    for (std::size_t a = 0; a < x.size(); ++a) {
      radius += table.places[q][a] * x[a][0];
      for (std::size_t k = 0; k < static_cast<std::size_t>(table.dimension); ++k)
        for (std::size_t i = 0; i < 3; ++i) tangents[k][i] += table.gradients[q][a][k] * x[a][i];
    }
    f(q,
      table.weights[q] * drawn_size(tangents, table.dimension) * measure.weight * (measure.axisymmetric ? radius : 1));
  }
}

// Adds one entry for the size, then one per number of the component.
class Sum {
 public:
  Sum(const Field& field, std::span<const double> values, const FieldComponent& component)
      : sums(static_cast<std::size_t>(1 + component.size()), 0.0),
        components_(static_cast<std::size_t>(field.components)),
        values_(values),
        component_(&component) {}
  template <class Points>  // points(f) calls f(point of the rule, weight in space)
  void add(const Table& table, std::span<const Node> nodes, const Points& points) {
    double value[64], selected[64];
    points([&](std::size_t q, double weight) {
      std::fill_n(value, components_, 0.0);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t c = 0; c < components_; ++c)
          value[c] += table.values[q][a] * values_[static_cast<std::size_t>(nodes[a]) * components_ + c];
      component_->select(value, selected);
      sums[0] += weight;
      for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += weight * selected[i - 1];
    });
  }
  std::vector<double> sums;

 private:
  std::size_t components_;
  std::span<const double> values_;
  const FieldComponent* component_;
};

// Points of cells and facets in space, for fields at the mesh's nodes, or at finer points.
class Points {
 public:
  Points(const Mesh& mesh, const BodyMeasure& measure, const LagrangeResults* finer = nullptr)
      : mesh_(&mesh), measure_(&measure), finer_(finer) {}
  // At the points of loads on a field of this order.
  Points(const Mesh& mesh, const BodyMeasure& measure, int field_order)
      : mesh_(&mesh), measure_(&measure), field_order_(field_order) {}
  template <class Use>  // use(table, nodes, points)
  void of_cell(Index cell, const Use& use) {
    walk(CellMap(*mesh_, cell), -1, mesh_->nodes_of(cell), cell, use);
  }
  template <class Use>
  void of_facet(const FacetOfCell& facet, const Use& use) {
    walk(CellMap(*mesh_, facet.cell), facet.facet, mesh_->nodes_of(facet), facet.cell, use);
  }

 private:
  template <class Use>
  void walk(const CellMap& cell, int facet, std::span<const Node> nodes, Index number, const Use& use) {
    const auto [at, fresh] = tables_.try_emplace({cell.kind(), facet, cell.functions()});
    if (fresh) at->second = make_table(cell, facet);
    const Table& table = at->second;
    use(table, finer_ != nullptr ? finer_->points_of(number) : nodes,
        [&](const auto& f) { for_each_point(table, cell.nodes(), *measure_, f); });
  }

  // facet -1: of the cell itself.
  Table make_table(const CellMap& cell, int facet) const {
    const CellKind kind = facet < 0 ? cell.kind() : traits(cell.kind()).facets[static_cast<std::size_t>(facet)].kind;
    const int map = cell.functions() != nullptr ? cell.functions()->order() : traits(cell.kind()).order;
    const QuadratureRule rule =
        quadrature(kind, field_order_ > 0 ? mass_degree(traits(kind).linear, std::max(field_order_, map))
                                          : degree_for(finer_ != nullptr ? finer_->order() : traits(kind).order, map));
    Table table{traits(kind).dimension, rule.weights, {}, {}, {}};
    for (const Point& xi : rule.points) {
      Point in_cell = xi;
      std::array<Point, 3> axes{Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}};  // of the rule's cell, in the cell
      if (facet >= 0) {
        const FacetMap on(cell, facet);
        in_cell = on.place(xi);
        axes = on.axes(xi);
      }
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

  const Mesh* mesh_;
  const BodyMeasure* measure_;
  const LagrangeResults* finer_ = nullptr;
  int field_order_ = 0;
  // by kind of the cell, facet, and its own map
  std::map<std::tuple<CellKind, int, const LagrangePolynomials*>, Table> tables_;
};

}  // namespace

RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component,
                         const BodyMeasure& measure, const LagrangeResults* finer) {
  if (region.kind == RegionKind::nodes)
    throw Error(Exit::input, fmt::format("an integral over '{}', a region of nodes", region.name), "nodes have no size",
                "name a region of cells or facets");
  if (field.components > 64)
    throw Error(Exit::input, fmt::format("field '{}' has {} components", field.name, field.components),
                "64 is the most", "");
  if (field.finer_values.empty()) finer = nullptr;
  Points points(mesh, measure, finer);
  Sum sum(field, finer != nullptr ? field.finer_values : field.values, component);
  const auto add = [&sum](const Table& table, std::span<const Node> nodes, const auto& each) {
    sum.add(table, nodes, each);
  };
  for (const Index cell : region.cells) points.of_cell(cell, add);
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, add);
  return {sum.sums[0], {sum.sums.begin() + 1, sum.sums.end()}};
}

RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field,
                               const FieldComponent& component, const BodyMeasure& measure) {
  Points points(mesh, measure);
  RegionIntegral result{0, std::vector<double>(static_cast<std::size_t>(component.size()), 0.0)};
  std::vector<double> selected(result.integrals.size());
  for (const Index cell : region.cells) {
    double size = 0;
    points.of_cell(cell, [&size](const Table&, std::span<const Node>, const auto& each) {
      each([&size](std::size_t, double weight) { size += weight; });
    });
    component.select(field.values.data() + cell * field.components, selected.data());
    result.size += size;
    for (std::size_t i = 0; i < selected.size(); ++i) result.integrals[i] += size * selected[i];
  }
  return result;
}

double loaded_size(const Mesh& mesh, const Region& region, const BodyMeasure& measure, int field_order) {
  Points points(mesh, measure, field_order);
  double size = 0;
  const auto add = [&size](const Table&, std::span<const Node>, const auto& each) {
    each([&size](std::size_t, double weight) { size += weight; });
  };
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, add);
  for (const Index cell : region.cells) points.of_cell(cell, add);
  return size;
}

}  // namespace ritz
