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

EvaluatedFields evaluate_fields(Results& results, const Operator& equations, const FormRecord& record,
                                const Vector& u) {
  const std::vector<Field> names = evaluated_fields(record);
  EvaluatedFields result;
  if (names.empty()) return result;
  const DerivedFields all = evaluate(results, equations, u, record.name);
  auto phase = results.device().profile().phase("fields");
  int first = 0;
  for (const Field& field : names) {
    const auto part = [&](const std::vector<double>& values) {
      return columns(values, all.components, first, field.components);
    };
    result.nodal.push_back(
        {.name = field.name,
         .components = field.components,
         .values = part(all.at_nodes),
         .component_names = field.component_names,
         .finer_values = results.fields().at_points(equations.space(), part(all.at_space_nodes), field.components)});
    if (record.codimension == 0)
      result.cells.push_back({field.name, field.components, part(all.at_cells), field.component_names});
    first += field.components;
  }
  return result;
}

}  // namespace ritz
