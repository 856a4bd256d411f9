#include "apps/form_parameters.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {

FormValue ask_form(const Case::Table& table, const FormCatalogue::Entry& entry) {
  const FormRecord& record = *entry.record;
  FormValue form(record, entry.module);
  if (!record.declared)
    table.error("form", fmt::format("the form '{}' declares no parameters", record.name), "it cannot be made of the numbers of a case file",
                "give it a list `parameters` (docs/your-own-element.md)");
  const auto known = [](double value) { return std::isnan(value) ? std::optional<double>() : std::optional<double>(value); };
  for (int i = 0; i < record.parameter_count; ++i) {
    const ParameterFacts& f = record.parameters[i].facts;
    const std::string about = *f.unit == '\0' ? f.about : fmt::format("{} [{}]", f.about, f.unit);
    const NumberRule rule{.fallback = known(f.fallback), .minimum = known(f.minimum), .maximum = known(f.maximum),
                          .above = known(f.above), .below = known(f.below), .out_of_bounds = Exit::model};
    set_parameter(form, record.parameters[i], table.number(f.name, about, rule));
  }
  return form;
}

}  // namespace ritz
