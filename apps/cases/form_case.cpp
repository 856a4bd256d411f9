#include "apps/cases/form_case.hpp"

#include "apps/cases/form_parameters.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/transient_analysis.hpp"
#include "fem/forms/heat.hpp"
#include "fem/forms/mass.hpp"
#include "fem/physics/load_forms.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/results/evaluated_fields.hpp"
#include "apps/results/field_component.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

// The form that the model is made of, in cells of the mesh's dimension.
const FormCatalogue::Entry& main_form(Run& run, const FormCatalogue& catalogue, const Case::Table& model) {
  std::vector<std::string> own, volume;
  const auto is_volume = [&](const std::string& name) {
    const FormRecord& r = *catalogue.find(name).record;
    return r.codimension == 0 && r.has_matrix &&
           (r.cell < 0 || traits(static_cast<CellKind>(r.cell)).dimension == r.dimension);
  };
  for (const std::string& name : catalogue.forms_of_plugins())
    if (is_volume(name)) own.push_back(name);
  for (const std::string& name : catalogue.forms())
    if (is_volume(name) && catalogue.find(name).record->declared) volume.push_back(name);
  const std::string name = model.choice("form", "form of the equations; by default the only form of a plugin", volume,
                                        own.size() == 1 ? std::optional(own.front()) : std::nullopt);
  model.open_to_plugins("form");
  if (!catalogue.has_form(name)) run.input().throw_if_any();
  const FormCatalogue::Entry& entry = catalogue.find(name);
  if (run.input().sound() &&
      entry.record->dimension != run.mesh().dimension())  // else it may be a form that nobody named
    model.error("form",
                fmt::format("the form '{}' is one of {} dimensions, the mesh has {}", name, entry.record->dimension,
                            run.mesh().dimension()),
                {}, "take a form or a mesh of the other dimension", Exit::model);
  run.input().throw_if_any();
  return entry;
}

// Evaluates a function at the centres of cells or facets, so that --check sees points where it has no value.
void check_coefficient(Case& input, const Case::Table& t, const Mesh& mesh, const Region& region,
                       const Coefficient& value) {
  ErrorList errors;
  check_values(value, {.name = "value"}, mesh, region, t.where("value"), errors);
  for (const Error& error : errors.errors()) input.add_error(error);
}

template <int G, int C = 6>
FormValue density_form(const FormRecord& r, const std::vector<Coefficient>& value, bool facets) {
  if constexpr (C > 1)
    if (r.components < C) return density_form<G, C - 1>(r, value, facets);
  const BodyMeasure measure{r.of_revolution ? 2 * std::numbers::pi : 1, r.of_revolution};
  return facets ? load_form<C, G, 1>(value, measure) : load_form<C, G, 0>(value, measure);
}

// [[load]] of the case or of a load case.
void add_loads(Case& input, const Case::Table& from, const Mesh& mesh, const FormRecord& record,
               std::vector<Integral>& integrals) {
  for (const Case::Table& t : from.tables("load", "a given density, per volume on cells or per area on facets")) {
    const Region* region = t.region("region", "cells or facets", mesh, {RegionKind::cells, RegionKind::facets});
    const std::vector<Coefficient> value =
        coefficients(t.formulas("value",
                                "one number per component, positive into the body; on a plane mesh "
                                "per area or length of the plane, whatever the thickness of a form",
                                record.components));
    t.open_to_plugins("value");
    if (region == nullptr ||
        (region->kind == RegionKind::facets && !has_area(t, mesh, *region, {.axisymmetric = record.of_revolution})))
      continue;
    for (const Coefficient& each : value) check_coefficient(input, t, mesh, *region, each);
    const bool facets = region->kind == RegionKind::facets;
    integrals.push_back(Integral::over(
        record.dimension == 3 ? density_form<3>(record, value, facets) : density_form<2>(record, value, facets),
        *region));
  }
}

struct Equations {
  std::vector<Integral> integrals;
  std::vector<const Region*> held;           // boundaries whose forms hold the unknown
  std::vector<const FormRecord*> evaluated;  // forms with results: that of the cells, then those of boundaries
  bool linear = true;
};

Equations read_equations(Run& run, const FormCatalogue& catalogue, const FormCatalogue::Entry& form) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  const FormRecord& record = *form.record;
  Equations equations;
  equations.linear = record.linear;
  equations.evaluated = {&record};
  std::vector<MaterialRegion> materials;
  bool thick = false;
  for (const Case::Table& t :
       input.tables("material", "material of the cells: parameters of the form", {.minimum_count = 1})) {
    const std::vector<std::string> given = t.keys();
    thick = thick || (mesh.dimension() == 2 && std::ranges::find(given, "thickness") != given.end());
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    const FormValue value = ask_form(t, form);
    if (region == nullptr) continue;
    materials.push_back({region, t.where()});
    equations.integrals.push_back(Integral::over(value, *region));
  }
  add_material_errors(input, mesh, materials);
  if (thick && !input.tables("load", {}).empty())
    run.log().notice(
        "[[load]] acts per area or length of the plane: the thickness of the materials does not multiply it");
  std::vector<std::string> boundary_forms;
  for (const std::string& name : catalogue.forms()) {
    const FormRecord& r = *catalogue.find(name).record;
    if (r.codimension == 1 && r.declared && r.components == record.components && r.dimension == record.dimension &&
        r.of_revolution == record.of_revolution)
      boundary_forms.push_back(name);
  }
  for (const Case::Table& t : input.tables("boundary", "a form on facets, with its parameters")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const std::optional<std::string> chosen = t.kind("form", "of facets", boundary_forms);
    t.open_to_plugins("form");
    if (!chosen || !catalogue.has_form(*chosen)) continue;  // or a survey, and there is none
    const std::string& name = *chosen;
    const FormRecord& of_facets = *catalogue.find(name).record;
    const FormValue value = ask_form(t, catalogue.find(name));
    equations.linear = equations.linear && of_facets.linear;
    if (std::ranges::find(equations.evaluated, &of_facets) == equations.evaluated.end())
      equations.evaluated.push_back(&of_facets);
    if (region == nullptr) continue;
    if (const Index count = inner_facets(mesh, *region); count > 0)
      run.log().notice(fmt::format(
          "{} facets of '{}' lie between two cells: where '{}' uses the normal it takes that of the lower cell", count,
          region->name, name));
    if (!has_area(t, mesh, *region, {.axisymmetric = record.of_revolution})) continue;
    equations.integrals.push_back(Integral::over(value, *region));
    if (value.has_matrix) equations.held.push_back(region);
  }
  add_loads(input, input.root(), mesh, record, equations.integrals);
  return equations;
}

// The form that stores `value` of every component per volume and unit; there is none for more components than
// directions.
template <int G>
std::optional<FormValue> mass_form(const FormRecord& r, const Formula& value) {
  const bool around = r.of_revolution;
  const double weight = around ? 2 * std::numbers::pi : 1;
  if (r.components == 1 && value.is_number()) return HeatCapacity<G>{value.number(), 1, weight, around};
  if (r.components == 1) return FormValue(VaryingHeatCapacity<G>{weight, around}, {value, PointFunction(constant(1))});
  if (r.components != G) return std::nullopt;
  if constexpr (G == 2) {
    if (around && value.is_number()) return Mass<2, 2, true>{value.number(), weight};
    if (around) return FormValue(VaryingMass<2, true>{weight}, {value});
  }
  if (value.is_number()) return Mass<G, G>{value.number()};
  return FormValue(VaryingMass<G>{}, {value});
}

// [[capacity]]: forms whose residual is what the body stores.
std::vector<Integral> read_capacity(Run& run, const FormCatalogue& catalogue, const FormRecord& record) {
  std::vector<Integral> capacity;
  std::vector<std::string> names = {"mass"};
  for (const std::string& name : catalogue.forms()) {
    const FormRecord& r = *catalogue.find(name).record;
    if (r.codimension == 0 && r.has_matrix && r.declared && r.uses_value && r.cell < 0 &&
        r.components == record.components && r.dimension == record.dimension)
      names.push_back(name);
  }
  const char* about = "what the equations store: d/dt of it is part of them";
  for (const Case::Table& t : run.input().tables("capacity", about, {.minimum_count = 1})) {
    const Region* region = t.region("region", "cells", run.mesh(), {RegionKind::cells});
    const std::optional<std::string> chosen =
        t.kind("form", "whose residual is stored; mass: value times the unknown", names, "mass");
    t.open_to_plugins("form");
    if (chosen == "mass") {
      const Formula value =
          t.formula("value", "stored per volume and unit of the unknown", {.above = 0, .out_of_bounds = Exit::model});
      if (region == nullptr) continue;
      check_coefficient(run.input(), t, run.mesh(), *region, coefficient(value));
      const std::optional<FormValue> form =
          record.dimension == 3 ? mass_form<3>(record, value) : mass_form<2>(record, value);
      if (form) capacity.push_back(Integral::over(*form, *region));
      else
        t.error("form", fmt::format("'mass' has no kernels for {} components", record.components), {},
                "name a form of a plugin whose residual is stored");
      continue;
    }
    if (!chosen || !catalogue.has_form(*chosen)) continue;  // or a survey, and there is none
    const FormValue value = ask_form(t, catalogue.find(*chosen));
    if (region != nullptr) capacity.push_back(Integral::over(value, *region));
  }
  return capacity;
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
    t.error("component", error.message(), error.why(), error.fix());
    return FieldComponent::all;
  }
}

// [[prescribe]] of the case or of a load case.
std::vector<PrescribedValue> read_prescribed(const Case::Table& from, const Mesh& mesh, const FormRecord& record) {
  std::vector<PrescribedValue> prescribed;
  for (const Case::Table& t : from.tables("prescribe", "prescribed values of the unknown")) {
    const Region* region =
        t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const int component = component_of(t, record);
    const Formula value = t.formula("value", "value of the unknown");
    for (int c = 0; region != nullptr && c < record.components; ++c)
      if (component < 0 || component == c) prescribed.push_back({region, c, coefficient(value), t.where()});
  }
  return prescribed;
}

std::optional<RigidModes> rigid_modes(const FormRecord& r, const Equations& equations) {
  if (!r.objective || (r.uses_value && !r.of_revolution)) return std::nullopt;
  if (r.components == 1) return RigidModes::scalar;
  if (r.components != r.dimension || !equations.held.empty()) return std::nullopt;
  if (r.of_revolution) return RigidModes::axisymmetric;
  return r.dimension == 3 ? RigidModes::solid : RigidModes::plane;
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
  if (s.part == 1 && !equations.has_state()) compare_fields(run, main, equations, supports, s.u, s.tolerance);
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  std::vector<Field> nodal = {run.results().fields().of(main.unknown, space, s.u)}, cells;
  if (main.components == 1) print_range(run, space.mesh(), main.unknown, nodal.front().values);
  else if (main.objective && main.small_displacements)
    judge_displacements(run, space.mesh(), nodal.front().values, main.components);
  phase.reset();
  for (const FormRecord* record : records) {
    EvaluatedFields evaluated = derive(run.results(), equations, evaluated_names(*record),
                                       [&] { return evaluate_fields(run.results(), equations, *record, s.u); });
    std::ranges::move(evaluated.nodal, std::back_inserter(nodal));
    std::ranges::move(evaluated.cells, std::back_inserter(cells));
  }
  nodal.push_back({.name = "reaction", .components = main.components, .values = s.reaction, .forces = true});
  run.results().write(std::move(nodal), std::move(cells), s.time);
}

}  // namespace

CaseModel read_form(Run& run) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  const auto catalogue = std::make_shared<const FormCatalogue>(run.device(), load_plugins(run));
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const Case::Table table = input.table("model", "the equations and their discretisation");
  const FormCatalogue::Entry& form = main_form(run, *catalogue, table);
  const FormRecord& record = *form.record;
  if (record.of_revolution) run.results().measure_by({2 * std::numbers::pi, true});
  for (const char* key : {"order", "element"})
    if (table.has(key))
      table.refuse(key, fmt::format("'[model] {}' was given", key),
                   "the elements of the field are chosen in one place, [space]",
                   fmt::format("write it as [space] {} = ...", key));
  CaseModel read;
  Model& model = read.model;
  if (goes_through_time(run)) {
    read.time = read_time(run, "value", record.components);
    model.capacity = read_capacity(run, *catalogue, record);
  }
  const char* move_out = "move it out of the load case, or make two case files";
  read.load_cases =
      read_load_cases(input, {"load", "prescribe"},
                      relation_tables({{"material", move_out}, {"model", move_out}, {"boundary", move_out}}));
  const Equations parts = read_equations(run, *catalogue, form);
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, record.components, catalogue.get());
  phase.emplace(run.device().profile(), "model");
  for (const LoadCaseInput& each : read.load_cases.cases) {
    ModelLoadCase& own = model.load_cases.emplace_back(ModelLoadCase{each.name});
    add_loads(input, each.table, mesh, record, own.loads);
    own.prescribed = read_prescribed(each.table, mesh, record);
  }
  model.space = borrowed(space);
  model.equations = parts.integrals;
  model.linear = parts.linear;
  model.definite = false;
  model.supports = read_prescribed(input.root(), mesh, record);
  model.rigid = rigid_modes(record, parts);
  for (const Region* region : parts.held) model.held.push_back({space.nodes_in(*region)});
  const bool moves = record.objective && record.components == mesh.dimension();
  read_relations(run, {.displacements = moves}, {}, read);
  make_supports(input, read);
  read.nodal_results = {{record.unknown, record.components}};
  for (const FormRecord* each : parts.evaluated)
    for (const Field& field : evaluated_fields(*each)) {
      read.nodal_results.push_back(field);
      if (each->codimension == 0) read.cell_results.push_back(field);
    }
  read.nodal_results.push_back({"reaction", record.components});
  read.show = [&run, catalogue, records = parts.evaluated](const CaseModel& shown, const Operator& equations,
                                                           const SolutionView& s) {
    show(run, records, equations, shown.supports->common(), s);
  };
  return read;
}

}  // namespace ritz
