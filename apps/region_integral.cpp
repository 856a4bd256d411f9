#include "apps/region_integral.hpp"

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
  std::vector<Point> points;
  std::vector<double> weights;                 // [point]
  std::vector<std::vector<double>> values;     // of the field's functions: [point][node]
  std::vector<std::vector<Point>> gradients;   // of the map's, where its nodes are those of the mesh: [point][node]
};

// Degree 4 is exact for a linear field times the Jacobian of a trilinear cell, 7 for the quadratic ones.
int degree_for(int order) { return order == 1 ? 4 : order == 2 ? 7 : 3 * order + 2; }

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

struct Place {
  double radius;
  std::array<Point, 3> tangents;
};

// Of an element whose map is that of its nodes.
class MapOfNodes {
 public:
  MapOfNodes(const Mesh& mesh, const Table& table, std::span<const Node> nodes) : mesh_(&mesh), table_(&table), nodes_(nodes) {}
  Place operator()(std::size_t q) const {
    Place place{};
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      const auto x = mesh_->point(nodes_[a]);
      place.radius += table_->values[q][a] * x[0];
      for (std::size_t k = 0; k < static_cast<std::size_t>(table_->dimension); ++k)
        for (std::size_t i = 0; i < 3; ++i) place.tangents[k][i] += table_->gradients[q][a][k] * x[i];
    }
    return place;
  }

 private:
  const Mesh* mesh_;
  const Table* table_;
  std::span<const Node> nodes_;
};

// f(point of the rule, weight in space); place(point of the rule).
template <class PlaceOf, class F>
void for_each_point(const Table& table, const PlaceOf& place, const BodyMeasure& measure, const F& f) {
  for (std::size_t q = 0; q < table.weights.size(); ++q) {
    const Place here = place(q);
    f(q, table.weights[q] * drawn_size(here.tangents, table.dimension) * measure.weight * (measure.axisymmetric ? here.radius : 1));
  }
}

// Adds one entry for the size, then one per number of the component.
class Sum {
 public:
  Sum(const Field& field, std::span<const double> values, const FieldComponent& component)
      : sums(static_cast<std::size_t>(1 + component.size()), 0.0), components_(static_cast<std::size_t>(field.components)), values_(values), component_(&component) {}
  template <class Points>  // points(f) calls f(point of the rule, weight in space)
  void add(const Table& table, std::span<const Node> nodes, const Points& points) {
    double value[64], selected[64];
    points([&](std::size_t q, double weight) {
      std::fill_n(value, components_, 0.0);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t c = 0; c < components_; ++c) value[c] += table.values[q][a] * values_[static_cast<std::size_t>(nodes[a]) * components_ + c];
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
  Points(const Mesh& mesh, const BodyMeasure& measure, const LagrangeResults* finer = nullptr) : mesh_(&mesh), measure_(&measure), finer_(finer) {}
  template <class Use>  // use(table, nodes, points)
  void of_cell(Index cell, const Use& use) {
    const CellMap map(*mesh_, cell);
    walk(map, -1, map.kind(), map, [](const Point& xi) { return xi; }, mesh_->nodes_of(cell), cell, use);
  }
  template <class Use>
  void of_facet(const FacetOfCell& facet, const Use& use) {
    const CellMap cell(*mesh_, facet.cell);
    const FacetMap map(cell, facet.facet);
    const std::vector<Node> nodes = mesh_->nodes_of(facet);
    walk(cell, facet.facet, traits(cell.kind()).facets[static_cast<std::size_t>(facet.facet)].kind, map, [&map](const Point& xi) { return map.place(xi); }, nodes, facet.cell, use);
  }

 private:
  // in_cell(place on the reference cell of `kind`): on the cell's own.
  template <class Map, class InCell, class Use>
  void walk(const CellMap& cell, int facet, CellKind kind, const Map& map, const InCell& in_cell, std::span<const Node> nodes, Index number, const Use& use) {
    const bool by_nodes = cell.functions() == nullptr && finer_ == nullptr;
    int order = cell.functions() != nullptr ? cell.functions()->order() : traits(kind).order;
    if (finer_ != nullptr) order = std::max(order, finer_->order());
    const auto [at, fresh] = tables_.try_emplace({cell.kind(), facet, order});
    Table& table = at->second;
    if (fresh) {
      const QuadratureRule rule = quadrature(kind, degree_for(order));
      table = {traits(kind).dimension, {rule.points.begin(), rule.points.end()}, rule.weights, {}, {}};
      for (const Point& xi : table.points) {
        table.values.push_back(finer_ != nullptr ? finer_->functions(cell.kind()).at(in_cell(xi)) : shape_values(kind, xi));
        if (by_nodes) table.gradients.push_back(shape_gradients(kind, xi));
      }
    }
    use(table, finer_ != nullptr ? finer_->points_of(number) : nodes, [&](const auto& f) {
      if (by_nodes) return for_each_point(table, MapOfNodes(*mesh_, table, nodes), *measure_, f);
      for_each_point(table, [&](std::size_t q) { return Place{map.at(table.points[q])[0], map.tangents(table.points[q])}; }, *measure_, f);
    });
  }

  const Mesh* mesh_;
  const BodyMeasure* measure_;
  const LagrangeResults* finer_;
  std::map<std::tuple<CellKind, int, int>, Table> tables_;  // by kind of the cell, facet, and order
};

}  // namespace

RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component, const BodyMeasure& measure,
                         const LagrangeResults* finer) {
  if (region.kind == RegionKind::nodes)
    throw Error(Exit::input, fmt::format("an integral over '{}', a region of nodes", region.name),
                "nodes have no size", "name a region of cells or facets");
  if (field.components > 64)
    throw Error(Exit::input, fmt::format("field '{}' has {} components", field.name, field.components), "64 is the most", "");
  if (field.finer_values.empty()) finer = nullptr;
  Points points(mesh, measure, finer);
  Sum sum(field, finer != nullptr ? field.finer_values : field.values, component);
  const auto add = [&sum](const Table& table, std::span<const Node> nodes, const auto& each) { sum.add(table, nodes, each); };
  for (const Index cell : region.cells) points.of_cell(cell, add);
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, add);
  return {sum.sums[0], {sum.sums.begin() + 1, sum.sums.end()}};
}

RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component, const BodyMeasure& measure) {
  Points points(mesh, measure);
  RegionIntegral result{0, std::vector<double>(static_cast<std::size_t>(component.size()), 0.0)};
  std::vector<double> selected(result.integrals.size());
  for (const Index cell : region.cells) {
    double size = 0;
    points.of_cell(cell, [&size](const Table&, std::span<const Node>, const auto& each) { each([&size](std::size_t, double weight) { size += weight; }); });
    component.select(field.values.data() + cell * field.components, selected.data());
    result.size += size;
    for (std::size_t i = 0; i < selected.size(); ++i) result.integrals[i] += size * selected[i];
  }
  return result;
}

}  // namespace ritz
