// ritz-structure: frames, trusses and shells: beams, bars, springs and shells in space, and elements of one's own.
#include "apps/cases/model.hpp"
#include "apps/cases/newton.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/structure_model.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/results/field_component.hpp"
#include "apps/results/section_forces.hpp"
#include "apps/run/forecast.hpp"
#include "apps/sweep/shared_model.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/untouched_unknowns.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <optional>

namespace ritz {
namespace {

std::vector<double> magnitudes(const std::vector<double>& vectors) {
  std::vector<double> result(vectors.size() / 3);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = std::hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]);
  return result;
}

std::vector<Field> nodal_names(int components) {
  std::vector<Field> names = {{"displacement", 3}, {"reaction", 3}};
  if (components == 6) names.insert(names.end(), {{"rotation", 3}, {"reaction_moment", 3}});
  return names;
}

std::vector<Field> nodal_fields(int components, const std::vector<double>& u, const std::vector<double>& reaction) {
  std::vector<Field> fields = {{"displacement", 3, part_of(u, components, 0, 3)},
                               {"reaction", 3, part_of(reaction, components, 0, 3)}};
  if (components == 6) {
    fields.push_back({"rotation", 3, part_of(u, components, 3, 3)});
    fields.push_back({"reaction_moment", 3, part_of(reaction, components, 3, 3)});
  }
  return fields;
}

void print_forces(Run& run, const std::vector<double>& applied, const std::vector<double>& reaction,
                  double certificate) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < reaction.size(); ++i) sum[i % 3] += reaction[i];
  if (!applied.empty()) {
    const std::span<const double> loads(applied.data(), 3);
    run.log().line("loads: ({:.6g}), reactions: ({:.6g}), certificate {:.1e}", fmt::join(loads, ", "),
                   fmt::join(sum, ", "), certificate);
    run.facts()["applied_load"] = fmt::format("{:.10g}", fmt::join(loads, " "));
  }
  run.facts()["reaction"] = fmt::format("{:.10g}", fmt::join(sum, " "));
  run.facts()["residual_certificate"] = fmt::format("{:.3e}", certificate);
}

// The ground's forces on the structure: those of supports, and of springs that keep nothing (what others did to get
// here is not known any more). Of supports alone where memory is short.
std::vector<double> with_springs(Run& run, const FunctionSpace& space, const StructureModel& model, const Vector& u,
                                 std::vector<double> reaction) {
  std::vector<Integral> springs;
  std::ranges::copy_if(model.ground, std::back_inserter(springs),
                       [](const Integral& i) { return i.form.state_start.empty(); });
  if (springs.size() < model.ground.size())
    run.log().notice("reactions are those of supports and of springs without a state");
  if (springs.empty()) return reaction;
  try {
    Vector r = space.zeros();
    Operator(space, std::move(springs)).residual(u, r);
    const std::vector<double> forces = space.forces_to_mesh(r);
    for (std::size_t i = 0; i < reaction.size(); ++i) reaction[i] -= forces[i];
  } catch (const Error& error) {
    if (error.exit() != Exit::resources) throw;
    run.log().notice(fmt::format("reactions are those of supports, without springs: {}", error.message()));
  }
  return reaction;
}

// The sums of a linear solution's loads: what springs do where supports move their nodes is the ground's, and no load.
std::vector<double> without_springs(Run& run, const FunctionSpace& space, const StructureModel& model,
                                    const Constraints& held, const Vector& u, std::vector<double> applied) try {
  if (model.ground.empty()) return applied;
  Vector moved = space.zeros(), r = space.zeros();
  ritz::copy(u, moved);
  held.set_zero(moved);
  axpby(1.0, u, -1.0, moved);  // u where it is prescribed, else 0
  Operator(space, model.ground).residual(moved, r);
  const std::vector<double> forces = space.forces_to_mesh(r);
  for (std::size_t i = 0; i < forces.size(); ++i) applied[i % applied.size()] += forces[i];
  return applied;
} catch (const Error& error) {
  if (error.exit() != Exit::resources) throw;
  run.log().notice(fmt::format("loads hold what springs do where supports move their nodes: {}", error.message()));
  return applied;
}

void show(Run& run, const Operator& equations, const StructureModel& model,
          const std::vector<std::array<double, 3>>& along, const Vector& u, const std::vector<double>& reaction,
          const std::vector<double>& applied, double certificate, std::optional<double> time = {}) {
  const FunctionSpace& space = equations.space();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  std::vector<Field> nodal =
      nodal_fields(model.components, space.to_mesh(u), with_springs(run, space, model, u, reaction));
  print_peak(run, space.mesh(), "displacement", magnitudes(nodal[0].values));
  if (std::ranges::all_of(model.sections, [](const StructureSection& s) { return s.record->small_displacements; }))
    judge_displacements(run, space.mesh(), nodal[0].values, 3);
  print_forces(run, applied, nodal[1].values, certificate);
  phase.reset();
  EvaluatedFields derived = derive(run, equations, {{}, section_force_names(model, space.mesh().cell_count())}, [&] {
    return EvaluatedFields{{}, section_forces(run, equations, model, along, u)};
  });
  run.write(std::move(nodal), std::move(derived.cells), time);
}

void check_supports(Run& run, const Constraints& held) {
  try {
    check_held(held, RigidModes::solid);
  } catch (const Error& error) { run.input().add_error(error); }
}

// Shells and slender beams are ill-conditioned: factorised where they can be, to what double precision leaves of the
// residual.
LinearSolverOptions structure_solver(Run& run) {
  LinearSolverOptions solver = run.solver(MatrixPromise::positive_definite, 1e-6);
  if (solver.method == LinearMethod::automatic) solver.method = LinearMethod::direct;
  return solver;
}

// Loads along beams of load case i, or of a combination: those of all, and its own.
std::vector<std::array<double, 3>> summed(const StructureLoads& common, double factor,
                                          const std::vector<StructureLoads>& own, const std::vector<double>& factors) {
  std::vector<std::array<double, 3>> sum;
  const auto add = [&](const StructureLoads& loads, double weight) {
    if (sum.size() < loads.along.size()) sum.resize(loads.along.size());
    for (std::size_t i = 0; i < loads.along.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) sum[i][d] += weight * loads.along[i][d];
  };
  add(common, factor);
  for (std::size_t i = 0; i < factors.size(); ++i) add(own[i], factors[i]);
  return sum;
}

std::vector<std::array<double, 3>> scaled(std::vector<std::array<double, 3>> along, double factor) {
  for (std::array<double, 3>& each : along)
    for (double& component : each) component *= factor;
  return along;
}

void solve_linear_structure(Run& run, const Operator& equations, const StructureModel& model,
                            const LoadCaseInputs& inputs, const LoadCaseSupports& supports,
                            const StructureLoads& common, const std::vector<StructureLoads>& own,
                            const LinearSolverOptions& solver) {
  std::size_t shown = 0;
  solve_load_cases(run, equations, inputs, supports, solver, [&](const StaticSolution& s) {
    std::vector<double> factors(own.size(), 0.0);
    if (shown < own.size()) factors[shown] = 1;
    else if (!own.empty()) factors = inputs.combinations[shown - own.size()].factors;
    ++shown;
    show(run, equations, model, summed(common, 1, own, factors), s.u, s.reaction,
         without_springs(run, equations.space(), model, supports.common(), s.u, s.applied), s.certificate);
  });
}

void structure(Run& run) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh(true);
  const FormCatalogue catalogue(run.device(), load_plugins(run));
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const char* move_out = "move it out of the load case, or make two case files";
  LoadCaseInputs load_cases =
      read_load_cases(input, {"force", "line_load", "surface_load", "pressure", "gravity", "support"},
                      {{"section", move_out}, {"spring", move_out}, {"mass", move_out}});
  bool weighs = has_gravity(input.root());
  for (const LoadCaseInput& each : load_cases.cases) weighs = weighs || has_gravity(each.table);
  const StructureModel model = read_structure(run, mesh, catalogue, weighs);
  const std::vector<Prescription> held = read_structure_supports(input.root(), mesh, model.components);
  const StructureLoads common = read_structure_loads(input.root(), mesh, model);
  std::vector<StructureLoads> own;
  for (LoadCaseInput& each : load_cases.cases) {
    own.push_back(read_structure_loads(each.table, mesh, model));
    each.loads = own.back().integrals;
    each.prescribed = read_structure_supports(each.table, mesh, model.components);
  }
  phase.reset();
  const FunctionSpace& space = structure_space(run, mesh, model);
  phase.emplace(run.device().profile(), "model");
  const std::vector<std::uint8_t> touched = touched_unknowns(space, model.stiffness);
  Index untouched = 0;
  const LoadCaseSupports supports(space, held, load_cases,
                                  [&](Constraints& fixed) { untouched = hold_untouched(touched, fixed); });
  supports.check(input, load_cases);
  std::vector<Prescription> all = held;
  if (!load_cases.cases.empty()) std::ranges::copy(load_cases.cases.front().prescribed, std::back_inserter(all));
  if (!model.sections.empty()) check_supports(run, held_by(space, all, model));
  const LinearSolverOptions solver = structure_solver(run);
  const NewtonInput newton = read_newton(run, solver);
  const bool linear = model.linear && !newton.follows_a_path();
  if (!linear && model.linear && !load_cases.cases.empty())
    input.add_error(Error(Exit::model, "load cases along a path of [newton]",
                          "each load case is one state, under all of its loads",
                          "leave [newton] out, or the load cases"));
  if (!model.linear && !load_cases.cases.empty())
    input.add_error(Error(Exit::model, "load cases of a model with nonlinear elements",
                          "they share one matrix, which such elements change", "make a case file of each"));
  std::vector<Integral> integrals = model.stiffness;
  integrals.insert(integrals.end(), common.integrals.begin(), common.integrals.end());
  phase.reset();
  ForecastModel foreseen{.newton = !linear,
                         .increments = newton.options.increment_count(),
                         .factorised = solver.method == LinearMethod::direct,
                         .in_space = true,
                         .reuses = linear && run.shared().sweeps};
  count_load_cases(foreseen, integrals, load_cases, supports);
  forecast(run, space, integrals, foreseen);
  const std::vector<Field> nodal = nodal_names(model.components), cells = section_force_names(model, mesh.cell_count());
  finish_model(run, supports.all(), std::nullopt, {nodal, cells});
  if (untouched > 0) run.log().detail("{} unknowns on which no element acts are held at zero", untouched);

  const Operator& equations = make_operator(run, space, integrals);
  if (linear) return solve_linear_structure(run, equations, model, load_cases, supports, common, own, solver);
  solve_by_newton(run, equations, supports.common(), newton,
                  [&](const NonlinearSolution& s, double part, std::optional<double> time) {
                    show(run, equations, model, scaled(common.along, part), s.u, s.reaction, {}, s.certificate, time);
                  });
}

const char* example = R"([mesh]
file = "frame.msh"            # lines and quadrilaterals in space, with physical groups

[[section]]
region = "columns"
element = "beam"              # beam, bar, spring, shell, shell3, or one of your own (plugin = "my_element.cpp")
young = 210e9                 # Pa
poisson = 0.3
profile = "i"                 # or area, inertia_y, inertia_z, torsion, ... by themselves
height = 0.3                  # m, along the local y axis
width = 0.15
web = 0.007
flange = 0.011
orientation = [1, 0, 0]       # of the local y axis

[[section]]
region = "slab"
element = "shell"
young = 30e9
poisson = 0.2
thickness = 0.2

[[support]]
region = "feet"
fixed = true                  # or pinned = true, or some of x, y, z, rx, ry, rz

[[pressure]]
region = "slab"
value = 5000                  # Pa, against the normal

[[force]]
region = "corner"
value = [1e4, 0, 0]           # N
moment = [0, 0, 500]          # N m
)";

}  // namespace
}  // namespace ritz

int main(int argc, char** argv) {
  return ritz::run_app(
      argc, argv,
      {"ritz-structure", "Frames, trusses and shells: beams, bars, springs, shells, and elements of your own.",
       ritz::example},
      ritz::structure);
}
