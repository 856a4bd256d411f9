#include "apps/cases/structures/structure_case.hpp"

#include "apps/cases/ground.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/responses.hpp"
#include "apps/cases/rotation.hpp"
#include "apps/cases/time_input.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/show/field_component.hpp"
#include "apps/cases/structures/body_case.hpp"
#include "apps/cases/structures/section_forces.hpp"
#include "apps/cases/structures/structure_inputs.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace ritz {
namespace {

std::vector<Field> nodal_names(int components, bool moves) {
  std::vector<Field> names = {{"displacement", 3}, {"reaction", 3}};
  if (components == 6) names.insert(names.end(), {{"rotation", 3}, {"reaction_moment", 3}});
  if (moves) names.insert(names.end(), {{"velocity", 3}, {"acceleration", 3}});
  if (moves && components == 6) names.insert(names.end(), {{"angular_velocity", 3}, {"angular_acceleration", 3}});
  return names;
}

// Translations, and rotations where there are any.
void add_rates(const FunctionSpace& space, const Vector* rate, const char* name, const char* angular,
               std::vector<Field>& fields) {
  if (rate == nullptr) return;
  const std::vector<double> values = space.to_mesh(*rate);
  fields.push_back({name, 3, part_of(values, space.components(), 0, 3)});
  if (space.components() == 6) fields.push_back({angular, 3, part_of(values, 6, 3, 3)});
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

void print_forces(Run& run, const std::vector<double>& applied, const std::vector<double>& reaction, double residual) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < reaction.size(); ++i) sum[i % 3] += reaction[i];
  if (!applied.empty()) {
    const std::span<const double> loads(applied.data(), 3);
    const double largest = std::max(largest_of(loads), largest_of(sum));
    run.log().line("loads: ({:.6g}) N, reactions: ({:.6g}) N, relative residual {:.1e}",
                   fmt::join(without_rounding(loads, largest), ", "), fmt::join(without_rounding(sum, largest), ", "),
                   residual);
    run.results().facts()["applied_load"] = fmt::format("{:.10g}", fmt::join(loads, " "));
  }
  run.results().facts()["reaction"] = fmt::format("{:.10g}", fmt::join(sum, " "));
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", residual);
}

// The data that results of a structure need beside its model.
struct StructureView {
  std::shared_ptr<const FormCatalogue> catalogue;
  Frames frames;
  std::vector<StructureSection> sections;
};

void show(Run& run, const Operator& equations, const StructureView& view, const CaseModel& read,
          const SolutionView& s) {
  const FunctionSpace& space = equations.space();
  const int components = space.components();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  const GroundForces forces = ground_forces(run, read, s);
  std::vector<Field> nodal = nodal_fields(components, space.to_mesh(s.u), forces.reaction);
  add_rates(space, s.velocity, "velocity", "angular_velocity", nodal);
  add_rates(space, s.acceleration, "acceleration", "angular_acceleration", nodal);
  print_peak(run, space.mesh(), "displacement", magnitudes(nodal[0].values, 3));
  if (std::ranges::all_of(view.sections,
                          [](const StructureSection& section) { return section.record->small_displacements; }))
    judge_displacements(run, space.mesh(), nodal[0].values, 3);
  print_forces(run, forces.applied, nodal[1].values, s.residual);
  if (forces.complete && !forces.applied.empty())
    check_balance(run, s, std::span(forces.applied).first(3), nodal[1].values, 3, false);
  phase.reset();
  EvaluatedFields derived =
      derive(run.results(), equations, {{}, section_force_names(view.sections, space.mesh().cell_count())}, [&] {
        const std::vector<Vector3> along = view.frames.along_beams(s.part, s.factors);
        return EvaluatedFields{{}, section_forces(run, equations, view.sections, along, s.u)};
      });
  run.results().write(std::move(nodal), std::move(derived.cells), s.time, energies_of(s));
}

// Displacements with rotations, and section forces.
MotionFields motion_fields(const CaseModel& read, std::shared_ptr<const StructureView> view) {
  const FunctionSpace& space = read.space();
  MotionFields fields{.names = {{}, section_force_names(view->sections, space.mesh().cell_count())}};
  fields.moved = [space](Run&, const Vector& u) {
    std::vector<Field> moved;
    add_rates(space, &u, "displacement", "rotation", moved);
    return moved;
  };
  // The view has the catalogue of their forms.
  fields.derived = [view, forces = section_forces_of_motion(space, read.model.equations, view->sections)](
                       Run& run, const Vector& u) { return forces(run, u); };
  return fields;
}

void add_inertia(Case& input, const Frames& frames, Model& model) {
  ErrorList unknown;
  model.inertia = frames.inertia(unknown);
  for (const Error& error : unknown.errors()) input.add_error(error);
}

const FunctionSpace& structure_space(Run& run, const Mesh& mesh, int components) {
  return run.shared().space_for(fmt::format("{}", components), [&] {
    auto phase = run.device().profile().phase("space");
    return FunctionSpace(mesh, components, run.device());
  });
}

}  // namespace

CaseModel read_structure(Run& run) {
  if (vibrates(run)) return read_structure_vibration(run);
  if (run.input().root().has("material")) return read_body(run);
  Case& input = run.input();
  const Mesh& mesh = run.mesh(true);
  auto view = std::make_shared<StructureView>(std::make_shared<const FormCatalogue>(run.device(), load_plugins(run)),
                                              Frames(mesh));
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const char* move_out = "move it out of the load case, or make two case files";
  CaseModel read{.relieved = input.root().has("inertia_relief"), .reader = read_structure};
  read.load_cases = read_load_cases(input, {"force", "line_load", "surface_load", "pressure", "gravity", "support"},
                                    relation_tables({{"section", move_out}, {"spring", move_out}, {"mass", move_out}}));
  const bool moves = goes_through_time(run);
  bool weighs = moves || read.relieved || has_gravity(input.root());
  for (const LoadCaseInput& each : read.load_cases.cases) weighs = weighs || has_gravity(each.table);
  Frames& frames = view->frames;
  view->sections = read_sections(run, mesh, view->catalogue, weighs, frames);
  read_structure_supports(input.root(), mesh, false, frames.components(), frames.loads);
  read_structure_loads(input.root(), mesh, frames.loads);
  std::vector<Point> gravity = {frames.loads.acceleration()};
  for (const LoadCaseInput& each : read.load_cases.cases) {
    FrameLoads& own = frames.load_case(each.name);
    read_structure_loads(each.table, mesh, own);
    gravity.push_back(own.acceleration());
    read_structure_supports(each.table, mesh, false, frames.components(), own);
  }
  phase.reset();
  const FunctionSpace& space = structure_space(run, mesh, frames.components());
  phase.emplace(run.device().profile(), "model");
  if (moves) read.time = read_motion(run, 3, space.components() - 3);
  make_model(run, frames, space,
             {.displacements = true, .periodic = false, .masses = true, .gravity = std::move(gravity)}, {}, read);
  read.model.inertia.clear();
  if (moves) read_damping(input, read.model);
  if (moves || read.relieved) add_inertia(input, frames, read.model);
  if (const Index untouched = read.supports->untouched(); untouched > 0)
    run.log().detail("{} unknowns on which no element acts are held at zero", untouched);
  read.nodal_results = nodal_names(space.components(), moves);
  read.cell_results = section_force_names(view->sections, mesh.cell_count());
  read.what_acts =
      "[[force]], [[line_load]], [[surface_load]], [[pressure]], gravity, or a [[support]] with a value that is not 0";
  read.show = [view](Run& run, const CaseModel& shown, const Operator& equations, const SolutionView& s) {
    show(run, equations, *view, shown, s);
  };
  return read;
}

CaseModel read_structure_vibration(Run& run) {
  if (run.input().root().has("material")) return read_body_vibration(run);
  const Mesh& mesh = run.mesh(true);
  auto view = std::make_shared<StructureView>(std::make_shared<const FormCatalogue>(run.device(), load_plugins(run)),
                                              Frames(mesh));
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  Frames& frames = view->frames;
  view->sections = read_sections(run, mesh, view->catalogue, true, frames);
  if (const std::optional<Rotation> rotation = read_rotation(run.input(), 3, false)) {
    frames.rotates(*rotation);
    if (!run.input().root().has("complex"))
      run.input().root().error(ErrorKind::vibration, "rotation", "a shaft that turns, without [complex]",
                               "gyroscopic forces join modes", "add [complex]");
  }
  CaseModel read{.modes = true, .preloaded = has_preload(run)};
  read_structure_supports(run.input().root(), mesh, !read.preloaded && !run.step().continues(), frames.components(),
                          frames.loads);
  const bool answers = responds(run);
  const bool loaded = read.preloaded || (answers && outside_loads_excite(run, read));
  if (loaded) read_structure_loads(run.input().root(), mesh, frames.loads);
  std::vector<Point> gravity = {frames.loads.acceleration()};
  if (answers) {
    read.load_cases = read_exciting_loads(run, {"force", "line_load", "surface_load", "pressure", "gravity"},
                                          relation_tables({{"section", "move it out of the load case"}}));
    for (const LoadCaseInput& each : read.load_cases.cases) {
      FrameLoads& own = frames.load_case(each.name);
      read_structure_loads(each.table, mesh, own);
      gravity.push_back(own.acceleration());
    }
  }
  phase.reset();
  const FunctionSpace& space = structure_space(run, mesh, frames.components());
  phase.emplace(run.device().profile(), "model");
  make_model(
      run, frames, space,
      {.displacements = true, .periodic = false, .at_rest = true, .loaded = loaded, .masses = true, .gravity = gravity},
      {}, read);
  check_rotation(run.input(), read.model);
  add_inertia(run.input(), frames, read.model);
  if (answers) read.motion = motion_fields(read, view);
  return read;
}

}  // namespace ritz
