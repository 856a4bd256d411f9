#include "apps/cases/fields_case.hpp"

#include "apps/cases/field_loads.hpp"
#include "apps/cases/field_values.hpp"
#include "apps/cases/fields_shown.hpp"
#include "apps/cases/form_parameters.hpp"
#include "apps/cases/gradient_input.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/relations.hpp"
#include "apps/cases/stored_input.hpp"
#include "apps/cases/time_input.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/place.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// The force that prescribes a mean motion is found by a superposition of solutions of one field.
void refuse_prescribed_means(const FieldsOfCase& fields, const Model& model) {
  if (model.means.empty()) return;
  fields.run.input().root().refuse(
      ErrorKind::several_fields, "coupling",
      fmt::format("a [[coupling]] with a prescribed motion or springs, and '{}' is a form of several fields",
                  fields.form.record->form.name),
      "its force is found by one field alone", "load the coupling by force and moment, or make the region rigid");
}

// Methods that several fields have.
void check_solver(const FieldsOfCase& fields, const LinearSolverOptions& solver) {
  using Method = LinearMethod;
  const Case::Table table = fields.run.input().table("solver", {});
  const FormRecord& form = fields.form.record->form;
  const Method m = solver.method;
  if (m != Method::automatic && m != Method::direct && m != Method::minres && m != Method::gmres)
    table.error(ErrorKind::several_fields, "method",
                fmt::format("'{}' was asked for, and the form has several fields", name_of(m)),
                "their matrix need not be positive definite, and each field has a separate preconditioner",
                "use 'minres', 'gmres', 'direct' or 'auto'");
  if (solver.preconditioner != PreconditionerKind::automatic)
    table.error(ErrorKind::several_fields, "preconditioner",
                fmt::format("'{}' was asked for, and the form has several fields", name_of(solver.preconditioner)),
                "each field has a preconditioner that suits its elements (docs/several-fields.md)", "omit it");
  if (m == Method::minres && !form.symmetric)
    table.error(ErrorKind::wrong_value, "method",
                fmt::format("'minres' was asked for, and '{}' is not symmetric", form.name),
                "its recurrences are only true of symmetric matrices", "use 'gmres', 'direct' or 'auto'");
}

MixedFormValue form_without_numbers(const FieldsOfCase& fields) {
  const auto& [record, module] = fields.form;
  return {*record, FormValue(record->form, module)};
}

// [[material]]. Where none could be read, the model keeps its fields while the errors of the case are gathered.
std::vector<MixedIntegral> read_field_materials(const FieldsOfCase& fields) {
  Case& input = fields.run.input();
  std::vector<MaterialRegion> placed;
  std::vector<MixedIntegral> materials;
  for (const Case::Table& t :
       input.tables("material", "material of the cells: parameters of the form", {.minimum_count = 1})) {
    const Region* region = t.region("region", "cells", fields.mesh, {RegionKind::cells});
    FormValue numbers = ask_form(t, {&fields.form.record->form, fields.form.module}, {}, named_material(t));
    if (region == nullptr) continue;
    fields.try_at_centres(numbers.given, *region);
    placed.push_back({region, t.where()});
    materials.push_back(MixedIntegral::over(MixedFormValue(*fields.form.record, std::move(numbers)), *region));
  }
  add_material_errors(input, fields.mesh, placed);
  if (materials.empty()) materials.push_back(MixedIntegral::over_all_cells(form_without_numbers(fields)));
  return materials;
}

// Forms in cells that may be stored, of any of the fields or of several.
std::vector<std::string> stored_forms(const FieldsOfCase& fields, bool is_inertia) {
  std::vector<std::string> names;
  for (const std::string& name : fields.catalogue->mixed_forms()) {
    const MixedFormRecord& r = *fields.catalogue->find_mixed(name).record;
    if (r.form.codimension == 0 && r.form.declared && r.form.has_matrix && (r.form.symmetric || !is_inertia) &&
        r.form.dimension == fields.mesh.dimension() && !fields.positions_of(r, std::nullopt).empty())
      names.push_back(name);
  }
  for (const std::string& name : fields.catalogue->forms()) {
    const FormRecord& r = *fields.catalogue->find(name).record;
    if (r.codimension != 0 || !r.declared || r.dimension != fields.mesh.dimension() || r.of_revolution) continue;
    if (!r.has_matrix || !r.uses_value || r.cell >= 0 || r.state_count > 0 || (!r.symmetric && is_inertia)) continue;
    for (std::size_t k = 0; k < fields.facts.size(); ++k)
      if (fields.takes(k, r)) {
        names.push_back(name);
        break;
      }
  }
  return names;
}

// The density of a field times the field.
std::optional<FormValue> mass_of(const FieldsOfCase& fields, const StoredTable& each, std::size_t k) {
  const FieldFacts& field = fields.facts[k];
  std::optional<FormValue> form;
  if (!is_vector(field)) form = mass_form(fields.mesh.dimension(), field.components, *each.density, {});
  if (form) return form;
  each.table.error(ErrorKind::several_fields, "form",
                   fmt::format("'mass' of '{}', which has {}", field.name, unknowns_of(field.family)),
                   fmt::format("it is for fields at nodes or in cells, of 1 or {} components", fields.mesh.dimension()),
                   "name a form whose residual is stored");
  return std::nullopt;
}

// [[capacity]] or [[inertia]].
void read_stored_fields(const FieldsOfCase& fields, bool is_inertia, std::vector<Integral>& of_one,
                        std::vector<MixedIntegral>& of_several) {
  const std::vector<std::string> names = stored_forms(fields, is_inertia);
  for (const StoredTable& each : read_stored(fields.run.input(), fields.mesh, is_inertia, names)) {
    const Case::Table& t = each.table;
    if (!each.form) continue;
    if (fields.catalogue->has_mixed(*each.form)) {
      const FormCatalogue::MixedEntry& entry = fields.catalogue->find_mixed(*each.form);
      const std::vector<int> positions = fields.positions_of(*entry.record, fields.named_if_given(t));
      FormValue numbers = ask_form(t, {&entry.record->form, entry.module});
      if (each.region == nullptr || positions.empty()) continue;
      fields.try_at_centres(numbers.given, *each.region);
      of_several.push_back(
          MixedIntegral::over(MixedFormValue(*entry.record, std::move(numbers)), *each.region, positions));
      continue;
    }
    const std::size_t k = fields.named_in(t);
    std::optional<FormValue> form;
    if (each.density) form = mass_of(fields, each, k);
    else if (fields.catalogue->has_form(*each.form)) form = ask_form(t, fields.catalogue->find(*each.form));
    if (!form || each.region == nullptr) continue;
    fields.try_at_centres(form->given, *each.region);
    of_one.push_back(Integral::over(*std::move(form), *each.region).of_field(static_cast<int>(k)));
  }
}

// Fields whose velocities are results of an evolution in time.
std::vector<int> moving_fields(const FieldsOfCase& fields, const CaseModel& read) {
  std::vector<int> moving;
  if (!read.time || !read.time->velocity) return moving;
  const Model& model = read.model;
  for (int k = 0; k < std::ssize(fields.facts); ++k)
    if (std::ranges::any_of(model.inertia, [k](const Integral& each) { return each.field == k; }) ||
        std::ranges::any_of(model.of_fields.inertia,
                            [k](const MixedIntegral& each) { return each.position_of(k) >= 0; }))
      moving.push_back(k);
  return moving;
}

void report_fields_without_inertia(const FieldsOfCase& fields, const std::vector<int>& moving) {
  for (int k = 0; k < std::ssize(fields.facts); ++k)
    if (!std::ranges::binary_search(moving, k))
      fields.run.log().notice(
          fmt::format("the field '{}' has no [[inertia]]: it is in balance at each moment, and "
                      "begins so whatever its initial value",
                      fields.names[static_cast<std::size_t>(k)]));
}

void name_results(const FieldsOfCase& fields, const std::vector<int>& moving, CaseModel& read) {
  for (const int k : moving)
    for (const char* rate : {"velocity", "acceleration"}) {
      const FieldFacts& field = fields.facts[static_cast<std::size_t>(k)];
      (field.family == Family::lagrange ? read.nodal_results : read.cell_results)
          .push_back({rate_name(rate, field), is_vector(field) ? 3 : field.components});
    }
  for (const FieldFacts& field : fields.facts) {
    if (field.family == Family::lagrange) {
      read.nodal_results.push_back({field.name, field.components});
      read.nodal_results.push_back({std::string("reaction_") + field.name, field.components});
    } else {
      read.cell_results.push_back({field.name, is_vector(field) ? 3 : field.components});
      if (!has_curl(field)) continue;
      const int components = fields.mesh.dimension() == 3 ? 3 : 1;
      read.cell_results.push_back({curl_name(field), components});
      read.cell_results.push_back({curl_flux_name(field), components});
    }
  }
}

// Errors where prescribed vectors meet no unknown.
void check_vectors(const FieldsOfCase& fields, const Model& model, const std::vector<PrescribedValue>& prescribed) {
  const Spaces spaces = model.spaces();
  for (const PrescribedValue& each : prescribed) {
    const FieldFacts& field = fields.facts[static_cast<std::size_t>(each.field)];
    if (!is_vector(field) || !spaces[static_cast<std::size_t>(each.field)].nodes_in(*each.region).empty()) continue;
    fields.run.input().add_error(
        Error(ErrorKind::prescribes_nothing,
              fmt::format("no unknown of the field '{}' lies in '{}'", field.name, each.region->name),
              fmt::format("the field has {}", unknowns_of(field.family)), "name a region of facets")
            .at(each.origin));
  }
}

// Pressures and films act on fluxes, and currents on circulations, that are free. Reactions of these fields are no
// results, so that nobody would see the load.
void warn_if_unused(const FieldsOfCase& fields, const Model& model, const ActingOnFacets& acting) {
  const FieldFacts& field = fields.facts[acting.field];
  if (!is_vector(field)) return;
  const FunctionSpace space = model.spaces()[acting.field];
  std::vector<Node> held;
  for (const PrescribedValue& each : model.supports)
    if (each.field == static_cast<int>(acting.field))
      std::ranges::copy(space.nodes_in(*each.region), std::back_inserter(held));
  std::ranges::sort(held);
  if (std::ranges::all_of(space.nodes_in(*acting.region),
                          [&](Node node) { return std::ranges::binary_search(held, node); }))
    fields.run.log().notice(
        fmt::format("nothing is changed by what acts on '{}' in '{}'{}: all its {} there are prescribed", field.name,
                    acting.region->name, at_origin(acting.origin), unknowns_of(field.family)));
}

bool is_linear(const Model& model) {
  return std::ranges::all_of(model.of_fields.equations, [](const MixedIntegral& each) { return each.form.linear; }) &&
         std::ranges::all_of(model.equations, [](const Integral& each) { return each.form.linear; });
}

// Loads and prescribed values, of the case and of its load cases. Free vibration has none but supports.
FieldLoads read_what_acts_on(const FieldsOfCase& fields, CaseModel& read) {
  Case& input = fields.run.input();
  FieldLoads always;
  if (!read.modes) {
    read.load_cases =
        read_load_cases(input, {"load", "prescribe"},
                        relation_tables({{"material", "move it out of the load case, or make two case files"},
                                         {"model", "move it out of the load case, or make two case files"},
                                         {"boundary", "move it out of the load case, or make two case files"}}));
    read_field_loads(fields, input.root(), always);
  }
  read_field_boundaries(fields, always);
  read.model.supports = read_field_values(fields, input.root(), read.modes && !fields.run.step().continues());
  for (const LoadCaseInput& each : read.load_cases.cases) {
    FieldLoads own;
    read_field_loads(fields, each.table, own);
    read.model.load_cases.push_back({.name = each.name,
                                     .loads = std::move(own.of_one),
                                     .loads_of_fields = std::move(own.of_several),
                                     .prescribed = read_field_values(fields, each.table, false)});
    std::ranges::move(own.acting, std::back_inserter(always.acting));
  }
  return always;
}

// By how much [space] raises the orders of all fields.
int raised_order(const FieldsOfCase& fields) {
  const Case::Table table = fields.run.input().table("space", "the elements of the fields");
  const auto order = static_cast<int>(table.integer(
      "order",
      "of the field with the highest order, independent of the mesh's; those of other fields differ from it as in the "
      "form. 0 takes the orders of the form",
      {.fallback = 0, .minimum = 0, .maximum = 8}));
  if (order == 0) return 0;
  const int raised = order - std::ranges::max_element(fields.facts, {}, &FieldFacts::order)->order;
  for (const FieldFacts& field : fields.facts) {
    const int lowest = field.family == Family::cell ? 0 : 1;
    if (field.order + raised >= lowest) continue;
    table.error(ErrorKind::wrong_value, "order",
                fmt::format("with order = {} '{}' has the order {}", order, field.name, field.order + raised),
                fmt::format("its elements have an order of {} or more", lowest),
                fmt::format("give {} or more", order + lowest - field.order - raised));
    return 0;
  }
  return raised;
}

void make_spaces(const FieldsOfCase& fields, Model& model) {
  const int raised = raised_order(fields);
  auto phase = fields.run.phase("space");
  const auto make = [&](int by) {
    Spaces spaces = spaces_of(form_without_numbers(fields), fields.mesh, fields.run.device(), by);
    model.space = spaces.front();
    model.others.assign(spaces.begin() + 1, spaces.end());
  };
  try {
    make(raised);
  } catch (const Error& error) {
    if (raised == 0) throw;
    fields.run.input().table("space", "").error("order", error);
    make(0);
  }
}

}  // namespace

CaseModel read_fields(Run& run, const FormOfCase& form) {
  const FieldsOfCase fields(run, form);
  Case& input = run.input();
  CaseModel read{.modes = input.root().has("modal"), .reader = read_form_case};
  if (!read.modes && goes_through_time(run)) read.time = read_time_of_fields(fields);
  if (!fields.run.step().is_of_steps()) require_no_keys_of_others(input, read);
  if (!read.modes) read.gradient = read_gradient(run, fields.mesh);
  read.field_names = fields.names;
  Model& model = read.model;
  model.of_fields.equations = read_field_materials(fields);
  FieldLoads acting = read_what_acts_on(fields, read);
  model.equations = std::move(acting.of_one);
  std::ranges::move(acting.of_several, std::back_inserter(model.of_fields.equations));
  const bool moves = read.time && read.time->velocity;
  if (read.time && !moves) read_stored_fields(fields, false, model.capacity, model.of_fields.capacity);
  if (read.modes || moves) read_stored_fields(fields, true, model.inertia, model.of_fields.inertia);
  const std::vector<int> moving = moving_fields(fields, read);
  if (moves) {
    read_damping(input, model);
    report_fields_without_inertia(fields, moving);
  }
  model.linear = is_linear(model);
  model.definite = false;
  model.rigid = std::nullopt;
  read.check_solver = [form](Run& solving, const LinearSolverOptions& solver) {
    check_solver(FieldsOfCase(solving, form), solver);
  };
  if (!read.modes) name_results(fields, moving, read);
  make_spaces(fields, model);
  read_relations(fields, read);
  refuse_prescribed_means(fields, model);
  check_vectors(fields, model, model.supports);
  for (const ModelLoadCase& each : model.load_cases) check_vectors(fields, model, each.prescribed);
  for (const ActingOnFacets& each : acting.acting) warn_if_unused(fields, model, each);
  read.show_fields = [facts = fields.facts, moving](Run& run, const FieldsOfModel& of_model, const SolutionView& s) {
    show_fields(run, facts, moving, of_model, s);
  };
  return read;
}

CaseModel read_form_case(Run& run) {
  const FormOfCase form = read_form_name(run);
  return form.has_several_fields() ? read_fields(run, form) : read_form(run, form);
}

}  // namespace ritz
