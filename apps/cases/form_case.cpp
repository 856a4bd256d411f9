#include "apps/cases/form_case.hpp"

#include "apps/cases/fields_case.hpp"
#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/gradient_input.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/stored_input.hpp"
#include "apps/cases/time_input.hpp"
#include "apps/results/evaluated_fields.hpp"
#include "apps/show/field_component.hpp"
#include "fem/forms/derived_fields.hpp"
#include "fem/physics/any_form.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <optional>
#include <span>

namespace ritz {
namespace {

// The form that the model is made of, in cells of the mesh's dimension; forms of several fields, too.
std::string main_form(Run& run, const FormCatalogue& catalogue, const Case::Table& model) {
  std::vector<std::string> own, volume;
  const auto is_volume = [&](const std::string& name) {
    const FormRecord& r = *catalogue.find(name).record;
    return r.codimension == 0 && r.has_matrix &&
           (r.cell < 0 || traits(static_cast<CellKind>(r.cell)).dimension == r.dimension);
  };
  const auto is_mixed_volume = [&](const std::string& name) {
    const FormRecord& r = catalogue.find_mixed(name).record->form;
    return r.codimension == 0 && r.has_matrix;
  };
  for (const std::string& name : catalogue.forms_of_plugins())
    if (catalogue.has_mixed(name) ? is_mixed_volume(name) : is_volume(name)) own.push_back(name);
  for (const std::string& name : catalogue.forms())
    if (is_volume(name) && catalogue.find(name).record->declared) volume.push_back(name);
  for (const std::string& name : catalogue.mixed_forms())
    if (is_mixed_volume(name) && catalogue.find_mixed(name).record->form.declared) volume.push_back(name);
  const std::string name = model.choice("form", "form of the equations; by default the only form of a plugin", volume,
                                        own.size() == 1 ? std::optional(own.front()) : std::nullopt);
  model.open_to_plugins("form");
  const bool known = catalogue.has_form(name) || catalogue.has_mixed(name);
  if (!known) run.input().throw_if_any();
  const int dimension = catalogue.has_mixed(name) ? catalogue.find_mixed(name).record->form.dimension
                                                  : catalogue.find(name).record->dimension;
  if (run.input().sound() && dimension != run.mesh().dimension())  // else it may be a form that nobody named
    model.error(
        ErrorKind::other_model, "form",
        fmt::format("the form '{}' is one of {} dimensions, the mesh has {}", name, dimension, run.mesh().dimension()),
        {}, "take a form or a mesh of the other dimension");
  run.input().throw_if_any();
  return name;
}

// [[load]] of the case or of a load case.
void read_form_loads(const Case::Table& from, const Mesh& mesh, const FormRecord& record, FormLoads& loads) {
  for (const Case::Table& t : from.tables("load", "a given density, per volume on cells or per area on facets")) {
    const Region* region = t.region("region", "cells or facets", mesh, {RegionKind::cells, RegionKind::facets});
    std::vector<Coefficient> density =
        coefficients(t.formulas("value",
                                "one number per component, positive into the body; on a plane mesh "
                                "per area or length of the plane, whatever the thickness of a form",
                                record.components));
    t.open_to_plugins("value");
    loads.load(region, std::move(density), t.where("value"));
  }
}

// [[material]]: is a thickness among them?
bool read_form_materials(Case& input, const Mesh& mesh, const FormCatalogue::Entry& form, AnyForm& body) {
  bool thick = false;
  for (const Case::Table& t :
       input.tables("material", "material of the cells: parameters of the form", {.minimum_count = 1})) {
    const std::vector<std::string> given = t.keys();
    thick = thick || (mesh.dimension() == 2 && std::ranges::find(given, "thickness") != given.end());
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    body.material(region, ask_form(t, form, {}, named_material(t)), t.where());
  }
  return thick;
}

// Declared forms of this codimension on the unknown of `record`.
template <class Condition>
std::vector<std::string> names_of_forms(const FormCatalogue& catalogue, const FormRecord& record, int codimension,
                                        const Condition& condition) {
  std::vector<std::string> names;
  for (const std::string& name : catalogue.forms()) {
    const FormRecord& r = *catalogue.find(name).record;
    if (r.codimension == codimension && r.declared && r.components == record.components &&
        r.dimension == record.dimension && r.of_revolution == record.of_revolution && condition(r))
      names.push_back(name);
  }
  return names;
}

// [[boundary]]; `evaluated`: their forms, in the order of the case, after that of the cells.
void read_boundaries(Case& input, const Mesh& mesh, const FormCatalogue& catalogue,
                     std::vector<const FormRecord*>& evaluated, AnyForm& body) {
  const std::vector<std::string> names =
      names_of_forms(catalogue, *evaluated.front(), 1, [](const FormRecord&) { return true; });
  for (const Case::Table& t : input.tables("boundary", "a form on facets, with its parameters")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const std::optional<std::string> chosen = t.kind("form", "of facets", names);
    t.open_to_plugins("form");
    if (!chosen || !catalogue.has_form(*chosen)) continue;  // or a survey, and there is none
    const FormCatalogue::Entry& form = catalogue.find(*chosen);
    body.boundary(region, ask_form(t, form), t.where());
    if (std::ranges::find(evaluated, form.record) == evaluated.end()) evaluated.push_back(form.record);
  }
}

// [[capacity]] or [[inertia]]; add(region, quantity, origin).
template <class Add>
void read_stored_forms(Case& input, const Mesh& mesh, const FormCatalogue& catalogue, const FormRecord& record,
                       bool is_inertia, const Add& add) {
  const std::vector<std::string> names = names_of_forms(catalogue, record, 0, [&](const FormRecord& r) {
    return r.has_matrix && r.uses_value && r.cell < 0 && r.state_count == 0 && (r.symmetric || !is_inertia);
  });
  for (const StoredTable& each : read_stored(input, mesh, is_inertia, names)) {
    if (each.density) add(each.region, *each.density, each.table.where());
    else if (each.form && catalogue.has_form(*each.form))  // else a survey, and there is none
      add(each.region, ask_form(each.table, catalogue.find(*each.form)), each.table.where());
  }
}

// By name, as probes have them, or number; -1: all of them.
int component_of(const Case::Table& t, const FormRecord& record) {
  if (record.components == 1) return 0;
  const std::vector<std::string> names = component_names({record.unknown, record.components});
  const std::string about = names.empty() ? "a number from 0, or all of them"
                                          : fmt::format("{}, a number from 0, or all of them", fmt::join(names, " "));
  const std::string name = t.expression("component", about, {.fallback = "all"});
  if (name == "-1") return FieldComponent::all;
  try {
    return component_named({.name = record.unknown, .components = record.components, .component_names = names}, name)
        .which;
  } catch (const Error& error) {
    t.error("component", error);
    return FieldComponent::all;
  }
}

// [[prescribe]] of the case or of a load case. Supports of what vibrates do not move.
void read_prescribed(const Case::Table& from, const Mesh& mesh, const FormRecord& record, bool vibrates,
                     FormLoads& loads) {
  for (const Case::Table& t : from.tables("prescribe", "prescribed values of the unknown")) {
    const Region* region =
        t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const int component = component_of(t, record);
    const Formula value = t.formula("value", "value of the unknown");
    if (vibrates && (!value.is_number() || value.number() != 0))
      t.error(ErrorKind::modal_options, "value", fmt::format("the support moves by {}", value.text()),
              "modes vibrate about the state of rest: their supports do not move", "write value = 0");
    for (int c = 0; c < record.components; ++c)
      if (component < 0 || component == c) loads.prescribe(region, c, coefficient(value), t.where());
  }
}

// One residual of several fields says little of those whose forces are small beside the others'. What acts on a field:
// its loads, and what holds it.
void compare_fields(Run& run, const FormRecord& r, const Operator& equations, const Constraints& fixed, const Vector& u,
                    double tolerance) {
  if (r.components == 1 || (r.objective && r.components == r.dimension)) return;
  const auto components = static_cast<std::size_t>(r.components);
  Vector start = equations.space().zeros(), residual = equations.space().zeros();
  std::vector<double> acts(components, 0), left(components, 0);
  const auto add_squares = [&](const Vector& at, bool of_held, std::vector<double>& sums) {
    equations.residual(at, residual);
    const std::vector<double> values = residual.host();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (fixed.is_prescribed(static_cast<Node>(i / components), static_cast<int>(i % components)) == of_held)
        sums[i % components] += values[i] * values[i];
  };
  fixed.set_values(start);
  add_squares(start, false, acts);
  add_squares(u, true, acts);
  add_squares(u, false, left);
  const double most = std::ranges::max(acts);
  for (std::size_t c = 0; c < components; ++c) {
    const double ratio = std::sqrt(left[c] / acts[c]);
    if (!(acts[c] > 1e-24 * most) || ratio <= 100 * tolerance) continue;
    run.log().notice(
        fmt::format("the residual of component {} of '{}' is {:.1e} of the forces on it: the forces on another "
                    "component are {:.0e} times as large, and one residual is taken of all. Choose units that bring "
                    "them closer, [solver] method = \"direct\", or a smaller tolerance",
                    c, r.unknown, ratio, std::sqrt(most / acts[c])));
  }
}

void show(Run& run, const std::vector<const FormRecord*>& records, const Operator& equations,
          const Constraints& supports, const SolutionView& s) {
  const FunctionSpace& space = equations.space();
  const FormRecord& main = *records.front();
  if (!s.applied.empty()) print_balance(run, s.applied, s.reaction, s.residual, space.components());
  if (s.part == 1 && !equations.facts().has_states) compare_fields(run, main, equations, supports, s.u, s.tolerance);
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  std::vector<Field> nodal, cells;
  nodal.push_back(run.results().fields().of(main.unknown, space, s.u));
  if (main.components == 1) print_range(run, space.mesh(), main.unknown, nodal.front().values);
  else if (main.objective && main.small_displacements)
    judge_displacements(run, space.mesh(), nodal.front().values, main.components);
  for (const auto& [name, rate] : {std::pair{"velocity", s.velocity}, {"acceleration", s.acceleration}})
    if (rate != nullptr) nodal.push_back(run.results().fields().of(name, space, *rate));
  phase.reset();
  for (const FormRecord* record : records) {
    EvaluatedFields evaluated = derive(run.results(), equations, evaluated_names(*record),
                                       [&] { return evaluate_fields(run.results(), equations, *record, s.u); });
    std::ranges::move(evaluated.nodal, std::back_inserter(nodal));
    std::ranges::move(evaluated.cells, std::back_inserter(cells));
  }
  nodal.push_back({.name = "reaction", .components = main.components, .values = s.reaction, .forces = true});
  run.results().write(std::move(nodal), std::move(cells), s.time, energies_of(s));
}

void name_results(const std::vector<const FormRecord*>& evaluated, CaseModel& read) {
  const FormRecord& main = *evaluated.front();
  read.nodal_results = {{main.unknown, main.components}};
  if (read.time && read.time->velocity)
    for (const char* rate : {"velocity", "acceleration"}) read.nodal_results.push_back({rate, main.components});
  for (const FormRecord* each : evaluated)
    for (const Field& field : evaluated_fields(*each)) {
      read.nodal_results.push_back(field);
      if (each->codimension == 0) read.cell_results.push_back(field);
    }
  read.nodal_results.push_back({"reaction", main.components});
  int first = 0;
  const std::vector<Field> fields = evaluated_fields(main);  // derived quantities, then internal variables
  for (std::size_t i = 0; i < derived_fields(main).size(); first += fields[i++].components)
    read.derived_results.push_back({.field = fields[i], .first = first, .form = main.name});
}

// Loads of the case, and of its load cases; then what is stored. Free vibration has none of these but supports.
void read_what_acts(Run& run, const FormCatalogue& catalogue, const FormRecord& record, CaseModel& read,
                    AnyForm& body) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  if (!read.modes) {
    const char* move_out = "move it out of the load case, or make two case files";
    read.load_cases =
        read_load_cases(input, {"load", "prescribe"},
                        relation_tables({{"material", move_out}, {"model", move_out}, {"boundary", move_out}}));
    read_form_loads(input.root(), mesh, record, body.loads);
    for (const LoadCaseInput& each : read.load_cases.cases) {
      FormLoads& own = body.load_case(each.name);
      read_form_loads(each.table, mesh, record, own);
      read_prescribed(each.table, mesh, record, false, own);
    }
  }
  read_prescribed(input.root(), mesh, record, read.modes && !run.step().continues(), body.loads);
  const bool moves = read.time && read.time->velocity;
  if (read.time && !moves)
    read_stored_forms(input, mesh, catalogue, record, false,
                      [&](const Region* region, StoredQuantity stored, const std::string& origin) {
                        body.capacity(region, std::move(stored), origin);
                      });
  if (read.modes || moves)
    read_stored_forms(input, mesh, catalogue, record, true,
                      [&](const Region* region, StoredQuantity momentum, const std::string& origin) {
                        body.inertia(region, std::move(momentum), origin);
                      });
}

TransientInput read_time_of_form(Run& run, const FormRecord& record) {
  if (order_of_forms(run) == TimeOrder::first) return read_time(run, "value", record.unknown, record.components);
  const MotionKeys keys{.key = "value",
                        .about = "a number or a formula for each component",
                        .rate = "velocity",
                        .about_rate = "likewise, of its rate",
                        .count = record.components};
  return read_motion(run, std::span(&keys, 1));
}

}  // namespace

void require_no_keys_of_others(Case& input, const CaseModel& read) {
  const Case::Table root = input.root();
  if (read.modes)
    for (const char* key : {"load", "load_case", "combination", "time"})
      if (root.has(key))
        root.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with [modal]", key),
                    "free vibration is about the state of rest: it has no loads and no time", "omit one of them");
  const auto needs = [&](const char* key, const char* table, const char* why) {
    if (root.has(key))
      root.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given without {}", key, table), why,
                  fmt::format("add {}, or omit it", table));
  };
  if (!read.time) needs("capacity", "[time]", "a stored quantity acts when it changes in time");
  if (!read.modes && !read.time) needs("inertia", "[modal] or [time]", "masses act where something vibrates or moves");
}

FormOfCase read_form_name(Run& run) {
  run.mesh();
  FormOfCase result{std::make_shared<const FormCatalogue>(run.device(), load_plugins(run))};
  auto phase = run.phase("model");
  const Case::Table table = run.input().table("model", "the equations and their discretisation");
  result.name = main_form(run, *result.catalogue, table);
  for (const char* key : {"order", "element"})
    if (table.has(key))
      table.refuse(ErrorKind::model_options, key, fmt::format("'[model] {}' was given", key),
                   "the elements of the field are chosen in one place, [space]",
                   fmt::format("write it as [space] {} = ...", key));
  return result;
}

CaseModel read_form(Run& run, const FormOfCase& chosen) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  const std::shared_ptr<const FormCatalogue> catalogue = chosen.catalogue;
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const FormCatalogue::Entry& form = catalogue->find(chosen.name);
  const FormRecord& record = *form.record;
  if (record.of_revolution) run.results().measure_by({2 * std::numbers::pi, true});
  CaseModel read{.modes = input.root().has("modal"), .reader = read_form_case};
  if (!read.modes && goes_through_time(run)) read.time = read_time_of_form(run, record);
  if (!run.step().is_of_steps()) require_no_keys_of_others(input, read);
  if (!read.modes) read.gradient = read_gradient(run, mesh);
  AnyForm body(mesh);
  std::vector<const FormRecord*> evaluated = {&record};  // forms with results: that of the cells, then of boundaries
  const bool thick = read_form_materials(input, mesh, form, body);
  read_boundaries(input, mesh, *catalogue, evaluated, body);
  read_what_acts(run, *catalogue, record, read, body);
  if (thick && (read.time || read.modes || !input.tables("load", {}).empty() || !input.tables("boundary", {}).empty()))
    run.log().notice(
        "[[load]], [[boundary]], [[capacity]] and [[inertia]] act per area or length of the plane: the thickness of "
        "the materials does not multiply them; forms of [[boundary]] may have a thickness of their own");
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, record.components, catalogue.get());
  phase.emplace(run.device().profile(), "model");
  const bool moves = record.objective && record.components == mesh.dimension();
  make_model(run, body, space, {.displacements = moves, .of_revolution = record.of_revolution}, {}, read);
  if (read.time && read.time->velocity) read_damping(input, read.model);
  if (!read.modes) name_results(evaluated, read);
  read.show = [catalogue, evaluated](Run& run, const CaseModel& shown, const Operator& equations,
                                     const SolutionView& s) {
    show(run, evaluated, equations, shown.supports->common(), s);
  };
  return read;
}

}  // namespace ritz
