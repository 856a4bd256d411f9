#include "apps/analyses/gradient_parts.hpp"

#include "apps/cases/case_number.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

bool moves(const CaseModel& read) { return read.time && read.time->velocity; }

// The unknown of a field of one number in each cell; none: it has more.
std::optional<Node> only_node(const FunctionSpace& space, Index cell) {
  std::vector<Node> nodes;
  space.nodes_of(cell, nodes);
  return nodes.size() == 1 ? std::optional(nodes.front()) : std::nullopt;
}

// Fields of a form of several: those at nodes, and those of one number in each cell.
std::vector<DifferentiableField> unknown_fields(const CaseModel& read) {
  std::vector<DifferentiableField> fields;
  const Spaces spaces = read.model.spaces();
  for (std::size_t k = 0; k < spaces.size(); ++k) {
    const std::string& name = read.field_names[k];
    const Field field{name, spaces[k].components()};
    if (std::ranges::find(read.nodal_results, name, &Field::name) != read.nodal_results.end())
      fields.push_back({.field = field, .space = spaces[k]});
    else if (only_node(spaces[k], 0))
      fields.push_back({.field = field, .is_in_cells = true, .is_at_nodes = false, .space = spaces[k]});
  }
  return fields;
}

std::vector<DifferentiableField> differentiable_fields(const CaseModel& read) {
  if (read.model.has_fields()) return unknown_fields(read);
  std::vector<DifferentiableField> fields = {{.field = read.nodal_results.front()}};
  if (moves(read)) fields.push_back({.field = {"velocity", read.space().components()}});
  for (const DerivedResult& each : read.derived_results)
    fields.push_back({.field = each.field, .is_bent = !each.is_linear(), .is_in_cells = each.is_in_cells});
  return fields;
}

// Parts that add up to the derived fields of the results: the equations, and load cases with their factors.
std::vector<DerivedPart> derived_parts(const Model& model, std::span<const double> factors) {
  std::vector<DerivedPart> parts = {{model.equations}};
  for (std::size_t i = 0; i < factors.size(); ++i) parts.push_back({model.load_cases[i].loads, factors[i]});
  return parts;
}

SplitFields split(const CaseModel& read, std::vector<Field> fields) {
  SplitFields result;
  for (std::size_t i = 0; i < fields.size(); ++i)
    (read.gradient->keys[i] == positions_key ? result.nodal : result.cells).push_back(std::move(fields[i]));
  return result;
}

std::string which_probe(const GradientInput& gradient) {
  return fmt::format("'{}'{}", gradient.probe,
                     gradient.over_time           ? ", its integral over time,"
                     : gradient.load_case.empty() ? ""
                                                  : fmt::format(" in '{}'", gradient.load_case));
}

void report_positions(Run& run, const GradientInput& gradient, const Field& field) {
  double largest = 0;
  std::size_t at = 0;
  for (std::size_t n = 0; n < field.values.size(); n += 3)
    if (const double length = std::hypot(field.values[n], field.values[n + 1], field.values[n + 2]); length > largest) {
      largest = length;
      at = n / 3;
    }
  const auto x = run.mesh().point(static_cast<Node>(at));
  run.log().line(
      "gradient of {} by positions of nodes: at most {:.8g}, at ({:g}, {:g}, {:g}); at each node: field '{}'",
      which_probe(gradient), largest, x[0], x[1], x[2], field.name);
  run.results().facts()[fmt::format("gradient {}", positions_key)] = fmt::format("{:.10g}", largest);
}

}  // namespace

std::optional<ProbeWeights> probe_of(Run& run, const CaseModel& read) {
  return probe_weights(run.input(), read.space(), read.gradient->table, "probe", read.gradient->probe,
                       differentiable_fields(read), run.results().measure());
}

const DerivedResult* derived_of(const CaseModel& read, const ProbeWeights& probe) {
  const auto found = std::ranges::find_if(read.derived_results,
                                          [&](const DerivedResult& each) { return each.field.name == probe.field; });
  return found == read.derived_results.end() || probe.of_reactions ? nullptr : &*found;
}

std::vector<double> weights_of_unknowns(const CaseModel& read, const ProbeWeights& probe) {
  const Spaces spaces = read.model.spaces();
  const Layout layout = layout_of(spaces);
  const auto named = std::ranges::find(read.field_names, probe.field);  // none: of one field
  const int k = named == read.field_names.end() ? 0 : static_cast<int>(named - read.field_names.begin());
  const FunctionSpace& space = spaces[static_cast<std::size_t>(k)];
  const auto first = static_cast<std::size_t>(layout.first(k)),
             components = static_cast<std::size_t>(space.components());
  std::vector<double> weights(static_cast<std::size_t>(layout.total()), 0.0);
  for (std::size_t i = 0; i < probe.weights.size(); ++i) {
    const std::size_t node = probe.in_cells ? static_cast<std::size_t>(*only_node(space, static_cast<Index>(i))) : i;
    weights[first + node * components + static_cast<std::size_t>(probe.component)] = probe.weights[i];
  }
  return weights;
}

DerivedWork derived_work(const CaseModel& read, const DerivedResult& of, const ProbeWeights& probe,
                         std::span<const double> factors, const Time& time, const Vector& u) {
  const FunctionSpace& space = read.space();
  const std::vector<DerivedPart> parts = derived_parts(read.model, factors);
  const DerivedValues derived = derived_values(space, parts, of.form, time, u);
  const auto components = static_cast<std::size_t>(of.field.components);
  std::vector<double> by_values(probe.weights.size() * components, 0.0);
  for (std::size_t i = 0; i < probe.weights.size(); ++i)
    by_values[i * components + static_cast<std::size_t>(probe.component)] = probe.weights[i];
  DerivedWeights weights{.components = derived.components};
  (probe.in_cells ? weights.in_cells : weights.at_nodes) =
      back(of, probe.in_cells ? derived.in_cells : derived.at_nodes, derived.components, by_values);
  DerivedWork work(space, parts, of.form, weights);
  work.set_time(time);
  return work;
}

void add_derived(DerivedWork& work, const DifferentiatedNumber& number, const Model& model,
                 std::span<const double> factors, const std::vector<double>& u, std::vector<double>& sum) {
  if (number.array != nullptr) return add_by_array(work, *number.array, u, sum);
  add_by_number(
      work, *number.number, [&](const Model& other) { return derived_parts(other, factors); },
      derived_parts(model, factors), u, sum);
}

void add_by_areas(const CaseModel& read, const DifferentiatedNumber& number, const DerivedResult* of,
                  const ProbeWeights& probe, std::span<const double> factors, const Time& time,
                  const std::vector<double>& u, std::vector<double>& sum) {
  if (number.name != thickness_key || number.number == nullptr || !probe.add_by_cell) return;
  std::vector<double> values = u;
  auto components = static_cast<std::size_t>(read.space().components());
  if (of != nullptr) {
    const DerivedValues derived = derived_values(read.space(), derived_parts(read.model, factors), of->form, time,
                                                 Vector(read.space().device(), std::span<const double>(u), "vectors"));
    values = values_of(*of, probe.in_cells ? derived.in_cells : derived.at_nodes, derived.components);
    components = static_cast<std::size_t>(of->field.components);
  }
  const auto value = [&](Index at) {
    return values[static_cast<std::size_t>(at) * components + static_cast<std::size_t>(probe.component)];
  };
  double size = 0, mean = 0;
  if (probe.is_mean) {
    probe.add_by_cell([&](Index, Index at, double weight) {
      size += weight;
      mean += weight * value(at);
    });
    mean /= size;
  }
  const double scale = number.number->value * (probe.is_mean ? size : 1);
  probe.add_by_cell([&](Index cell, Index at, double weight) {
    sum[static_cast<std::size_t>(cell)] += weight * (value(at) - mean) / scale;
  });
}

GradientNumbers::GradientNumbers(Run& run, const CaseModel& read) {
  own_.reserve(read.gradient->keys.size());
  for (const std::string& key : read.gradient->keys) {
    if (key == positions_key) {
      all_.push_back({.name = key, .positions = true});
      continue;
    }
    const auto array = run.arrays().find(key);
    if (array == run.arrays().end()) own_.push_back(*number_of_case(run, read, key));
    all_.push_back({key, array == run.arrays().end() ? nullptr : &array->second,
                    array == run.arrays().end() ? &own_.back() : nullptr});
  }
}

std::optional<std::vector<double>> factors_of(const CaseModel& read, const LoadCases& analysis) {
  const std::vector<ModelLoadCase>& cases = read.model.load_cases;
  std::vector<double> factors(cases.size(), 0.0);
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].name == read.gradient->load_case) {
      factors[i] = 1;
      return factors;
    }
  for (const LoadCombination& each : analysis.combinations)
    if (each.name == read.gradient->load_case) return each.factors;
  return std::nullopt;
}

LinearSolverOptions accurate_adjoint(LinearSolverOptions options) {
  options.relative = std::min(options.relative, 1e-10);
  return options;
}

std::vector<Field> gradient_fields(const CaseModel& read) {
  std::vector<Field> fields;
  for (const std::string& key : read.gradient->keys)
    fields.push_back({gradient_field(key), key == positions_key ? 3 : 1});
  return fields;
}

std::vector<Field> gradient_without_values(const CaseModel& read) {
  std::vector<Field> fields = gradient_fields(read);
  const Mesh& mesh = read.space().mesh();
  for (Field& each : fields)
    each.values.assign(static_cast<std::size_t>(each.components == 3 ? 3 * mesh.node_count() : mesh.cell_count()),
                       std::numeric_limits<double>::quiet_NaN());
  return fields;
}

void carry_gradient(Run& run, const CaseModel& read, std::vector<Field> fields) {
  SplitFields all = split(read, std::move(fields));
  std::ranges::copy(read.model_fields, std::back_inserter(all.nodal));
  run.results().carry(std::move(all.nodal));
  run.results().carry_in_cells(std::move(all.cells));
}

void report_gradient(Run& run, const GradientInput& gradient, const std::vector<Field>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (gradient.keys[i] == positions_key) {
      report_positions(run, gradient, fields[i]);
      continue;
    }
    const double sum = std::accumulate(fields[i].values.begin(), fields[i].values.end(), 0.0);
    run.log().line("gradient of {} by {}: {:.8g}; in each cell: field '{}'", which_probe(gradient), gradient.keys[i],
                   sum, fields[i].name);
    run.results().facts()["gradient " + gradient.keys[i]] = fmt::format("{:.10g}", sum);
  }
}

SplitFields gradient_results(const CaseModel& read) { return split(read, gradient_fields(read)); }

}  // namespace ritz
