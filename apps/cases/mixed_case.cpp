#include "apps/cases/mixed_case.hpp"

#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/model.hpp"
#include "apps/show/field_component.hpp"
#include "fem/physics/load_forms.hpp"
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

class MixedReader {
 public:
  MixedReader(Run& run, const FormOfCase& form)
      : run_(run), input_(run.input()), mesh_(run.mesh()), entry_(form.catalogue->find_mixed(form.name)) {
    for (int k = 0; k < entry_.record->field_count; ++k) fields_.push_back(entry_.record->fields[k]);
    for (const FieldFacts& each : fields_) names_.push_back(each.name);
  }

  MixedCase read() {
    refuse_what_it_has_not();
    read_materials();
    read_loads();
    read_prescribed();
    MixedCase read{.fields = fields_};
    read.solver = run_.solver();
    if (read.solver.method != LinearMethod::automatic && read.solver.method != LinearMethod::direct)
      input_.table("solver", {})
          .error("method",
                 fmt::format("'{}' was asked for, and the form has several fields", name_of(read.solver.method)),
                 "cases factorise their matrices; a program chooses a preconditioner for each field",
                 "write method = \"direct\", or see docs/several-fields.md for MINRES and GMRES");
    name_results(read);
    make(read);
    return read;
  }

 private:
  void refuse_what_it_has_not() {
    const Case::Table root = input_.root();
    for (const char* key : {"time", "modal", "load_case", "combination", "boundary", "tie", "rigid", "coupling",
                            "periodic", "equation", "space", "newton"})
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

  void read_materials() {
    std::vector<MaterialRegion> placed;
    for (const Case::Table& t :
         input_.tables("material", "material of the cells: parameters of the form", {.minimum_count = 1})) {
      const Region* region = t.region("region", "cells", mesh_, {RegionKind::cells});
      FormValue numbers = ask_form(t, {&entry_.record->form, entry_.module});
      if (region == nullptr) continue;
      placed.push_back({region, t.where()});
      materials_.push_back(MixedIntegral::over(MixedFormValue(*entry_.record, std::move(numbers)), *region));
    }
    add_material_errors(input_, mesh_, placed);
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
      const std::vector<Formula> value =
          t.formulas("value", "one number per component of the field, positive into the body",
                     is_vector(field) ? 1 : field.components);
      t.open_to_plugins("value");
      if (is_vector(field)) {
        t.error("field", fmt::format("a load on '{}', whose unknowns are {}", field.name, unknowns_of(field.family)),
                "loads act on fields at nodes and in cells", "prescribe the field, or write a program");
        continue;
      }
      if (region == nullptr) continue;
      const bool on_facets = region->kind == RegionKind::facets;
      if (on_facets && field.family == Family::cell) {
        t.error("region", fmt::format("a load on '{}' on facets", field.name),
                "its unknowns are numbers in cells, which jump at facets", "name a region of cells");
        continue;
      }
      if (!has_area(t, mesh_, *region, {})) continue;
      loads_.push_back({static_cast<int>(k),
                        Integral::over(mesh_.dimension() == 3
                                           ? density_form<3>(field.components, coefficients(value), on_facets, {})
                                           : density_form<2>(field.components, coefficients(value), on_facets, {}),
                                       *region)});
    }
  }

  void read_prescribed() {
    for (const Case::Table& t : input_.tables("prescribe", "prescribed values of a field")) {
      const std::size_t k = field_of(t);
      const FieldFacts& field = fields_[k];
      PrescribedEntry entry{.region = nullptr, .field = k, .component = 0, .origin = t.where()};
      entry.region = t.region("region", "facets, nodes or cells", mesh_,
                              {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
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
      }
    }
  }

  void make(MixedCase& read) {
    if (run_.options().survey || materials_.empty()) return;
    auto phase = run_.phase("space");
    Spaces spaces = spaces_of(materials_.front().form, mesh_, run_.device());
    read.equations = std::make_unique<MixedOperator>(spaces, materials_, loads_);
    read.supports = std::make_unique<MixedConstraints>(spaces);
    for (const PrescribedEntry& each : prescribed_) prescribe(each, read);
    try {
      read.supports->finish();
    } catch (const Errors& errors) {
      for (const Error& error : errors.list()) input_.add_error(error);
    } catch (const Error& error) { input_.add_error(error); }
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
    std::vector<double> values;
    for (const Node node : nodes) values.push_back(moments[static_cast<std::size_t>(node)]);
    of_field.prescribe_nodes(nodes, 0, values, entry.origin);
  }

  Run& run_;
  Case& input_;
  const Mesh& mesh_;
  const FormCatalogue::MixedEntry& entry_;
  std::vector<FieldFacts> fields_;
  std::vector<std::string> names_;
  std::vector<MixedIntegral> materials_;
  std::vector<FieldIntegral> loads_;
  std::vector<PrescribedEntry> prescribed_;
};

}  // namespace

MixedCase read_mixed(Run& run, const FormOfCase& form) { return MixedReader(run, form).read(); }

}  // namespace ritz
