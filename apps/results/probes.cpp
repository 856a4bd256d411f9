#include "apps/results/probes.hpp"

#include "apps/results/field_value.hpp"
#include "apps/results/probe_table.hpp"

#include "apps/show/field_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace ritz {
namespace {

struct Target {
  const Field* field;
  FieldComponent component;
  bool in_cells;
  std::optional<Region> region = {};  // the cells that have the field, of the probe's
};

// Restricts a probe of a field that only some cells have to these cells.
bool restrict(Target& target, const Probe& probe) {
  const std::vector<char>& given = target.field->given;
  if (!target.in_cells || given.empty()) return true;
  const auto has_field = [&](Index cell) { return given[static_cast<std::size_t>(cell)] != 0; };
  const char* why = "it belongs to the cells of another element";
  if (probe.place) {
    if (has_field(probe.place->cell)) return true;
    probe.table.error(
        ErrorKind::probe, "point",
        fmt::format("the field '{}' has no values in cell {}, at the point", target.field->name, probe.place->cell),
        why, "take a point in a cell that has it, or a region");
    return false;
  }
  if (probe.region == nullptr) return true;
  target.region = *probe.region;
  std::erase_if(target.region->cells, [&](Index cell) { return !has_field(cell); });
  if (!target.region->cells.empty()) return true;
  probe.table.error(ErrorKind::probe, "region",
                    fmt::format("the field '{}' has no values in '{}'", target.field->name, probe.region->name), why,
                    "name a region of cells that have it");
  return false;
}

// Lengths and areas have no sum.
bool is_of_one_dimension(const Mesh& mesh, const Target& target, const Probe& probe) {
  if (probe.region == nullptr || (probe.measure != "mean" && probe.measure != "integral")) return true;
  std::set<int> dimensions;
  for (const Index cell : (target.region ? *target.region : *probe.region).cells)
    dimensions.insert(traits(mesh.kind_of(cell)).dimension);
  if (dimensions.size() < 2) return true;
  probe.table.error(ErrorKind::probe, "region", fmt::format("'{}' holds lines and surfaces", probe.region->name),
                    fmt::format("the {} would add lengths to areas", probe.measure),
                    "name a region of one of them, or take min or max");
  return false;
}

// Problems of several fields have one reaction for each.
bool is_force_at_nodes(const std::string& field) { return field == "reaction" || field.starts_with("reaction_"); }

// Forces at nodes are summed; fields are not, as finer meshes have more nodes.
bool has_measure(const Probe& probe) {
  if (probe.region == nullptr || probe.place) return true;
  const bool is_force = is_force_at_nodes(probe.field);
  if (probe.measure == "reaction" && !is_force)
    probe.table.error(ErrorKind::probe, "measure", fmt::format("the field '{}' holds no forces at nodes", probe.field),
                      "reactions are sums over nodes, of fields that are named so", "take min, max, mean or integral");
  else if (is_force && probe.region->kind != RegionKind::nodes &&
           (probe.measure == "integral" || probe.measure == "mean"))
    probe.table.error(ErrorKind::probe, "measure", fmt::format("the field '{}' holds forces at nodes", probe.field),
                      fmt::format("there is nothing between nodes, so it has no {}", probe.measure),
                      "take reaction, the sum over the nodes");
  else return true;
  return false;
}

std::optional<Target> find_target(const Probe& probe, const Mesh& mesh, const ProbeFields& fields) {
  if (probe.field.empty()) return {};
  const auto has = [&](std::span<const Field> some) {
    return std::ranges::any_of(some, [&](const Field& f) { return f.name == probe.field; });
  };
  const bool in_cells = probe.values == "cells" || (probe.values == "auto" && !has(fields.nodal) && has(fields.cells));
  const Field* field = nullptr;
  try {
    field = &field_named(in_cells ? fields.cells : fields.nodal, probe.field);
    Target target{field, component_named(*field, probe.component), in_cells};
    if (!in_cells && !has_measure(probe)) return {};
    if (!in_cells || probe.place || probe.region == nullptr)
      return restrict(target, probe) && is_of_one_dimension(mesh, target, probe) ? std::optional(target) : std::nullopt;
    const std::string what = fmt::format("the field '{}' lies in cells", field->name);
    if (probe.measure == "reaction")
      probe.table.error(ErrorKind::probe, "measure", what, "reactions are sums over nodes",
                        "take min, max, mean or integral");
    else if (probe.region->kind != RegionKind::cells)
      probe.table.error(ErrorKind::probe, "region", what,
                        fmt::format("'{}' is a region of {}", probe.region->name,
                                    probe.region->kind == RegionKind::nodes ? "nodes" : "facets"),
                        "name a region of cells");
    else if (restrict(target, probe) && is_of_one_dimension(mesh, target, probe)) return target;
  } catch (const Error& error) { probe.table.error(field == nullptr ? "field" : "component", error); }
  return {};
}

// f(value) for the selected numbers at every node of the region, or in every cell.
template <class F>
void for_each_value(const Mesh& mesh, const Region& region, const Target& target, F f) {
  std::vector<double> selected(static_cast<std::size_t>(target.component.size()));
  const auto visit = [&](Index at) {
    target.component.select(target.field->values.data() + at * target.field->components, selected.data());
    f(selected);
  };
  if (target.in_cells)
    for (const Index cell : region.cells) visit(cell);
  else
    for (const Node node : nodes_in(mesh, region)) visit(node);
}

std::vector<double> extreme(const Mesh& mesh, const Region& region, const Target& target, double sign) {
  std::vector<double> best;
  for_each_value(mesh, region, target, [&](const std::vector<double>& values) {
    if (best.empty()) best = values;
    for (std::size_t i = 0; i < best.size(); ++i)
      if (std::isnan(values[i]) || sign * values[i] > sign * best[i]) best[i] = values[i];  // a NaN stays
  });
  return best;
}

RegionIntegral integral_of(const Mesh& mesh, const Region& region, const Target& target, const ProbeFields& fields) {
  return target.in_cells ? integrate_cells(mesh, region, *target.field, target.component, fields.measure)
                         : integrate(mesh, region, *target.field, target.component, fields.measure, fields.finer);
}

std::vector<double> mean(const Mesh& mesh, const Region& region, const Target& target, const ProbeFields& fields) {
  std::vector<double> result(static_cast<std::size_t>(target.component.size()), 0.0);
  double size = 0;
  if (region.kind == RegionKind::nodes) {
    for_each_value(mesh, region, target, [&](const std::vector<double>& values) {
      for (std::size_t i = 0; i < result.size(); ++i) result[i] += values[i];
      size += 1;
    });
  } else {
    RegionIntegral integral = integral_of(mesh, region, target, fields);
    result = std::move(integral.integrals);
    size = integral.size;
  }
  for (double& value : result) value /= size;
  return result;
}

// The magnitude of a total is that of the summed vector.
std::vector<double> total(const Mesh& mesh, const Region& region, const Target& target) {
  const Target all{target.field, {target.field->components, FieldComponent::all}, false};
  std::vector<double> sum(static_cast<std::size_t>(target.field->components), 0.0);
  for_each_value(mesh, region, all, [&sum](const std::vector<double>& values) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  });
  std::vector<double> result(static_cast<std::size_t>(target.component.size()));
  target.component.select(sum.data(), result.data());
  return result;
}

std::vector<double> evaluate(const Probe& probe, const Mesh& mesh, const Target& target, const ProbeFields& fields) {
  if (target.field->values.empty())
    return std::vector(static_cast<std::size_t>(target.component.size()), std::numeric_limits<double>::quiet_NaN());
  if (probe.place) {
    std::vector<double> result(static_cast<std::size_t>(target.component.size()));
    if (target.in_cells)
      target.component.select(target.field->values.data() + probe.place->cell * target.field->components,
                              result.data());
    else target.component.select(value_at(mesh, *probe.place, *target.field, fields.finer).data(), result.data());
    return result;
  }
  const Region& region = target.region ? *target.region : *probe.region;
  if (probe.measure == "min") return extreme(mesh, region, target, -1);
  if (probe.measure == "max") return extreme(mesh, region, target, 1);
  if (probe.measure == "mean") return mean(mesh, region, target, fields);
  if (probe.measure == "integral") return integral_of(mesh, region, target, fields).integrals;
  return total(mesh, region, target);
}

// The unit that all chosen components have; empty where there is none.
std::string unit_of(const FieldComponent& chosen, const Field& field, const Units& names) {
  std::set<std::string> units;
  for (int c = 0; c < field.components; ++c)
    if (chosen.which < 0 || chosen.which == c) {
      const auto place = static_cast<std::size_t>(c);
      units.insert(
          names.of_component(field.name, place < field.component_names.size() ? field.component_names[place] : ""));
    }
  return units.size() == 1 ? *units.begin() : "";
}

// Plane models have a thickness, and bodies of revolution a circumference.
int dimension_of(const Region& region, const Mesh& mesh) {
  if (region.kind == RegionKind::nodes) return 0;
  const bool holds_cells = region.kind == RegionKind::cells;
  if (!mesh.structural()) return holds_cells ? 3 : 2;
  return holds_cells ? traits(mesh.kind_of(region.cells.front())).dimension
                     : traits(mesh.kind_of(region.facets.front().cell)).dimension - 1;
}

std::string unit_of(const Probe& probe, const Target& target, const Mesh& mesh, const Units& names) {
  const std::string unit = unit_of(target.component, *target.field, names);
  if (probe.place || probe.region == nullptr) return unit;
  return names.of_measure(unit, probe.measure, dimension_of(target.region ? *target.region : *probe.region, mesh));
}

}  // namespace

bool check_probes(Case& input, const Mesh& mesh, const ProbeFields& fields) {
  const std::vector<Probe> probes = read_probes(input, mesh);
  for (const Probe& probe : probes)
    if (!fields.nodal.empty()) find_target(probe, mesh, fields);
  return !probes.empty();
}

std::vector<std::pair<std::string, std::vector<double>>> evaluate_probes(Case& input, const Mesh& mesh,
                                                                         const ProbeFields& fields) {
  std::vector<std::pair<std::string, std::vector<double>>> results;
  for (const Probe& probe : read_probes(input, mesh)) {
    const std::optional<Target> target = find_target(probe, mesh, fields);
    if (target && (probe.place || probe.region != nullptr))
      results.emplace_back(probe.name, evaluate(probe, mesh, *target, fields));
  }
  input.throw_if_any();
  return results;
}

std::vector<LinearProbe> evaluate_linear_probes(Case& input, const Mesh& mesh, std::span<const Field> linear, int count,
                                                FunctionRef<ProbeFields(int, const std::set<std::string>&)> make) {
  std::vector<Probe> probes = read_probes(input, mesh);
  std::erase_if(probes, [&](const Probe& each) {
    const bool is_extreme = each.measure == "min" || each.measure == "max";
    return is_extreme || each.component == "magnitude" || !(each.place || each.region != nullptr) ||
           std::ranges::find(linear, each.field, &Field::name) == linear.end();
  });
  std::vector<LinearProbe> results;
  std::set<std::string> named;
  for (const Probe& each : probes) {
    results.push_back({each.name, each.field, {}});
    named.insert(each.field);
  }
  for (int set = 0; set < count && !probes.empty(); ++set) {
    const ProbeFields fields = make(set, named);
    for (std::size_t i = 0; i < probes.size(); ++i)
      if (const std::optional<Target> target = find_target(probes[i], mesh, fields))
        results[i].numbers.push_back(evaluate(probes[i], mesh, *target, fields));
  }
  std::erase_if(results, [](const LinearProbe& each) { return each.numbers.empty(); });
  input.throw_if_any();
  return results;
}

std::vector<std::pair<std::string, Node>> nodes_of_extremes(Case& input, const Mesh& mesh, const ProbeFields& fields) {
  std::vector<std::pair<std::string, Node>> result;
  for (const Probe& probe : read_probes(input, mesh)) {
    const bool is_given =
        std::ranges::any_of(fields.nodal, [&](const Field& field) { return field.name == probe.field; });
    if (!is_given || probe.region == nullptr || probe.values == "cells" ||
        (probe.measure != "min" && probe.measure != "max"))
      continue;
    const std::optional<Target> target = find_target(probe, mesh, fields);
    if (!target || target->in_cells || target->field->values.empty()) continue;
    const std::vector<Node> nodes = nodes_in(mesh, *probe.region);
    const std::vector<double> best = extreme(mesh, *probe.region, *target, probe.measure == "min" ? -1 : 1);
    std::vector<double> here(best.size());
    for (std::size_t component = 0; component < best.size(); ++component)
      for (const Node node : nodes) {
        target->component.select(target->field->values.data() + Index{node} * target->field->components, here.data());
        if (here[component] != best[component]) continue;
        result.emplace_back(probe.name, node);
        break;
      }
  }
  return result;
}

std::map<std::string, std::string> probe_units(Case& input, const Mesh& mesh, const ProbeFields& fields,
                                               const Units& names) {
  std::map<std::string, std::string> units;
  for (const Probe& probe : read_probes(input, mesh))
    if (const std::optional<Target> target = find_target(probe, mesh, fields)) {
      const std::string unit = unit_of(probe, *target, mesh, names);
      if (!unit.empty()) units.emplace(probe.name, unit);
    }
  return units;
}

}  // namespace ritz
