#include "apps/results/evaluated_fields.hpp"

#include "fem/forms/derived_fields.hpp"

#include <sstream>

namespace ritz {
namespace {

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Some components of [item][component].
std::vector<double> columns(const std::vector<double>& all, int components, int first, int count) {
  std::vector<double> part;
  part.reserve(all.size() / static_cast<std::size_t>(components) * static_cast<std::size_t>(count));
  for (std::size_t item = 0; item < all.size(); item += static_cast<std::size_t>(components))
    part.insert(part.end(), all.begin() + static_cast<std::ptrdiff_t>(item) + first,
                all.begin() + static_cast<std::ptrdiff_t>(item) + first + count);
  return part;
}

}  // namespace

std::vector<Field> evaluated_fields(const FormRecord& record) {
  std::vector<Field> fields;
  for (const DerivedField& each : derived_fields(record)) {
    fields.push_back({each.name, each.components, {}, words(record.derived_names)});
    if (fields.back().component_names.size() != static_cast<std::size_t>(each.components))
      fields.back().component_names.clear();
  }
  for (const StateFacts& each : record.states()) fields.push_back({each.name, each.components});
  return fields;
}

EvaluatedFields evaluated_names(const FormRecord& record) {
  const std::vector<Field> all = evaluated_fields(record);
  return {all, record.codimension == 0 ? all : std::vector<Field>()};
}

EvaluatedFields fields_of(Results& results, const FunctionSpace& space, const DerivedFields& derived, int first,
                          const std::vector<Field>& names, bool in_cells) {
  auto phase = results.device().profile().phase("fields");
  EvaluatedFields result;
  for (const Field& field : names) {
    const auto part = [&](const std::vector<double>& values) {
      return columns(values, derived.components, first, field.components);
    };
    result.nodal.push_back(
        {.name = field.name,
         .components = field.components,
         .values = part(derived.at_nodes),
         .component_names = field.component_names,
         .finer_values = results.fields().at_points(space, part(derived.at_space_nodes), field.components)});
    if (in_cells) result.cells.push_back({field.name, field.components, part(derived.at_cells), field.component_names});
    first += field.components;
  }
  return result;
}

EvaluatedFields evaluate_fields(Results& results, const Operator& equations, const FormRecord& record,
                                const Vector& u) {
  const std::vector<Field> names = evaluated_fields(record);
  if (names.empty()) return {};
  return fields_of(results, equations.space(), evaluate(results, equations, u, record.name), 0, names,
                   record.codimension == 0);
}

}  // namespace ritz
