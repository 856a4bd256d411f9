#include "apps/cases/mixed_case.hpp"

#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/model.hpp"
#include "apps/show/field_component.hpp"
#include "fem/forms/natural_conditions.hpp"
#include "fem/physics/load_forms.hpp"
#include "fem/physics/place.hpp"
#include "fem/results/vector_field.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

bool is_vector(const FieldFacts& field) { return field.family == Family::facet || field.family == Family::edge; }

const char* unknowns_of(Family family) {
  return family == Family::facet  ? "fluxes through facets"
         : family == Family::edge ? "circulations along edges"
         : family == Family::cell ? "numbers in cells"
                                  : "values at nodes";
}

struct PrescribedEntry {
  const Region* region;
  std::size_t field;
  int component;  // of a field at nodes; -1: all
  std::optional<Formula> value;
  std::vector<Formula> vector;  // of a field of facets or edges
  std::string origin;
};

// A load or a form on facets, of one field.
struct ActingOnFacets {
  const Region* region;
  std::size_t field;
  std::string origin;
};

class MixedReader {
 public:
  MixedReader(Run& run, const FormOfCase& form)
      : run_(run),
        input_(run.input()),
        mesh_(run.mesh()),
        catalogue_(*form.catalogue),
        entry_(form.catalogue->find_mixed(form.name)) {
    for (int k = 0; k < entry_.record->field_count; ++k) fields_.push_back(entry_.record->fields[k]);
    for (const FieldFacts& each : fields_) names_.push_back(each.name);
  }

  MixedCase read() {
    require_supported();
    read_materials();
    read_loads();
    read_boundaries();
    read_prescribed();
    MixedCase read{.fields = fields_};
    read.solver = run_.solver();
    check_solver(read.solver);
    name_results(read);
    make(read);
    return read;
  }

 private:
  void require_supported() {
    const Case::Table root = input_.root();
    for (const char* key : {"time", "modal", "load_case", "combination", "tie", "rigid", "coupling", "periodic",
                            "equation", "space", "newton"})
      if (root.has(key))
        root.refuse(key,
                    fmt::format("'{}' was given, and '{}' is a form of several fields", key, entry_.record->form.name),
                    "cases solve such forms in linear statics, on the elements that they name",
                    "omit it, or write a program (docs/several-fields.md)");
    if (!entry_.record->form.linear && input_.sound())
      root.table("model", {})
          .error("form", fmt::format("the form '{}' of several fields is nonlinear", entry_.record->form.name),
                 "cases solve linear forms of several fields", "take a linear form, or write a program", Exit::model);
  }

  void check_solver(const LinearSolverOptions& solver) {
    using Method = LinearMethod;
    const Case::Table table = input_.table("solver", {});
    const Method m = solver.method;
    if (m != Method::automatic && m != Method::direct && m != Method::minres && m != Method::gmres)
      table.error("method", fmt::format("'{}' was asked for, and the form has several fields", name_of(m)),
                  "their matrix need not be positive definite, and each field has a preconditioner of its own",
                  "use 'minres', 'gmres', 'direct' or 'auto'");
    if (solver.preconditioner != PreconditionerKind::automatic)
      table.error("preconditioner",
                  fmt::format("'{}' was asked for, and the form has several fields", name_of(solver.preconditioner)),
                  "each field has a preconditioner that suits its elements (docs/several-fields.md)", "omit it");
    if (m == Method::minres && !entry_.record->form.symmetric)
      table.error("method", fmt::format("'minres' was asked for, and '{}' is not symmetric", entry_.record->form.name),
                  "its recurrences are only true of symmetric matrices", "use 'gmres', 'direct' or 'auto'");
  }

  void read_materials() {
    std::vector<MaterialRegion> placed;
    for (const Case::Table& t :
         input_.tables("material", "material of the cells: parameters of the form", {.minimum_count = 1})) {
      const Region* region = t.region("region", "cells", mesh_, {RegionKind::cells});
      FormValue numbers = ask_form(t, {&entry_.record->form, entry_.module}, {}, named_material(t));
      if (region == nullptr) continue;
      try_at_centres(numbers.given, *region);
      placed.push_back({region, t.where()});
      materials_.push_back(MixedIntegral::over(MixedFormValue(*entry_.record, std::move(numbers)), *region));
    }
    add_material_errors(input_, mesh_, placed);
  }

  // Functions have values there, and within their bounds, before anything is solved.
  void try_at_centres(const std::vector<PointFunction>& given, const Region& region) {
    for (const PointFunction& each : given) try {
        values_at_centres(each, mesh_, region);
      } catch (const Error& error) { input_.add_error(error); }
  }

  std::size_t field_of(const Case::Table& t) const {
    const std::string name = t.choice("field", "field of the form", names_,
                                      names_.size() == 1 ? std::optional(names_.front()) : std::nullopt);
    t.open_to_plugins("field");
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? 0 : static_cast<std::size_t>(found - names_.begin());
  }

  void read_loads() {
    for (const Case::Table& t : input_.tables("load", "a given density, per volume on cells or per area on facets")) {
      const std::size_t k = field_of(t);
      const FieldFacts& field = fields_[k];
      const Region* region = t.region("region", "cells or facets", mesh_, {RegionKind::cells, RegionKind::facets});
      const bool on_facets = region != nullptr && region->kind == RegionKind::facets;
      if (is_vector(field)) read_vector_load(t, k, region, on_facets);
      else read_nodal_load(t, k, region, on_facets);
    }
  }

  // Traction or pressure of velocities and displacements, sources of any field.
  void read_nodal_load(const Case::Table& t, std::size_t k, const Region* region, bool on_facets) {
    const FieldFacts& field = fields_[k];
    if (field.components == mesh_.dimension() && t.has("pressure")) {
      const Formula pressure = t.formula("pressure", "in place of 'value' on facets: positive into the body [Pa]");
      if (t.has("value")) t.refuse("value", "'value' was given with 'pressure'", {}, "omit one of them");
      if (region == nullptr || !has_area(t, mesh_, *region, {})) return;
      if (!on_facets) {
        t.error("region", fmt::format("a pressure on the cells of '{}'", region->name), "it acts on a surface",
                "name a region of facets");
        return;
      }
      if (!is_outside(t, *region)) return;
      const std::vector<PointFunction> given{coefficient(pressure).function()};
      add_load(k, mesh_.dimension() == 3 ? FormValue(GivenPressure<3>{}, given) : FormValue(GivenPressure<2>{}, given),
               *region);
      return;
    }
    const std::vector<Formula> value =
        t.formulas("value", "one number per component of the field, positive into the body", field.components);
    t.open_to_plugins("value");
    if (region == nullptr) return;
    if (on_facets && field.family == Family::cell) {
      t.error("region", fmt::format("a load on '{}' on facets", field.name),
              "its unknowns are numbers in cells, which jump at facets", "name a region of cells");
      return;
    }
    if (!has_area(t, mesh_, *region, {})) return;
    add_load(k,
             mesh_.dimension() == 3 ? density_form<3>(field.components, coefficients(value), on_facets, {})
                                    : density_form<2>(field.components, coefficients(value), on_facets, {}),
             *region);
  }

  // Facets between two cells have no side that is outside, and which normal a form would see is not known.
  bool is_outside(const Case::Table& t, const Region& region) const {
    const Index count = inner_facets(mesh_, region);
    if (count > 0)
      t.error("region",
              fmt::format("{} of the {} facets of '{}' lie between two cells", count, region.size(), region.name),
              "what acts along a normal would have two directions there", "name facets of the boundary");
    return count == 0;
  }

  void add_load(std::size_t k, FormValue form, const Region& region) {
    try_at_centres(form.given, region);
    loads_.push_back(Integral::over(std::move(form), region).of_field(static_cast<int>(k)));
  }

  // Loads of facets: the pressure at a surface, or a force in cells. Of edges: a current along a surface, or in cells.
  void read_vector_load(const Case::Table& t, std::size_t k, const Region* region, bool on_facets) {
    const bool scalar = on_facets && fields_[k].family == Family::facet;
    const std::vector<Formula> value =
        t.formulas("value",
                   fields_[k].family == Family::facet
                       ? "on facets one number, the pressure at the surface; on cells a vector, the force"
                       : "a vector: the current along the surface, or per area of its section in cells",
                   scalar ? 1 : mesh_.dimension());
    t.open_to_plugins("value");
    if (region == nullptr || value.size() != (scalar ? 1U : static_cast<std::size_t>(mesh_.dimension())) ||
        !has_area(t, mesh_, *region, {}))
      return;
    std::vector<PointFunction> given;
    for (const Formula& each : value) given.push_back(coefficient(each).function());
    if (on_facets && !is_outside(t, *region)) return;
    try_at_centres(given, *region);
    const auto form = mesh_.dimension() == 3 ? vector_load<3>(fields_[k].family, on_facets, given)
                                             : vector_load<2>(fields_[k].family, on_facets, given);
    surfaces_.push_back(MixedIntegral::over(form, *region, {static_cast<int>(k)}));
    if (on_facets) acting_.push_back({region, k, t.where()});
  }

  template <int D>
  static MixedFormValue vector_load(Family family, bool on_facets, const std::vector<PointFunction>& given) {
    if (family == Family::facet && on_facets) return {FluxPressure<D>{}, given};
    if (family == Family::facet) return {VectorSource<D, Family::facet>{}, given};
    if (on_facets) return {SurfaceCurrent<D>{}, given};
    return {VectorSource<D, Family::edge>{}, given};
  }

  // Forms on facets, of one field or of several: their fields are those of the equations with the same names, or the
  // one that the table names.
  void read_boundaries() {
    for (const Case::Table& t : input_.tables("boundary", "a form on facets, with its parameters")) {
      const Region* region = t.region("region", "facets", mesh_, {RegionKind::facets});
      const std::optional<std::string> chosen = t.kind("form", "of facets", boundary_forms());
      t.open_to_plugins("form");
      if (!chosen) continue;
      if (catalogue_.has_mixed(*chosen)) read_mixed_boundary(t, catalogue_.find_mixed(*chosen), region);
      else if (catalogue_.has_form(*chosen)) read_nodal_boundary(t, catalogue_.find(*chosen), region);
    }
  }

  // Names of forms on facets of which each field is among those of the equations.
  std::vector<std::string> boundary_forms() const {
    std::vector<std::string> names;
    for (const std::string& name : catalogue_.mixed_forms()) {
      const MixedFormRecord& r = *catalogue_.find_mixed(name).record;
      const bool fits = r.form.codimension == 1 && r.form.declared && r.form.dimension == mesh_.dimension() &&
                        !positions_of(r, std::nullopt).empty();
      if (fits) names.push_back(name);
    }
    for (const std::string& name : catalogue_.forms()) {
      const FormRecord& r = *catalogue_.find(name).record;
      if (r.codimension == 1 && r.declared && r.dimension == mesh_.dimension() && !r.of_revolution &&
          std::ranges::any_of(fields_, [&](const FieldFacts& f) { return takes(f, r); }))
        names.push_back(name);
    }
    return names;
  }

  static bool takes(const FieldFacts& field, const FormRecord& r) {
    return field.family == Family::lagrange && field.components == r.components;
  }

  // [field of the form] its number in the equations; empty: they have no such fields. A form of one field takes
  // `named`, or the only one of its kind.
  std::vector<int> positions_of(const MixedFormRecord& r, const std::optional<std::size_t>& named) const {
    std::vector<int> positions;
    for (int j = 0; j < r.field_count; ++j) {
      const FieldFacts& wanted = r.fields[j];
      int found = -1;
      for (std::size_t k = 0; k < fields_.size(); ++k) {
        const bool alike = fields_[k].family == wanted.family && fields_[k].components == wanted.components;
        const bool meant = r.field_count > 1 ? names_[k] == wanted.name : !named || *named == k;
        if (alike && meant && found < 0) found = static_cast<int>(k);
      }
      if (found < 0) return {};
      positions.push_back(found);
    }
    return positions;
  }

  std::optional<std::size_t> named_field(const Case::Table& t) const {
    return t.has("field") ? std::optional(field_of(t)) : std::nullopt;
  }

  void read_mixed_boundary(const Case::Table& t, const FormCatalogue::MixedEntry& entry, const Region* region) {
    const std::vector<int> positions = positions_of(*entry.record, named_field(t));
    FormValue numbers = ask_form(t, {&entry.record->form, entry.module});
    if (positions.empty()) {
      t.error(
          "form",
          fmt::format("the form '{}' is not one of fields of '{}'", entry.record->form.name, entry_.record->form.name),
          "the equations have no field of its kind and name", "name another form");
      return;
    }
    require_linear(t, entry.record->form);
    if (region == nullptr || !is_outside(t, *region)) return;
    try_at_centres(numbers.given, *region);
    surfaces_.push_back(MixedIntegral::over(MixedFormValue(*entry.record, std::move(numbers)), *region, positions));
    if (positions.size() == 1) acting_.push_back({region, static_cast<std::size_t>(positions.front()), t.where()});
  }

  static void require_linear(const Case::Table& t, const FormRecord& form) {
    if (!form.linear)
      t.error("form", fmt::format("the form '{}' on facets is nonlinear", form.name),
              "cases solve linear forms of several fields", "take a linear form, or write a program", Exit::model);
  }

  void read_nodal_boundary(const Case::Table& t, const FormCatalogue::Entry& entry, const Region* region) {
    const std::optional<std::size_t> named = named_field(t);
    FormValue numbers = ask_form(t, entry);
    require_linear(t, *entry.record);
    if (const Index count = region != nullptr ? inner_facets(mesh_, *region) : 0; count > 0)
      run_.log().notice(fmt::format(
          "{} facets of '{}' lie between two cells: where '{}' uses the normal it takes that of the lower cell", count,
          region->name, entry.record->name));
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      if (!takes(fields_[k], *entry.record) || (named && *named != k)) continue;
      if (region != nullptr) add_load(k, std::move(numbers), *region);
      return;
    }
    t.error("form",
            fmt::format("the form '{}' is one of {} components at nodes", entry.record->name, entry.record->components),
            "the field has others", "name another field, or another form");
  }

  void read_prescribed() {
    for (const Case::Table& t : input_.tables("prescribe", "prescribed values of a field")) {
      const std::size_t k = field_of(t);
      const FieldFacts& field = fields_[k];
      PrescribedEntry entry{.region = nullptr, .field = k, .component = 0, .origin = t.where()};
      entry.region = t.region("region", "facets, nodes or cells", mesh_,
                              {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
      if (entry.region != nullptr && field.family == Family::cell && entry.region->kind != RegionKind::cells)
        t.error("region", fmt::format("'{}' of '{}', which is no region of cells", field.name, entry.region->name),
                "the field has numbers in cells, and none at facets or nodes",
                "give what acts at facets as a [[load]] (docs/several-fields.md), or name a region of cells");
      if (is_vector(field)) {
        entry.vector =
            t.formulas("vector",
                       field.family == Family::facet ? "a vector, whose flux through the facets is prescribed"
                                                     : "a vector, whose part along the surface is prescribed",
                       mesh_.dimension());
      } else {
        if (field.components > 1) entry.component = component_of(t, field);
        entry.value = t.formula("value", "value of the field");
      }
      if (entry.region != nullptr) prescribed_.push_back(std::move(entry));
    }
  }

  static int component_of(const Case::Table& t, const FieldFacts& field) {
    const std::vector<std::string> names = component_names({field.name, field.components});
    const std::string name =
        t.expression("component",
                     names.empty() ? "a number from 0, or all of them"
                                   : fmt::format("{}, a number from 0, or all of them", fmt::join(names, " ")),
                     {.fallback = "all"});
    try {
      return component_named({.name = field.name, .components = field.components, .component_names = names}, name)
          .which;
    } catch (const Error& error) { t.error("component", error.message(), error.why(), error.fix()); }
    return FieldComponent::all;
  }

  void name_results(MixedCase& read) const {
    for (const FieldFacts& field : fields_) {
      if (field.family == Family::lagrange) {
        read.nodal_results.push_back({field.name, field.components});
        read.nodal_results.push_back({std::string("reaction_") + field.name, field.components});
      } else {
        read.cell_results.push_back({field.name, is_vector(field) ? 3 : field.components});
        if (!has_curl(field)) continue;
        const int components = mesh_.dimension() == 3 ? 3 : 1;
        read.cell_results.push_back({curl_name(field), components});
        read.cell_results.push_back({curl_flux_name(field), components});
      }
    }
  }

  void make(MixedCase& read) {
    if (run_.options().survey || materials_.empty()) return;
    auto phase = run_.phase("space");
    Spaces spaces = spaces_of(materials_.front().form, mesh_, run_.device());
    std::vector<MixedIntegral> integrals = materials_;
    integrals.insert(integrals.end(), surfaces_.begin(), surfaces_.end());
    read.equations = std::make_unique<MixedOperator>(spaces, integrals, loads_);
    read.supports = std::make_unique<MixedConstraints>(spaces);
    for (const PrescribedEntry& each : prescribed_) prescribe(each, read);
    try {
      read.supports->finish();
    } catch (const Errors& errors) {
      for (const Error& error : errors.list()) input_.add_error(error);
    } catch (const Error& error) { input_.add_error(error); }
    for (const ActingOnFacets& each : acting_) warn_if_unused(each, read);
  }

  // Pressures and films act on fluxes, and currents on circulations, that are free. Reactions of these fields are no
  // results, so that nobody would see the load.
  void warn_if_unused(const ActingOnFacets& each, const MixedCase& read) const {
    const FieldFacts& field = fields_[each.field];
    const Constraints& held = (*read.supports)[static_cast<int>(each.field)];
    if (!is_vector(field)) return;
    const std::vector<Node> nodes = held.space().nodes_in(*each.region);
    if (std::ranges::all_of(nodes, [&](Node node) { return held.is_prescribed(node, 0); }))
      run_.log().notice(
          fmt::format("nothing is changed by what acts on '{}' in '{}'{}: all its {} there are prescribed", field.name,
                      each.region->name, at_origin(each.origin), unknowns_of(field.family)));
  }

  void prescribe(const PrescribedEntry& entry, MixedCase& read) const {
    const FieldFacts& field = fields_[entry.field];
    Constraints& of_field = (*read.supports)[static_cast<int>(entry.field)];
    if (!is_vector(field)) {
      for (int c = 0; c < field.components; ++c) {
        if (entry.component >= 0 && entry.component != c) continue;
        if (entry.value->is_number()) of_field.prescribe(*entry.region, c, entry.value->number(), entry.origin);
        else of_field.prescribe(*entry.region, c, coefficient(*entry.value).function(), entry.origin);
      }
      return;
    }
    std::vector<PointFunction> vector;
    for (const Formula& each : entry.vector) vector.push_back(coefficient(each).function());
    const std::vector<double> moments = interpolate(*read.equations, static_cast<int>(entry.field), vector).host();
    const std::vector<Node> nodes = of_field.space().nodes_in(*entry.region);
    if (nodes.empty())
      input_.add_error(Error(Exit::input,
                             fmt::format("no unknown of the field '{}' lies in '{}'{}", field.name, entry.region->name,
                                         at_origin(entry.origin)),
                             fmt::format("the field has {}", unknowns_of(field.family)), "name a region of facets"));
    std::vector<double> values;
    for (const Node node : nodes) values.push_back(moments[static_cast<std::size_t>(node)]);
    of_field.prescribe_nodes(nodes, 0, values, entry.origin);
  }

  Run& run_;
  Case& input_;
  const Mesh& mesh_;
  const FormCatalogue& catalogue_;
  const FormCatalogue::MixedEntry& entry_;
  std::vector<FieldFacts> fields_;
  std::vector<std::string> names_;
  std::vector<MixedIntegral> materials_;
  std::vector<MixedIntegral> surfaces_;  // loads of vectors, forms on facets
  std::vector<Integral> loads_;
  std::vector<PrescribedEntry> prescribed_;
  std::vector<ActingOnFacets> acting_;
};

}  // namespace

bool has_curl(const FieldFacts& field) { return field.family == Family::edge && field.uses_gradient; }
std::string curl_name(const FieldFacts& field) { return std::string("curl_") + field.name; }
std::string curl_flux_name(const FieldFacts& field) { return curl_name(field) + "_flux"; }

MixedCase read_mixed(Run& run, const FormOfCase& form) { return MixedReader(run, form).read(); }

}  // namespace ritz
