#include "apps/cases/form_parameters.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {

std::string about_of(const ParameterFacts& f) {
  return *f.unit == '\0' ? f.about : fmt::format("{} [{}]", f.about, f.unit);
}

NumberRule rule_of(const ParameterFacts& f, const LibraryMaterial* material) {
  const auto known = [](double value) {
    return std::isnan(value) ? std::optional<double>() : std::optional<double>(value);
  };
  const std::optional<double> of_material = material != nullptr ? material->constant(f.name) : std::optional<double>();
  return {.fallback = of_material ? of_material : known(f.fallback),
          .minimum = known(f.minimum),
          .maximum = known(f.maximum),
          .above = known(f.above),
          .below = known(f.below),
          .out_of_bounds = ErrorKind::material_value};
}

void ask_parameter(const Case::Table& table, const ParameterRecord& parameter, const LibraryMaterial* material,
                   FormValue& form) {
  const ParameterFacts& f = parameter.facts;
  const NumberRule rule = rule_of(f, material);
  if (parameter.count == 1) {
    set_parameter(form, parameter, table.number(f.name, about_of(f), rule));
    return;
  }
  VectorRule vector{.size = parameter.count};
  if (rule.fallback) vector.fallback = std::vector<double>(static_cast<std::size_t>(vector.size), *rule.fallback);
  set_parameter(form, parameter, table.vector(f.name, about_of(f), vector));
}

void ask_parameters(const Case::Table& table, const FormRecord& record,
                    const std::map<std::string, double>& known_values, const LibraryMaterial* material,
                    FormValue& form) {
  for (int i = 0; i < record.parameter_count; ++i) {
    const ParameterFacts& f = record.parameters[i].facts;
    if (const auto found = known_values.find(f.name); found != known_values.end()) {
      set_parameter(form, record.parameters[i], found->second);
      continue;
    }
    ask_parameter(table, record.parameters[i], material, form);
  }
}

FormValue ask_form(const Case::Table& table, const FormCatalogue::Entry& entry,
                   const std::map<std::string, double>& known_values, const LibraryMaterial* material) {
  const FormRecord& record = *entry.record;
  FormValue form(record, entry.module);
  table.open_to_plugins("*");
  if (!record.declared)
    table.error(ErrorKind::plugin, "form", fmt::format("the form '{}' declares no parameters", record.name),
                "it cannot be made of the numbers of a case file",
                "give it a list `parameters` (docs/your-own-element.md)");
  ask_parameters(table, record, known_values, material, form);
  for (int i = 0; i < record.given_count; ++i) {
    const ParameterFacts& f = record.given[i];
    form.given.emplace_back(table.formula(f.name, about_of(f), rule_of(f, material)).expression());
  }
  return entry.completed(std::move(form));
}

}  // namespace ritz
