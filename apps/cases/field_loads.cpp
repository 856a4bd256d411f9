#include "apps/cases/field_loads.hpp"

#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/model.hpp"
#include "fem/forms/natural_conditions.hpp"
#include "fem/physics/load_forms.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

std::vector<PointFunction> functions_of(const std::vector<Formula>& formulas) {
  std::vector<PointFunction> functions;
  for (const Formula& each : formulas) functions.push_back(coefficient(each).function());
  return functions;
}

void add_load(const FieldsOfCase& fields, std::size_t field, FormValue form, const Region& region, FieldLoads& loads) {
  fields.try_at_centres(form.given, region);
  loads.of_one.push_back(Integral::over(std::move(form), region).of_field(static_cast<int>(field)));
}

// In place of a traction of velocities and displacements.
void read_pressure(const FieldsOfCase& fields, const Case::Table& t, std::size_t field, const Region* region,
                   FieldLoads& loads) {
  const Formula pressure = t.formula("pressure", "in place of 'value' on facets: positive into the body [Pa]");
  if (t.has("value"))
    t.refuse(ErrorKind::model_options, "value", "'value' was given with 'pressure'", {}, "omit one of them");
  if (region == nullptr || !has_area(t, fields.mesh, *region, {})) return;
  if (region->kind != RegionKind::facets) {
    t.error(ErrorKind::several_fields, "region", fmt::format("a pressure on the cells of '{}'", region->name),
            "it acts on a surface", "name a region of facets");
    return;
  }
  if (!fields.is_outside(t, *region)) return;
  const std::vector<PointFunction> given{coefficient(pressure).function()};
  add_load(fields, field,
           fields.mesh.dimension() == 3 ? FormValue(Pressure<3>{}, given) : FormValue(Pressure<2>{}, given), *region,
           loads);
}

// Traction or pressure of velocities and displacements, sources of any field.
void read_density(const FieldsOfCase& fields, const Case::Table& t, std::size_t k, const Region* region,
                  FieldLoads& loads) {
  const FieldFacts& field = fields.facts[k];
  const int dimension = fields.mesh.dimension();
  if (field.components == dimension && t.has("pressure")) return read_pressure(fields, t, k, region, loads);
  const std::vector<Formula> value =
      t.formulas("value", "one number per component of the field, positive into the body", field.components);
  t.open_to_plugins("value");
  if (region == nullptr) return;
  const bool on_facets = region->kind == RegionKind::facets;
  if (on_facets && field.family == Family::cell) {
    t.error(ErrorKind::several_fields, "region", fmt::format("a load on '{}' on facets", field.name),
            "its unknowns are numbers in cells, which jump at facets", "name a region of cells");
    return;
  }
  if (!has_area(t, fields.mesh, *region, {})) return;
  add_load(fields, k,
           dimension == 3 ? density_form<3>(field.components, coefficients(value), on_facets, {})
                          : density_form<2>(field.components, coefficients(value), on_facets, {}),
           *region, loads);
}

template <int D>
MixedFormValue vector_load(Family family, bool on_facets, const std::vector<PointFunction>& given) {
  if (family == Family::facet && on_facets) return {FluxPressure<D>{}, given};
  if (family == Family::facet) return {VectorSource<D, Family::facet>{}, given};
  if (on_facets) return {SurfaceCurrent<D>{}, given};
  return {VectorSource<D, Family::edge>{}, given};
}

// Loads of facets: the pressure at a surface, or a force in cells; of edges: a current along a surface, or in cells.
void read_vector_load(const FieldsOfCase& fields, const Case::Table& t, std::size_t k, const Region* region,
                      FieldLoads& loads) {
  const Family family = fields.facts[k].family;
  const int dimension = fields.mesh.dimension();
  const bool on_facets = region != nullptr && region->kind == RegionKind::facets;
  const int size = on_facets && family == Family::facet ? 1 : dimension;
  const std::vector<Formula> value = t.formulas(
      "value",
      family == Family::facet ? "on facets one number, the pressure at the surface; on cells a vector, the force"
                              : "a vector: the current along the surface, or per area of its section in cells",
      size);
  t.open_to_plugins("value");
  if (region == nullptr || std::ssize(value) != size || !has_area(t, fields.mesh, *region, {})) return;
  if (on_facets && !fields.is_outside(t, *region)) return;
  const std::vector<PointFunction> given = functions_of(value);
  fields.try_at_centres(given, *region);
  const MixedFormValue form =
      dimension == 3 ? vector_load<3>(family, on_facets, given) : vector_load<2>(family, on_facets, given);
  loads.of_several.push_back(MixedIntegral::over(form, *region, {static_cast<int>(k)}));
  if (on_facets) loads.acting.push_back({region, k, t.where()});
}

// Names of forms on facets of which each field is among those of the equations.
std::vector<std::string> boundary_forms(const FieldsOfCase& fields) {
  std::vector<std::string> names;
  for (const std::string& name : fields.catalogue->mixed_forms()) {
    const MixedFormRecord& r = *fields.catalogue->find_mixed(name).record;
    if (r.form.codimension == 1 && r.form.declared && r.form.dimension == fields.mesh.dimension() &&
        !fields.positions_of(r, std::nullopt).empty())
      names.push_back(name);
  }
  for (const std::string& name : fields.catalogue->forms()) {
    const FormRecord& r = *fields.catalogue->find(name).record;
    if (r.codimension != 1 || !r.declared || r.dimension != fields.mesh.dimension() || r.of_revolution) continue;
    for (std::size_t k = 0; k < fields.facts.size(); ++k)
      if (fields.takes(k, r)) {
        names.push_back(name);
        break;
      }
  }
  return names;
}

void read_mixed_boundary(const FieldsOfCase& fields, const Case::Table& t, const FormCatalogue::MixedEntry& entry,
                         const Region* region, FieldLoads& loads) {
  const std::vector<int> positions = fields.positions_of(*entry.record, fields.named_if_given(t));
  FormValue numbers = ask_form(t, {&entry.record->form, entry.module});
  if (positions.empty()) {
    t.error(ErrorKind::several_fields, "form",
            fmt::format("the form '{}' is not one of fields of '{}'", entry.record->form.name,
                        fields.form.record->form.name),
            "the equations have no field of its kind and name", "name another form");
    return;
  }
  if (region == nullptr || !fields.is_outside(t, *region)) return;
  fields.try_at_centres(numbers.given, *region);
  loads.of_several.push_back(
      MixedIntegral::over(MixedFormValue(*entry.record, std::move(numbers)), *region, positions));
  if (positions.size() == 1) loads.acting.push_back({region, static_cast<std::size_t>(positions.front()), t.where()});
}

void read_nodal_boundary(const FieldsOfCase& fields, const Case::Table& t, const FormCatalogue::Entry& entry,
                         const Region* region, FieldLoads& loads) {
  const std::optional<std::size_t> named = fields.named_if_given(t);
  FormValue numbers = ask_form(t, entry);
  if (const Index count = region != nullptr ? inner_facets(fields.mesh, *region) : 0; count > 0)
    fields.run.log().notice(fmt::format(
        "{} facets of '{}' lie between two cells: where '{}' uses the normal it takes that of the lower cell", count,
        region->name, entry.record->name));
  for (std::size_t k = 0; k < fields.facts.size(); ++k) {
    if (!fields.takes(k, *entry.record) || (named && *named != k)) continue;
    if (region != nullptr) add_load(fields, k, std::move(numbers), *region, loads);
    return;
  }
  t.error(ErrorKind::several_fields, "form",
          fmt::format("the form '{}' is one of {} components at nodes", entry.record->name, entry.record->components),
          "the field has others", "name another field, or another form");
}

}  // namespace

void read_field_loads(const FieldsOfCase& fields, const Case::Table& from, FieldLoads& loads) {
  for (const Case::Table& t : from.tables("load", "a given density, per volume on cells or per area on facets")) {
    const std::size_t k = fields.named_in(t);
    const Region* region = t.region("region", "cells or facets", fields.mesh, {RegionKind::cells, RegionKind::facets});
    if (is_vector(fields.facts[k])) read_vector_load(fields, t, k, region, loads);
    else read_density(fields, t, k, region, loads);
  }
}

void read_field_boundaries(const FieldsOfCase& fields, FieldLoads& loads) {
  for (const Case::Table& t : fields.run.input().tables("boundary", "a form on facets, with its parameters")) {
    const Region* region = t.region("region", "facets", fields.mesh, {RegionKind::facets});
    const std::optional<std::string> chosen = t.kind("form", "of facets", boundary_forms(fields));
    t.open_to_plugins("form");
    if (!chosen) continue;
    if (fields.catalogue->has_mixed(*chosen))
      read_mixed_boundary(fields, t, fields.catalogue->find_mixed(*chosen), region, loads);
    else if (fields.catalogue->has_form(*chosen))
      read_nodal_boundary(fields, t, fields.catalogue->find(*chosen), region, loads);
  }
}

}  // namespace ritz
