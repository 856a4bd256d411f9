#include "apps/results/probes.hpp"

#include "apps/results/field_value.hpp"

#include "apps/show/field_component.hpp"
#include "io/results/probe_file.hpp"
#include "mesh/search/point_location.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace ritz {
namespace {

struct Probe {
  Case::Table table;
  std::string name, field, component, values;
  std::optional<PointLocator::Place> place;  // at a point,
  const Region* region = nullptr;            // or over a region
  std::string measure;
};

// The locator is made for the first probe that needs it.
class Places {
 public:
  explicit Places(const Mesh& mesh) : mesh_(mesh) {}
  PointLocator::Place at(const std::vector<double>& x) {
    if (!locator_) locator_.emplace(mesh_);
    return locator_->locate({x[0], x[1], x.size() > 2 ? x[2] : 0});
  }

 private:
  const Mesh& mesh_;
  std::optional<PointLocator> locator_;
};

void add_at(const Case::Table& table, std::string_view key, const Error& error) {
  table.error(error.kind(), key, error.message(), error.why(), error.fix());
}

void read_place(Probe& probe, const Mesh& mesh, Places& places) {
  const Case::Table& t = probe.table;
  VectorRule rule;
  rule.size = mesh.dimension() == 2 ? 0 : 3;
  const std::vector<double> x =
      t.vector("point", "point of the mesh [length of the mesh, scaled]; in two dimensions z may be omitted", rule);
  if (x.size() < 2 || x.size() > 3)
    return t.error(ErrorKind::probe, "point", fmt::format("the point has {} coordinates", x.size()), {},
                   "give two or three");
  try {
    probe.place = places.at(x);
  } catch (const Error& error) { add_at(t, "point", error); }
}

void read_region(Probe& probe, const Mesh& mesh) {
  const Case::Table& t = probe.table;
  probe.measure =
      t.choice("measure", "measure of the field over the region", {"min", "max", "mean", "integral", "reaction"});
  const char* about = "region to look at; integrals need cells or facets";
  probe.region = probe.measure == "integral"
                     ? t.region("region", about, mesh, {RegionKind::cells, RegionKind::facets})
                     : t.region("region", about, mesh, {RegionKind::cells, RegionKind::facets, RegionKind::nodes});
  if (probe.region != nullptr && probe.region->size() == 0) {
    t.error(ErrorKind::region_empty, "region", fmt::format("the region '{}' is empty", probe.region->name), {},
            "name another region");
    probe.region = nullptr;
  }
}

Probe read_probe(const Case::Table& t, const Mesh& mesh, Places& places) {
  Probe probe{.table = t,
              .name = t.text("name", "name of the number in the log and in the JSON report"),
              .field = {},
              .component = {},
              .place = {},
              .measure = {}};
  if (t.has("point") && t.has("region")) {
    t.error(ErrorKind::probe, "region", "a probe has a point and a region", "a probe looks at one of them",
            "make two probes of it");
    t.excuse();
  } else if (t.has("region")) {
    read_region(probe, mesh);
  } else {
    read_place(probe, mesh, places);
  }
  TextRule field_rule;
  if (probe.measure == "reaction") field_rule.fallback = "reaction";
  probe.field = t.text("field", "name of the field in the result file", field_rule);
  probe.values = t.choice(
      "values", "values at nodes or in cells, if the results have both; auto takes those of cells if nodes have none",
      {"auto", "nodes", "cells"}, "auto");
  probe.component =
      t.expression("component", "x y z magnitude, xx yy zz xy yz xz, a number from 0, or all", {.fallback = "all"});
  return probe;
}

// Tables name the numbers of a probe with several "name.0", "name.1" ...
void check_column(const Probe& probe, const std::set<std::string>& names) {
  const std::size_t dot = probe.name.rfind('.');
  if (dot == std::string::npos || dot + 1 == probe.name.size()) return;
  if (probe.name.find_first_not_of("0123456789", dot + 1) != std::string::npos) return;
  const std::string whole = probe.name.substr(0, dot);
  if (names.contains(whole))
    probe.table.error(ErrorKind::probe, "name", fmt::format("a probe is called '{}' beside '{}'", probe.name, whole),
                      "columns of tables are named so where a probe has several numbers", "give it another name");
}

std::vector<Probe> read_probes(Case& input, const Mesh& mesh) {
  Places places(mesh);
  std::vector<Probe> probes;
  std::set<std::string> names;
  for (const Case::Table& t : input.tables("probe", "numbers to take from the results")) {
    probes.push_back(read_probe(t, mesh, places));
    const std::string& name = probes.back().name;
    if (is_column_of_tables(name))
      t.error(ErrorKind::probe, "name", fmt::format("a probe cannot be called '{}'", name),
              "tables of probes and of sweeps have a column of that name", "give it another name");
    if (!name.empty() && !names.insert(name).second)
      t.error(ErrorKind::probe, "name", fmt::format("a second probe is called '{}'", name), "results are found by name",
              "give each probe a name of its own");
  }
  for (const Probe& probe : probes) check_column(probe, names);
  return probes;
}

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
  } catch (const Error& error) { add_at(probe.table, field == nullptr ? "field" : "component", error); }
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
  Places places(mesh);
  for (const Case::Table& table : input.tables("probe", "")) {
    if (!table.has("measure")) continue;  // at a point
    const Probe probe = read_probe(table, mesh, places);
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

// Adds those of a field of its own order, at its nodes, over a region of cells or facets.
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
  if (!probe.place && probe.region == nullptr) return std::nullopt;  // told
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
  if (result.in_cells && !probe.place && probe.region->kind != RegionKind::cells) return std::nullopt;  // told
  FieldComponent component;
  try {
    component = component_named(field->field, probe.component);
  } catch (const Error&) { return std::nullopt; }  // told by others
  if (component.which < 0 && field->field.components > 1) return refuse("it is not one component");
  if (!space.isoparametric() && !result.in_cells) {
    if (result.of_reactions || (!probe.place && probe.region->kind == RegionKind::nodes))
      return refuse(
          "the field has nodes of its own ([space] order), and reactions and regions of nodes those of the mesh");
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
