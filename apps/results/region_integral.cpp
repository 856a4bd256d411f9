#include "apps/results/region_integral.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ritz {
namespace {

// Adds one entry for the size, then one per number of the component.
class Sum {
 public:
  Sum(const Field& field, std::span<const double> values, const FieldComponent& component)
      : sums(static_cast<std::size_t>(1 + component.size()), 0.0),
        components_(static_cast<std::size_t>(field.components)),
        values_(values),
        component_(&component) {}
  template <class Points>  // points(f) calls f(point of the rule, weight in space)
  void add(const RegionPoints::Table& table, std::span<const Node> nodes, const Points& points) {
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

}  // namespace

RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component,
                         const BodyMeasure& measure, const LagrangeResults* finer) {
  if (region.kind == RegionKind::nodes)
    throw Error(ErrorKind::probe, fmt::format("an integral over '{}', a region of nodes", region.name),
                "nodes have no size", "name a region of cells or facets");
  if (field.components > 64)
    throw Error(ErrorKind::probe, fmt::format("field '{}' has {} components", field.name, field.components),
                "64 is the most", "");
  if (field.finer_values.empty()) finer = nullptr;
  RegionPoints points(mesh, measure, finer);
  Sum sum(field, finer != nullptr ? field.finer_values : field.values, component);
  const auto add = [&sum](const RegionPoints::Table& table, std::span<const Node> nodes, const auto& each) {
    sum.add(table, nodes, each);
  };
  for (const Index cell : region.cells) points.of_cell(cell, add);
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, add);
  return {sum.sums[0], {sum.sums.begin() + 1, sum.sums.end()}};
}

void add_integral_weights(const Mesh& mesh, const Region& region, const BodyMeasure& measure, const AddWeight& add) {
  RegionPoints points(mesh, measure);
  const auto of_cell = [&add](Index cell) {
    return [&add, cell](const RegionPoints::Table& table, std::span<const Node> nodes, const auto& each) {
      std::vector<double> weights(nodes.size(), 0.0);
      each([&](std::size_t q, double weight) {
        for (std::size_t a = 0; a < nodes.size(); ++a) weights[a] += weight * table.values[q][a];
      });
      for (std::size_t a = 0; a < nodes.size(); ++a) add(cell, nodes[a], weights[a]);
    };
  };
  for (const Index cell : region.cells) points.of_cell(cell, of_cell(cell));
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, of_cell(facet.cell));
}

std::vector<double> sizes_of_cells(const Mesh& mesh, std::span<const Index> cells, const BodyMeasure& measure) {
  RegionPoints points(mesh, measure);
  std::vector<double> sizes;
  for (const Index cell : cells) {
    double size = 0;
    points.of_cell(cell, [&size](const RegionPoints::Table&, std::span<const Node>, const auto& each) {
      each([&size](std::size_t, double weight) { size += weight; });
    });
    sizes.push_back(size);
  }
  return sizes;
}

RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field,
                               const FieldComponent& component, const BodyMeasure& measure) {
  const std::vector<double> sizes = sizes_of_cells(mesh, region.cells, measure);
  RegionIntegral result{0, std::vector<double>(static_cast<std::size_t>(component.size()), 0.0)};
  std::vector<double> selected(result.integrals.size());
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    component.select(field.values.data() + region.cells[at] * field.components, selected.data());
    result.size += sizes[at];
    for (std::size_t i = 0; i < selected.size(); ++i) result.integrals[i] += sizes[at] * selected[i];
  }
  return result;
}

}  // namespace ritz
