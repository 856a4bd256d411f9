#include "apps/cases/fields_of_case.hpp"

#include "fem/physics/place.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

FieldsOfCase::FieldsOfCase(Run& of_run, const FormOfCase& chosen)
    : run(of_run),
      mesh(of_run.mesh()),
      catalogue(chosen.catalogue),
      form(chosen.catalogue->find_mixed(chosen.name)),
      facts(form.record->fields, form.record->fields + form.record->field_count) {
  for (const FieldFacts& each : facts) names.emplace_back(each.name);
}

std::size_t FieldsOfCase::named_in(const Case::Table& t) const {
  const std::string name =
      t.choice("field", "field of the form", names, names.size() == 1 ? std::optional(names.front()) : std::nullopt);
  t.open_to_plugins("field");
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

std::optional<std::size_t> FieldsOfCase::named_if_given(const Case::Table& t) const {
  return t.has("field") ? std::optional(named_in(t)) : std::nullopt;
}

bool FieldsOfCase::takes(std::size_t field, const FormRecord& r) const {
  return facts[field].family == Family::lagrange && facts[field].components == r.components;
}

std::vector<int> FieldsOfCase::positions_of(const MixedFormRecord& r, const std::optional<std::size_t>& named) const {
  std::vector<int> positions;
  for (int j = 0; j < r.field_count; ++j) {
    const FieldFacts& wanted = r.fields[j];
    int found = -1;
    for (std::size_t k = 0; k < facts.size(); ++k) {
      const bool alike = facts[k].family == wanted.family && facts[k].components == wanted.components;
      const bool meant = r.field_count > 1 ? names[k] == wanted.name : !named || *named == k;
      if (alike && meant && found < 0) found = static_cast<int>(k);
    }
    if (found < 0) return {};
    positions.push_back(found);
  }
  return positions;
}

void FieldsOfCase::try_at_centres(const std::vector<PointFunction>& given, const Region& region) const {
  for (const PointFunction& each : given) try {
      values_at_centres(each, mesh, region);
    } catch (const Error& error) { run.input().add_error(error); }
}

bool FieldsOfCase::is_outside(const Case::Table& t, const Region& region) const {
  const Index count = inner_facets(mesh, region);
  if (count > 0)
    t.error(ErrorKind::unknown_region, "region",
            fmt::format("{} of the {} facets of '{}' lie between two cells", count, region.size(), region.name),
            "what acts along a normal would have two directions there", "name facets of the boundary");
  return count == 0;
}

const char* unknowns_of(Family family) {
  return family == Family::facet  ? "fluxes through facets"
         : family == Family::edge ? "circulations along edges"
         : family == Family::cell ? "numbers in cells"
                                  : "values at nodes";
}

std::string rate_name(const char* rate, const FieldFacts& field) { return fmt::format("{}_{}", rate, field.name); }

bool has_curl(const FieldFacts& field) { return field.family == Family::edge && field.uses_gradient; }
std::string curl_name(const FieldFacts& field) { return std::string("curl_") + field.name; }
std::string curl_flux_name(const FieldFacts& field) { return curl_name(field) + "_flux"; }

}  // namespace ritz
