#include "apps/cases/field_values.hpp"

#include "apps/cases/formulas.hpp"
#include "apps/cases/initial_values.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/time_input.hpp"
#include "apps/show/field_component.hpp"
#include "fem/results/vector_field.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace ritz {
namespace {

int component_of(const Case::Table& t, const FieldFacts& field) {
  const std::vector<std::string> names = component_names({field.name, field.components});
  const std::string name =
      t.expression("component",
                   names.empty() ? "a number from 0, or all of them"
                                 : fmt::format("{}, a number from 0, or all of them", fmt::join(names, " ")),
                   {.fallback = "all"});
  try {
    return component_named({.name = field.name, .components = field.components, .component_names = names}, name).which;
  } catch (const Error& error) { t.error("component", error); }
  return FieldComponent::all;
}

void require_rest(const Case::Table& t, const char* key, const Formula& value) {
  if (!value.is_number() || value.number() != 0)
    t.error(ErrorKind::modal_options, key, fmt::format("the support moves by {}", value.text()),
            "modes vibrate about the state of rest: their supports do not move", "write 0");
}

// A flux through facets, or the part of a vector along edges.
void read_vector(const FieldsOfCase& fields, const Case::Table& t, PrescribedValue prescribed, bool vibrates,
                 std::vector<PrescribedValue>& values) {
  const bool flux = fields.facts[static_cast<std::size_t>(prescribed.field)].family == Family::facet;
  for (const Formula& each : t.formulas("vector",
                                        flux ? "a vector, whose flux through the facets is prescribed"
                                             : "a vector, whose part along the surface is prescribed",
                                        fields.mesh.dimension())) {
    if (vibrates) require_rest(t, "vector", each);
    prescribed.vector.push_back(coefficient(each).function());
  }
  if (prescribed.region != nullptr) values.push_back(std::move(prescribed));
}

// Values of a field at its nodes, or in cells.
void read_value(const FieldsOfCase& fields, const Case::Table& t, PrescribedValue prescribed, bool vibrates,
                std::vector<PrescribedValue>& values) {
  const FieldFacts& field = fields.facts[static_cast<std::size_t>(prescribed.field)];
  const int component = field.components > 1 ? component_of(t, field) : 0;
  const Formula value = t.formula("value", "value of the field");
  if (vibrates) require_rest(t, "value", value);
  prescribed.value = coefficient(value);
  for (int c = 0; c < field.components && prescribed.region != nullptr; ++c) {
    prescribed.component = c;
    if (component < 0 || component == c) values.push_back(prescribed);
  }
}

// Values that [initial] gives a field.
struct Beginning {
  std::size_t field;
  InitialPart part;
};

// [unknown] of the field.
std::vector<double> values_of(const Model& model, const Beginning& begin, bool is_vector_field) {
  const FunctionSpace space = model.spaces()[begin.field];
  if (!is_vector_field) return values_at_nodes({begin.part}, space);
  std::vector<PointFunction> vector;
  for (const Formula& each : begin.part.formulas) vector.push_back(coefficient(each).function());
  return interpolate(FieldsOperator(model.spaces(), model.of_fields.equations), static_cast<int>(begin.field), vector)
      .host();
}

}  // namespace

std::vector<PrescribedValue> read_field_values(const FieldsOfCase& fields, const Case::Table& from, bool vibrates) {
  std::vector<PrescribedValue> values;
  for (const Case::Table& t : from.tables("prescribe", "prescribed values of a field")) {
    const std::size_t k = fields.named_in(t);
    const FieldFacts& field = fields.facts[k];
    PrescribedValue prescribed{.region = nullptr, .component = 0, .value = 0.0, .origin = t.where()};
    prescribed.field = static_cast<int>(k);
    prescribed.region = t.region("region", "facets, nodes or cells", fields.mesh,
                                 {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    if (prescribed.region != nullptr && field.family == Family::cell && prescribed.region->kind != RegionKind::cells)
      t.error(ErrorKind::several_fields, "region",
              fmt::format("'{}' of '{}', which is no region of cells", field.name, prescribed.region->name),
              "the field has numbers in cells, and none at facets or nodes",
              "give what acts at facets as a [[load]] (docs/several-fields.md), or name a region of cells");
    if (is_vector(field)) read_vector(fields, t, std::move(prescribed), vibrates, values);
    else read_value(fields, t, std::move(prescribed), vibrates, values);
  }
  return values;
}

namespace {

InitialValues values_of_fields(std::vector<Beginning> begins, std::vector<FieldFacts> facts) {
  return [begins = std::move(begins), facts = std::move(facts)](const Model& model) {
    const Spaces spaces = model.spaces();
    std::vector<std::vector<double>> of_fields;
    for (const FunctionSpace& space : spaces)
      of_fields.emplace_back(static_cast<std::size_t>(space.unknown_count()), 0.0);
    for (const Beginning& each : begins) of_fields[each.field] = values_of(model, each, is_vector(facts[each.field]));
    std::vector<double> all;
    for (const std::vector<double>& each : of_fields) all.insert(all.end(), each.begin(), each.end());
    return all;
  };
}

}  // namespace

TransientInput read_time_of_fields(const FieldsOfCase& fields) {
  Case& input = fields.run.input();
  TransientInput result;
  const TimeOrder order = order_of_forms(fields.run);
  result.options = read_steps(input.table("time", "the steps of an evolution in time, and its results"), order,
                              fields.run.step().begin);
  const Case::Table initial = input.table("initial", "the state at the start, by field; without it zero");
  std::vector<Beginning> where, how_fast;
  const auto read = [&](std::size_t k, const std::string& key, std::vector<Beginning>& begins) {
    const FieldFacts& field = fields.facts[k];
    const int count = is_vector(field) ? fields.mesh.dimension() : field.components;
    const char* about = count == 1 ? "a number or a formula" : "a number or a formula for each component";
    if (!initial.has(key)) return;
    begins.push_back({k, read_initial_part(initial, key, about, 0, count)});
    result.begins_by_position = result.begins_by_position || begins.back().part.depends_on_position();
  };
  for (std::size_t k = 0; k < fields.facts.size(); ++k) {
    read(k, fields.names[k], where);
    if (order == TimeOrder::second) read(k, rate_name("velocity", fields.facts[k]), how_fast);
  }
  initial.open_to_plugins("*");
  result.initial = values_of_fields(std::move(where), fields.facts);
  if (order == TimeOrder::first) return result;
  result.velocity = values_of_fields(std::move(how_fast), fields.facts);
  result.options.from_equilibrium = read_equilibrium(initial, fields.names);
  return result;
}

}  // namespace ritz
