#include "apps/results/probe_weights.hpp"

#include "apps/results/field_value.hpp"
#include "apps/results/probe_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ritz {
namespace {

// The weight of each node of the mesh in a linear probe at a point or at nodes.
std::vector<double> weights_of_mesh(const Probe& probe, const Mesh& mesh) {
  std::vector<double> weights(static_cast<std::size_t>(mesh.node_count()), 0.0);
  if (probe.place) {
    std::vector<double> unit(weights.size(), 0.0);
    for (const Node node : mesh.nodes_of(probe.place->cell)) {
      unit[static_cast<std::size_t>(node)] = 1;
      weights[static_cast<std::size_t>(node)] = interpolate(mesh, *probe.place, unit, 1).front();
      unit[static_cast<std::size_t>(node)] = 0;
    }
    return weights;
  }
  for (const Node node : nodes_in(mesh, *probe.region)) weights[static_cast<std::size_t>(node)] = 1;
  return weights;
}

// Calls add(node of the space, value) for each function of the cell at this place of its reference cell.
template <class Add>
void each_value(const FunctionSpace& space, Index cell, const Point& xi, const Add& add) {
  const ReferenceElement& element = space.element(space.mesh().kind_of(cell));
  std::vector<double> values(element.nodes.size());
  std::vector<Point> gradients(element.nodes.size());
  element.evaluate(xi, values, gradients);
  std::vector<Node> nodes;
  space.nodes_of(cell, nodes);
  for (std::size_t a = 0; a < nodes.size(); ++a) add(nodes[a], values[a]);
}

// Adds those of a field of another order than the mesh, at the nodes of the field, over a region of cells or facets.
void add_field_weights(const Region& region, const FunctionSpace& space, const BodyMeasure& measure,
                       const AddWeight& add) {
  RegionPoints points(space.mesh(), measure, space.order());
  const auto of_cell = [&](Index cell) {
    return [&, cell](const RegionPoints::Table& table, std::span<const Node>, const auto& each) {
      each([&](std::size_t q, double weight) {
        each_value(space, cell, table.xi[q], [&](Node node, double value) { add(cell, node, weight * value); });
      });
    };
  };
  for (const Index cell : region.cells) points.of_cell(cell, of_cell(cell));
  for (const FacetOfCell& facet : region.facets) points.of_facet(facet, of_cell(facet.cell));
}

// Adds for a mean or integral over cells or facets what each cell has at nodes of the space, or in cells.
void add_area_weights(const Region& region, bool in_cells, const FunctionSpace& space, const BodyMeasure& measure,
                      const AddWeight& add) {
  const Mesh& mesh = space.mesh();
  if (in_cells) {
    const std::vector<double> sizes = sizes_of_cells(mesh, region.cells, measure);
    for (std::size_t i = 0; i < sizes.size(); ++i) add(region.cells[i], region.cells[i], sizes[i]);
  } else if (space.isoparametric()) {
    std::vector<Node> node_at(static_cast<std::size_t>(mesh.node_count()), -1);
    for (Node node = 0; node < space.node_count(); ++node)
      node_at[static_cast<std::size_t>(space.mesh_node_of(node))] = node;
    add_integral_weights(mesh, region, measure, [&](Index cell, Index at, double weight) {
      add(cell, node_at[static_cast<std::size_t>(at)], weight);
    });
  } else add_field_weights(region, space, measure, add);
}

std::vector<double> mean_of(std::vector<double> weights) {
  const double size = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& each : weights) each /= size;
  return weights;
}

std::vector<double> weights_of_nodes(const Probe& probe, const FunctionSpace& space) {
  std::vector<double> weights(static_cast<std::size_t>(space.node_count()), 0.0);
  if (!space.isoparametric()) {  // at a point
    each_value(space, probe.place->cell, probe.place->xi,
               [&](Node node, double value) { weights[static_cast<std::size_t>(node)] += value; });
    return weights;
  }
  const std::vector<double> of_mesh = weights_of_mesh(probe, space.mesh());
  for (Node node = 0; node < space.node_count(); ++node)
    weights[static_cast<std::size_t>(node)] = of_mesh[static_cast<std::size_t>(space.mesh_node_of(node))];
  return weights;
}

std::vector<double> weights_of_cells(const Probe& probe, const Mesh& mesh) {
  std::vector<double> weights(static_cast<std::size_t>(mesh.cell_count()), 0.0);
  weights[static_cast<std::size_t>(probe.place->cell)] = 1;
  return weights;
}

std::string names_of(std::span<const DifferentiableField> fields) {
  std::vector<std::string> names;
  for (const DifferentiableField& each : fields) names.push_back(each.field.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Adds an error where there is none.
const Probe* probe_named(const std::vector<Probe>& probes, const Case::Table& table, std::string_view key,
                         const std::string& name) {
  const auto found = std::ranges::find(probes, name, &Probe::name);
  if (found != probes.end()) return &*found;
  std::vector<std::string> names;
  for (const Probe& each : probes) names.push_back(each.name);
  const std::string near = nearest_match(name, names);
  table.error(ErrorKind::gradient, key, fmt::format("there is no probe '{}'", name),
              names.empty() ? "the case has none" : fmt::format("there are {}", quoted_list(names)),
              near.empty() ? "add a [[probe]] of this name" : fmt::format("did you mean '{}'?", near));
  return nullptr;
}

}  // namespace

std::optional<ProbeWeights> probe_weights(Case& input, const FunctionSpace& of_model, const Case::Table& table,
                                          std::string_view key, const std::string& name,
                                          std::span<const DifferentiableField> fields, const BodyMeasure& measure) {
  const std::vector<Probe> probes = read_probes(input, of_model.mesh());
  const Probe* const found = probe_named(probes, table, key, name);
  if (found == nullptr) return std::nullopt;
  const Probe& probe = *found;
  if (!probe.place && probe.region == nullptr) return std::nullopt;  // reported
  const auto refuse = [&](const std::string& why) {
    table.error(
        ErrorKind::gradient, key, fmt::format("no gradient of the probe '{}'", name), why,
        fmt::format("take one component at a point, its mean or integral, of {}, or a reaction", names_of(fields)));
    return std::nullopt;
  };
  ProbeWeights result{.field = probe.field, .of_reactions = probe.measure == "reaction"};
  if (probe.measure == "min" || probe.measure == "max") return refuse("it is an extreme value, which jumps");
  const auto field = result.of_reactions
                         ? fields.begin()
                         : std::ranges::find_if(fields, [&](const auto& f) { return f.field.name == probe.field; });
  if (result.of_reactions ? probe.field != "reaction" || probe.values == "cells" : field == fields.end())
    return refuse(fmt::format("it takes '{}', which has no derivatives", probe.field));
  const FunctionSpace space = field->space ? field->space : of_model;
  result.in_cells = probe.values == "cells" || !field->is_at_nodes;
  if (result.in_cells && !field->is_in_cells) return refuse(fmt::format("'{}' is not in cells", probe.field));
  if (result.in_cells && !probe.place && probe.region->kind != RegionKind::cells) return std::nullopt;  // reported
  FieldComponent component;
  try {
    component = component_named(field->field, probe.component);
  } catch (const Error&) { return std::nullopt; }  // reported elsewhere
  if (component.which < 0 && field->field.components > 1) return refuse("it is not one component");
  if (!space.isoparametric() && !result.in_cells) {
    if (result.of_reactions || (!probe.place && probe.region->kind == RegionKind::nodes))
      return refuse(
          "the nodes of the field are not those of the mesh ([space] order), to which reactions and regions of nodes "
          "belong");
    if (field->is_bent)
      return refuse(fmt::format("with [space] order '{}' is taken at finer points than the nodes", probe.field));
  }
  result.component = std::max(component.which, 0);
  result.is_mean = probe.measure == "mean";
  if (!probe.place && !result.of_reactions && probe.region->kind != RegionKind::nodes) {
    result.add_by_cell = [region = probe.region, in_cells = result.in_cells, space, measure](const AddWeight& add) {
      add_area_weights(*region, in_cells, space, measure, add);
    };
    result.weights.resize(static_cast<std::size_t>(result.in_cells ? space.mesh().cell_count() : space.node_count()));
    result.add_by_cell([&](Index, Index at, double weight) { result.weights[static_cast<std::size_t>(at)] += weight; });
  } else result.weights = result.in_cells ? weights_of_cells(probe, space.mesh()) : weights_of_nodes(probe, space);
  if (result.is_mean) result.weights = mean_of(std::move(result.weights));
  return result;
}

}  // namespace ritz
