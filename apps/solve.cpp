// ritz-solve: the stationary equations of any form that is known by name, of Ritz or of a plugin, by Newton's method.
#include "apps/form_parameters.hpp"
#include "apps/formulas.hpp"
#include "apps/materials.hpp"
#include "apps/model.hpp"
#include "apps/run.hpp"
#include "fem/nonlinear_solution.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

std::vector<Plugin> load_plugins(Run& run) {
  Case& input = run.input();
  const std::string file = input.root().path("plugin", "a C++ source with forms of your own, or a module of ritz_add_plugin()", {.fallback = ""});
  if (file.empty()) return {};
  auto phase = run.device().profile().phase("plugin");
  try {
    const Plugin plugin = load_plugin(file, run.device(), run.progress());
    run.log().line("plugin: {}, {}", file, plugin.compiled ? "compiled now" : "ready from before");
    return {plugin};
  } catch (const Error& error) {  // together with what was wrong in the case file so far
    input.add_error(error);
    input.throw_if_any();
    throw;
  }
}

// The form that the model is made of, in cells of the mesh's dimension.
const FormCatalogue::Entry& main_form(Run& run, const FormCatalogue& catalogue, const Case::Table& model) {
  std::vector<std::string> own, volume;
  const auto is_volume = [&](const std::string& name) {
    const FormRecord& r = *catalogue.find(name).record;
    return r.codimension == 0 && r.has_matrix;
  };
  for (const std::string& name : catalogue.forms_of_plugins())
    if (is_volume(name)) own.push_back(name);
  for (const std::string& name : catalogue.forms())
    if (is_volume(name) && catalogue.find(name).record->declared) volume.push_back(name);
  const std::string name = model.choice("form", "what is solved for; a plugin's only form by default", volume,
                                        own.size() == 1 ? std::optional(own.front()) : std::nullopt);
  if (!catalogue.has_form(name)) run.input().throw_if_any();
  const FormCatalogue::Entry& entry = catalogue.find(name);
  if (entry.record->dimension != run.mesh().dimension())
    model.error("form", fmt::format("the form '{}' is one of {} dimensions, the mesh has {}", name, entry.record->dimension, run.mesh().dimension()),
                {}, "take a form or a mesh of the other dimension", Exit::model);
  run.input().throw_if_any();
  return entry;
}

template <int C, int G>
FormValue load_of(const std::vector<Formula>& value, bool facets) {
  return facets ? load_form<C, G, 1>(value, 1, false) : load_form<C, G, 0>(value, 1, false);
}

std::optional<FormValue> load_form(int components, int dimension, const std::vector<Formula>& value, bool facets) {
  if (components == 1 && dimension == 3) return load_of<1, 3>(value, facets);
  if (components == 3 && dimension == 3) return load_of<3, 3>(value, facets);
  if (components == 1 && dimension == 2) return load_of<1, 2>(value, facets);
  if (components == 2 && dimension == 2) return load_of<2, 2>(value, facets);
  return std::nullopt;
}

struct Equations {
  std::vector<Integral> integrals;
  std::vector<const Region*> held;   // boundaries whose forms hold the unknown
};

Equations read_equations(Run& run, const FormCatalogue& catalogue, const FormCatalogue::Entry& form) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  const FormRecord& record = *form.record;
  Equations equations;
  std::vector<MaterialRegion> materials;
  for (const Case::Table& t : input.tables("material", "what the cells are made of: parameters of the form", {.minimum_count = 1})) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    const FormValue value = ask_form(t, form);
    if (region == nullptr) continue;
    materials.push_back({region, t.where()});
    equations.integrals.push_back(Integral::over(value, *region));
  }
  add_material_errors(input, mesh, materials);
  std::vector<std::string> boundary_forms;
  for (const std::string& name : catalogue.forms()) {
    const FormRecord& r = *catalogue.find(name).record;
    if (r.codimension == 1 && r.declared && r.components == record.components && r.dimension == record.dimension) boundary_forms.push_back(name);
  }
  for (const Case::Table& t : input.tables("boundary", "a form on facets, with its parameters")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const std::string name = t.choice("form", "of facets", boundary_forms);
    if (!catalogue.has_form(name)) input.throw_if_any();
    const FormValue value = ask_form(t, catalogue.find(name));
    if (region == nullptr) continue;
    equations.integrals.push_back(Integral::over(value, *region));
    if (value.has_matrix) equations.held.push_back(region);
  }
  for (const Case::Table& t : input.tables("load", "a given density, per volume on cells or per area on facets")) {
    const Region* region = t.region("region", "cells or facets", mesh, {RegionKind::cells, RegionKind::facets});
    const std::vector<Formula> value = t.formulas("value", "one number per component, positive into the body", record.components);
    if (region == nullptr) continue;
    check_formulas(input, mesh, *region, value);
    if (auto load = load_form(record.components, record.dimension, value, region->kind == RegionKind::facets))
      equations.integrals.push_back(Integral::over(*load, *region));
    else
      t.error("value", fmt::format("there are no loads of {} components in {} dimensions", record.components, record.dimension), {},
              "let the form itself have a source, or write a form of facets and name it in [[boundary]]");
  }
  return equations;
}

void prescribe(const Case::Table& t, const Mesh& mesh, int components, Constraints& fixed) {
  const Region* region = t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
  const auto component = components == 1 ? 0 : static_cast<int>(t.integer("component", "number from 0; -1: all of them", {.fallback = -1, .minimum = -1, .maximum = components - 1}));
  const Formula value = t.formula("value", "of the unknown");
  if (region == nullptr) return;
  for (int c = 0; c < components; ++c)
    if (component < 0 || component == c) prescribe(fixed, *region, c, value, t.where());
}

std::optional<RigidModes> rigid_modes(const FormRecord& r, const Equations& equations) {
  if (!r.objective || r.uses_value) return std::nullopt;
  if (r.components == 1) return RigidModes::scalar;
  if (r.components != r.dimension || !equations.held.empty()) return std::nullopt;
  return r.dimension == 3 ? RigidModes::solid : RigidModes::plane;
}

SolveReport summary_of(const NonlinearSolution& s) {
  SolveReport report;
  report.method = fmt::format("Newton's method ({})", s.last_solve.method.empty() ? "nothing to solve" : s.last_solve.method);
  report.preconditioner = s.last_solve.preconditioner;
  report.reason = StopReason::converged;
  report.iterations = static_cast<int>(s.steps.size());
  report.true_relative_residual = s.certificate;
  return report;
}

void solve(Run& run) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  const FormCatalogue catalogue(run.device(), load_plugins(run));
  const Case::Table model = input.table("model", "the equations and their discretisation");
  const FormCatalogue::Entry& form = main_form(run, catalogue, model);
  const FormRecord& record = *form.record;
  SpaceOptions elements;
  elements.order = static_cast<int>(model.integer("order", "of Lagrange elements; 0: fields vary like the mesh's cells", {.fallback = 0, .minimum = 0, .maximum = 8}));
  const std::string element = model.text("element", "a reference element of the plugin, for cells of its shape", {.fallback = "", .may_be_empty = true});
  if (!element.empty()) {
    elements.elements.push_back(catalogue.element(element));
    if (elements.order == 0) elements.order = elements.elements.front().order;
  }
  const Equations parts = read_equations(run, catalogue, form);
  run.log().progress("numbering unknowns");
  const FunctionSpace space = [&] {
    auto phase = run.device().profile().phase("space");
    return FunctionSpace(mesh, record.components, run.device(), elements);
  }();
  Constraints fixed(space);
  for (const Case::Table& t : input.tables("prescribe", "prescribed values of the unknown")) prescribe(t, mesh, record.components, fixed);
  NonlinearOptions options{.linear = run.solver()};
  const Case::Table newton = input.table("newton", "how nonlinear equations are solved");
  options.relative = newton.number("tolerance", "on the true residual, relative to the largest force", {.fallback = 1e-8, .above = 0, .below = 1});
  options.max_steps = static_cast<int>(newton.integer("max_steps", "per increment", {.fallback = 50, .minimum = 1, .maximum = 10000}));
  options.increments = static_cast<int>(newton.integer("increments", "in which loads and prescribed values grow", {.fallback = 1, .minimum = 1, .maximum = 100000}));
  std::vector<Field> results = {{record.unknown, record.components}};
  if (record.derived > 0) results.push_back({record.derives, record.derived});
  results.push_back({"reaction", record.components});
  std::vector<Node> held;
  for (const Region* region : parts.held) {
    const std::vector<Node> nodes = space.nodes_in(*region);
    held.insert(held.end(), nodes.begin(), nodes.end());
  }
  finish_model(run, fixed, rigid_modes(record, parts), results, held);

  const Operator equations = make_operator(run, space, parts.integrals);
  const NonlinearSolution s = solve_nonlinear(equations, fixed, options, run.progress());
  run.record(summary_of(s), space.unknown_count());
  for (std::size_t i = 0; i < s.steps.size(); ++i)
    run.log().detail("Newton step {}: increment {}, length {:.3g}, relative residual {:.2e}", i + 1, s.steps[i].increment, s.steps[i].length, s.steps[i].relative);
  run.report().facts["residual_certificate"] = fmt::format("{:.3e}", s.certificate);
  run.report().facts["newton_steps"] = fmt::format("{}", s.steps.size());
  std::vector<Field> nodal = {{record.unknown, record.components, space.to_mesh(s.u)}}, cells;
  if (record.components == 1) print_range(run, mesh, record.unknown, nodal.front().values);
  if (record.derived > 0) {
    DerivedFields derived = evaluate(run, equations, s.u);
    nodal.push_back({record.derives, derived.components, std::move(derived.at_nodes)});
    cells.push_back({record.derives, derived.components, std::move(derived.at_cells)});
  }
  nodal.push_back({"reaction", record.components, s.reaction});
  run.write(nodal, cells);
}

const char* example = R"(plugin = "my_form.cpp"         # docs/your-own-element.md; without it: the forms of Ritz

[mesh]
file = "part.msh"

[model]
form = "my_form"
order = 2

[[material]]
region = "all"
conductivity = 200             # the form's own parameters: ritz-solve case.toml --describe

[[prescribe]]
region = "base"
value = 100

[[load]]
region = "top"
value = 5e4
)";

}  // namespace
}  // namespace ritz

int main(int argc, char** argv) {
  return ritz::run_app(argc, argv, {"ritz-solve", "Stationary equations of any form, also of your own, by Newton's method.", ritz::example}, ritz::solve);
}
