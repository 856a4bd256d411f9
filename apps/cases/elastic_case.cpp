#include "apps/cases/elastic_case.hpp"

#include "apps/cases/deformation_fields.hpp"
#include "apps/cases/elastic_loads.hpp"
#include "apps/cases/elastic_materials.hpp"
#include "apps/cases/elastic_stresses.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/ground.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/path_energies.hpp"
#include "apps/cases/responses.hpp"
#include "apps/cases/rotation.hpp"
#include "apps/cases/time_input.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/results/evaluated_fields.hpp"
#include "apps/results/field_results.hpp"
#include "apps/results/probes.hpp"
#include "apps/show/field_component.hpp"
#include "apps/cases/mesh_error.hpp"
#include "apps/cases/peak_place.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/results/strain_variation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>

namespace ritz {
namespace {

// "plane_strain" in a mesh of two dimensions; in one of three there is no choice.
PlaneKind kind_of(const PlaneModel& plane) {
  return plane.type == "plane_stress" ? PlaneKind::stress
         : plane.axisymmetric         ? PlaneKind::axisymmetric
                                      : PlaneKind::strain;
}

// The same fields as functions of strain, then stress.
std::vector<DerivedResult> derived_stresses() {
  return {{{"stress", 6}, 6},
          {{"strain", 6}, 0},
          {{"von_mises", 1}, 6, StressMeasure::von_mises},
          {{"principal_stress", 3, {}, {"1", "2", "3"}}, 6, StressMeasure::principal, "", false}};
}

// Next to each greatest stress, on every mesh: a singular one does not converge, whatever the estimated error says.
void report_singular(Run& run, const std::string& what, const std::string& place) {
  const std::string told = fmt::format(
      "{} lies at {}: it grows with every finer mesh, and none is fine enough for it; judge stresses away from there",
      what, place);
  if (std::ranges::find(run.log().notices(), told) == run.log().notices().end()) run.log().notice(told);
  else run.log().line("{}", told);
}

void report_peaks(Run& run, const Mesh& mesh, const Model& model, std::span<const Field> stresses) {
  const std::vector<double>& von_mises = field_named(stresses, "von_mises").values;
  if (von_mises.empty()) return;
  print_peak(run, mesh, "von Mises stress", von_mises);
  const auto peak = std::ranges::max_element(von_mises);
  if (*std::ranges::min_element(von_mises) >= 0.999 * *peak) return;  // uniform: singular nowhere
  if (const std::string place = singular_place(mesh, model, static_cast<Node>(peak - von_mises.begin()));
      !place.empty()) {
    run.results().facts()["peak_stress_at"] = place;
    report_singular(run, "the peak stress", place);
  }
  std::set<std::string> told;
  for (const auto& [probe, node] : nodes_of_extremes(run.input(), mesh, {.nodal = stresses}))
    if (const std::string place = singular_place(mesh, model, node); !place.empty() && told.insert(probe).second)
      report_singular(run, fmt::format("the extreme of the probe '{}'", probe), place);
}

// Once in a run. Strains of heat vary in cells without stress, and the model of the estimate has isotropic materials.
void report_bending_cells(Run& run, const FunctionSpace& space, const ElasticBody& body, const Vector& u) {
  constexpr std::string_view start = "linear cells bend: ";
  if (body.has_laws() || body.has_axes() || body.has_thermal_strain() || body.is_mixed()) return;
  if (std::ranges::any_of(run.log().notices(), [&](const std::string& each) { return each.starts_with(start); }))
    return;
  const double share = strain_variation(space, u.host(), body.error_model());
  if (share <= too_much_variation) return;
  run.results().facts()["strain_variation"] = fmt::format("{:.4g}", share);
  run.log().notice(fmt::format(
      "{}{:.0f} % of the strain energy is in strains that vary across single cells, as where one cell over the "
      "height bends; linear cells are too stiff for that (shear locking), which makes displacements too small, by up "
      "to this share, and frequencies too high: write order = 2 under [space], or integration = \"incompatible_modes\" "
      "in its [[material]] (hexahedra and quadrilaterals), or take quadratic cells",
      start, 100 * share));
}

// Fields that the case asks for.
struct Asked {
  bool error = false;  // that of the discretisation
  DeformationMeasures measures = {};
};

EvaluatedFields derived_names(const ElasticBody& body, const Asked& asked) {
  EvaluatedFields names = result_names(body, asked.error);
  add(names_of(asked.measures), names);
  return names;
}

// field: the pressure of mixed materials, [mesh node]; null: there are none.
void show(Run& run, const CaseModel& read, const Operator& equations, const ElasticBody& body, const Asked& asked,
          const SolutionView& s, const std::vector<double>* field = nullptr) {
  const FunctionSpace& space = equations.space();
  const Mesh& mesh = space.mesh();
  const int dimension = mesh.dimension();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  std::vector<Field> nodal;
  nodal.push_back(run.results().fields().of("displacement", space, s.u));
  if (s.velocity != nullptr) nodal.push_back(run.results().fields().of("velocity", space, *s.velocity));
  if (s.acceleration != nullptr) nodal.push_back(run.results().fields().of("acceleration", space, *s.acceleration));
  print_peak(run, mesh, "displacement", magnitudes(nodal.front().values, dimension));
  if (!body.large_displacements) judge_displacements(run, mesh, nodal.front().values, dimension);
  phase.reset();
  std::optional<DiscretisationError> error;
  EvaluatedFields stresses = derive(run.results(), equations, derived_names(body, asked), [&] {
    if (asked.error) error = mesh_error(run, space, s.u, body.error_model());
    DerivedFields derived = derived_stresses(run.results(), read.model, equations, {s.u, s.part, s.factors});
    if (field != nullptr)
      add_stress(run.results(), body.stresses_of_pressure(run.device(), *field),
                 body.in_time ? s.time.value_or(0) : s.part, equations, s.u, derived);
    EvaluatedFields variables = internal_variables(run, equations, body, derived, s.u),
                    measures = deformation_fields(run.results(), equations, s.u, asked.measures, derived);
    EvaluatedFields fields = stress_fields(run.results(), space, std::move(derived));
    add(std::move(variables), fields);
    add(std::move(measures), fields);
    if (error) fields.cells.push_back({"stress_error", 1, std::move(error->magnitudes)});
    return fields;
  });
  phase.emplace(run.device().profile(), "fields");
  report_peaks(run, mesh, read.model, stresses.nodal);
  if (read.model.gone.empty()) report_bending_cells(run, space, body, s.u);
  if (error) {
    report_mesh_error(run, space, *error);
    run.results().facts()["strain_energy"] = fmt::format("{:.10g}", error->solution / 2);
  }
  GroundForces forces = ground_forces(run, read, s);
  const bool axisymmetric = read.model.rigid == RigidModes::axisymmetric;
  print_balance(run, forces.applied, forces.reaction, s.residual, dimension, axisymmetric);
  print_ground(run, read, s);
  if (forces.complete) check_balance(run, s, forces.applied, forces.reaction, dimension, axisymmetric);
  if (field != nullptr) {
    nodal.push_back({"pressure", 1, body.pressure(run.device(), *field, field_named(stresses.nodal, "stress").values)});
    print_range(run, mesh, "pressure", nodal.back().values);
  }
  std::ranges::move(stresses.nodal, std::back_inserter(nodal));
  nodal.push_back({.name = "reaction", .components = dimension, .values = std::move(forces.reaction), .forces = true});
  phase.reset();
  std::vector<std::pair<std::string, std::vector<double>>> energies = energies_of(s);
  if (s.energy != nullptr && !read.time) energies = path_energies(run, equations, body, s);
  run.results().write(std::move(nodal), std::move(stresses.cells), s.time, std::move(energies));
}

// Displacement and pressure: the first field with its forces is shown as the only one is.
void show_mixed(Run& run, const CaseModel& read, const FieldsOfModel& fields, const ElasticBody& body,
                const Asked& asked, const SolutionView& s) {
  const FieldsOperator& equations = *fields.equations;
  const auto of_displacement = [&](const Vector* x) {
    return x != nullptr ? std::optional(equations.layout().part(*x, 0)) : std::nullopt;
  };
  const Vector u = *of_displacement(&s.u);
  const std::optional<Vector> velocity = of_displacement(s.velocity), acceleration = of_displacement(s.acceleration);
  const std::vector<double> reaction = field_forces(equations, 0, s.reaction),
                            pressure = equations.space(1).to_mesh(equations.layout().part(s.u, 1));
  const SolutionView own{.u = u,
                         .reaction = reaction,
                         .residual = s.residual,
                         .tolerance = s.tolerance,
                         .factors = s.factors,
                         .notice = s.notice,
                         .part = s.part,
                         .time = s.time,
                         .velocity = velocity ? &*velocity : nullptr,
                         .acceleration = acceleration ? &*acceleration : nullptr,
                         .energy = s.energy};
  show(run, read, *equations.of_field(0), body, asked, own, &pressure);
}

// Keys and analyses that have one field.
void refuse_beside_mixed(Run& run, const CaseModel& read) {
  const Case::Table root = run.input().root();
  const char* why = "displacement and pressure are two fields, of which one has no mass";
  for (const char* key : {"modal", "inertia_relief", "gradient", "buckling"})
    if (root.has(key))
      root.refuse(ErrorKind::several_fields, key,
                  fmt::format("'{}' was given, and a material has formulation = \"mixed\"", key), why,
                  "omit it, or the formulation");
  if (wants_mesh_error(run)) throw_no_estimate_of(run.input(), "a mixed formulation");
  if (!read.model.means.empty() || !read.model.attached.empty())
    root.refuse(ErrorKind::several_fields, "coupling",
                "a [[coupling]] with a prescribed motion or a mass, and a "
                "material has formulation = \"mixed\"",
                "its force is found by one field alone",
                "load the coupling by force and moment, make the region rigid, or omit the formulation");
}

void check_mixed_solver(Run& run, const LinearSolverOptions& solver) {
  using Method = LinearMethod;
  const Case::Table table = run.input().table("solver", {});
  const Method m = solver.method;
  if (m != Method::automatic && m != Method::direct && m != Method::minres && m != Method::gmres)
    table.error(ErrorKind::several_fields, "method",
                fmt::format("'{}' was asked for, and a material has formulation = \"mixed\"", name_of(m)),
                "the matrix of displacement and pressure is not positive definite",
                "use 'minres', 'gmres', 'direct' or 'auto'");
  if (solver.preconditioner != PreconditionerKind::automatic)
    table.error(
        ErrorKind::several_fields, "preconditioner",
        fmt::format("'{}' was asked for, and a material has formulation = \"mixed\"", name_of(solver.preconditioner)),
        "displacement and pressure have a preconditioner each", "omit it");
}

// Displacements, and stresses without the loads.
MotionFields motion_fields(const CaseModel& read) {
  const FunctionSpace& space = read.space();
  return {
      .names = motion_stress_names(),
      .roots = {"von_mises"},
      .moved = [space](Run& run,
                       const Vector& u) { return std::vector{run.results().fields().of("displacement", space, u)}; },
      .derived = stresses_of_motion(space, read.model.equations)};
}

}  // namespace

namespace {

// Reads [rotation]; false: the body does not turn.
bool read_turning(Run& run, int dimension, const PlaneModel& plane, ElasticBody& body) {
  const std::optional<Rotation> rotation = read_rotation(run.input(), dimension, plane.axisymmetric);
  if (!rotation) return false;
  if (goes_through_time(run))
    run.input().root().error(ErrorKind::vibration, "rotation", "a body that turns, and [time]",
                             "Coriolis' forces of the motion are not in it", "give a [[body_force]], or find modes");
  body.rotates(*rotation);
  return true;
}

bool read_large_displacement(Run& run) {
  const bool large = run.input()
                         .table("model", "kind of model of the mesh")
                         .flag("large_displacement",
                               "rotations and strains are finite, and equilibrium is that of the deformed body; a "
                               "[[pressure]] follows its surface, other loads keep their direction and the size of "
                               "the undeformed body",
                               false);
  if (large) run.results().expect_large_strains();
  return large;
}

void refuse_estimates(Run& run, const ElasticBody& body) {
  if (body.has_laws()) throw_no_estimate_of(run.input(), "a law of materials, or large displacements");
  if (body.has_axes()) throw_no_estimate_of(run.input(), "a material along axes");
  if (body.has_thermal_strain()) throw_no_estimate_of(run.input(), "thermal stresses");
}

void name_results(const ElasticBody& body, int dimension, const Asked& asked, CaseModel& read) {
  const auto [stresses, cell_results] = derived_names(body, asked);
  read.nodal_results = {{"displacement", dimension}};
  if (read.time)
    read.nodal_results.insert(read.nodal_results.end(), {{"velocity", dimension}, {"acceleration", dimension}});
  if (body.is_mixed()) read.nodal_results.push_back({"pressure", 1});
  read.nodal_results.insert(read.nodal_results.end(), stresses.begin(), stresses.end());
  read.nodal_results.push_back({"reaction", dimension});
  read.cell_results = cell_results;
  read.derived_results = derived_stresses();
  read.what_acts =
      "[[traction]], [[pressure]], [[force]], [[moment]], [[body_force]], gravity, [rotation], [thermal], or a "
      "[[displacement]] "
      "that is not 0";
}

void show_as_mixed(Run& run, const ElasticBody& body, const Asked& asked, CaseModel& read) {
  refuse_beside_mixed(run, read);
  read.check_solver = check_mixed_solver;
  // The model is copied by those who solve it; what is shown knows its loads.
  const auto shown =
      std::make_shared<CaseModel>(CaseModel{.model = read.model, .time = read.time, .reader = read_elasticity});
  read.show_fields = [body, asked, shown](Run& run, const FieldsOfModel& fields, const SolutionView& s) {
    show_mixed(run, *shown, fields, body, asked, s);
  };
}

void show_results(Run& run, const ElasticBody& body, int dimension, CaseModel& read) {
  const Asked asked{wants_mesh_error(run), read_measures(run, body.large_displacements)};
  if (asked.error) refuse_estimates(run, body);
  name_results(body, dimension, asked, read);
  read.has_energies = !read.time;
  read.why_no_energies = why_no_energies(body);
  read.show = [asked, body](Run& run, const CaseModel& shown, const Operator& equations, const SolutionView& s) {
    show(run, shown, equations, body, asked, s);
  };
  if (body.is_mixed()) show_as_mixed(run, body, asked, read);
}

void report_missing_waves(Run& run) {
  run.log().notice(
      "modes of the axisymmetric model keep the shape of revolution (n = 0 waves around, without torsion); those with "
      "waves around may be lower: [modal] nodal_diameters finds them, and torsion");
}

// A body of revolution with waves around has supports and ties alone.
void refuse_beside_waves(Run& run) {
  const Case::Table root = run.input().root();
  if (run.step().continues())
    run.input()
        .table("modal", "")
        .refuse(ErrorKind::modal_options, "nodal_diameters",
                "waves around a body of revolution in a step after the first", "its state has other unknowns",
                "make it a case with preload = true");
  for (const char* key : {"rigid", "periodic", "gap"})
    if (root.has(key))
      root.refuse(ErrorKind::modal_options, key,
                  fmt::format("[[{}]], and [modal] nodal_diameters of a body of revolution", key),
                  "it joins displacements that are the same all around", "omit it, or use [[tie]] or [[displacement]]");
}

}  // namespace

CaseModel read_elasticity(Run& run) {
  if (vibrates(run)) return read_elastic_vibration(run);
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const int dimension = mesh.dimension();
  const PlaneModel plane = plane_model(run, mesh, {"plane_strain", "plane_stress", "axisymmetric"}, "");
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, dimension);
  phase.emplace(run.device().profile(), "model");
  const char* move_out = "move it out of the load case, or make two case files";
  CaseModel read{.relieved = run.input().root().has("inertia_relief"), .reader = read_elasticity};
  read.gradient = read_gradient(run, mesh);
  if (goes_through_time(run)) read.time = read_motion(run, dimension, 0);
  read.load_cases = read_load_cases(
      run.input(), {"gravity", "body_force", "traction", "force", "pressure", "thermal", "displacement"},
      relation_tables({{"material", move_out}, {"model", move_out}, {"foundation", move_out}, {"spring", move_out}}));
  ElasticBody body(mesh, kind_of(plane), plane.weight);
  body.large_displacements = read_large_displacement(run);
  body.in_time = read.time.has_value() || path_takes_time(run);
  read_turning(run, dimension, plane, body);
  bool weighs = read_gravity(run.input().root(), dimension, body.loads);
  std::vector<ElasticLoads*> own;
  for (const LoadCaseInput& each : read.load_cases.cases) {
    own.push_back(&body.load_case(each.name));
    weighs = read_gravity(each.table, dimension, *own.back()) || weighs;
  }
  read_elastic_materials(run, mesh, "[kg/m^3], needed with gravity, [time] and [inertia_relief]",
                         weighs || read.time.has_value() || read.relieved, body);
  read_ground(run.input(), mesh, body);
  read_loads_on_body(run.input().root(), mesh, body.loads);
  read_thermal(run, run.input().root(), body.loads);
  for (std::size_t i = 0; i < own.size(); ++i) {
    read_loads_on_body(read.load_cases.cases[i].table, mesh, *own[i]);
    read_thermal(run, read.load_cases.cases[i].table, *own[i]);
    read_displacements(read.load_cases.cases[i].table, mesh, dimension, false, *own[i], nullptr);
  }
  refuse_warming_laws(run, body);
  std::vector<ObliqueSupport> oblique;
  read_displacements(run.input().root(), mesh, dimension, false, body.loads, &oblique);
  std::vector<Point> gravity = {body.loads.acceleration()};
  for (const ElasticLoads* each : own) gravity.push_back(each->acceleration());
  make_model(run, body, space,
             {.displacements = true,
              .masses = true,
              .gravity = gravity,
              .of_revolution = plane.axisymmetric,
              .large = body.large_displacements},
             oblique, read);
  check_rotation(run.input(), read.model);
  if (read.time) read_damping(run.input(), read.model);
  show_results(run, body, dimension, read);
  return read;
}

namespace {

// Loads of a body that vibrates: a preload, or those that excite. Gravity [m/s^2] outside of load cases, then in each.
struct VibrationLoads {
  bool outside;  // do loads outside of load cases act?
  std::vector<Point> gravity;
};

VibrationLoads read_vibration_loads(Run& run, bool answers, CaseModel& read, ElasticBody& body) {
  const Mesh& mesh = run.mesh();
  VibrationLoads result{read.preloaded || (answers && outside_loads_excite(run, read)), {}};
  if (result.outside) {
    read_gravity(run.input().root(), mesh.dimension(), body.loads);
    read_loads_on_body(run.input().root(), mesh, body.loads);
  }
  result.gravity.push_back(body.loads.acceleration());
  if (!answers) return result;
  read.load_cases = read_exciting_loads(run, {"gravity", "body_force", "traction", "force", "pressure"},
                                        relation_tables({{"material", "move it out of the load case"}}));
  for (const LoadCaseInput& each : read.load_cases.cases) {
    ElasticLoads& own = body.load_case(each.name);
    read_gravity(each.table, mesh.dimension(), own);
    read_loads_on_body(each.table, mesh, own);
    result.gravity.push_back(own.acceleration());
  }
  return result;
}

}  // namespace

CaseModel read_elastic_vibration(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const PlaneModel plane = plane_model(run, mesh, {"plane_strain", "plane_stress", "axisymmetric"}, "");
  ElasticBody body(mesh, kind_of(plane), plane.weight);
  body.large_displacements = read_large_displacement(run);
  body.pressures_follow = false;  // what their turning adds to the stiffness is not symmetric
  CaseModel read{.modes = true, .preloaded = has_preload(run)};
  body.waves = plane.axisymmetric && has_nodal_diameters(run);
  const bool turns = read_turning(run, mesh.dimension(), plane, body);
  read.preloaded = read.preloaded || (turns && !run.step().continues());
  const bool stressed = read.preloaded || run.step().continues(), answers = responds(run);
  if (body.waves) refuse_beside_waves(run);
  if (turns && !run.input().root().has("complex"))
    run.log().notice("modes of the body that turns are without Coriolis' forces; [complex] finds those with them");
  const VibrationLoads loads = read_vibration_loads(run, answers, read, body);
  read_elastic_materials(run, mesh, "[kg/m^3]", true, body);
  if (body.is_mixed()) refuse_beside_mixed(run, read);
  read_thermal(run, run.input().root(), body.loads);
  read_ground(run.input(), mesh, body);
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, body.components());
  phase.emplace(run.device().profile(), "model");
  std::vector<ObliqueSupport> oblique;
  read_displacements(run.input().root(), mesh, body.components(), !stressed, body.loads, &oblique);
  make_model(run, body, space,
             {.displacements = !body.waves,
              .periodic = !body.waves,
              .at_rest = true,
              .loaded = loads.outside,
              .masses = true,
              .gravity = loads.gravity,
              .of_revolution = plane.axisymmetric,
              .large = body.large_displacements && stressed},
             oblique, read);
  check_rotation(run.input(), read.model);
  const auto is_thermal = [](const Integral& each) { return !each.form.has_matrix && each.form.derived > 0; };
  if (!stressed && std::erase_if(read.model.equations, is_thermal) > 0)
    run.log().notice("thermal strain changes no frequency here: give [modal] preload = true for its stresses");
  if (plane.axisymmetric && !body.waves) report_missing_waves(run);
  if (answers) read.motion = motion_fields(read);
  if (read.model.gone.empty() && !body.waves)
    read.judge_shape = [body, space](Run& run, const Vector& shape) { report_bending_cells(run, space, body, shape); };
  read.mass = [body, attached = read.attached_mass, whole = read.model.gone.empty()] {
    const std::optional<double> mass = whole ? body.mass() : std::nullopt;
    return mass ? std::optional(*mass + attached) : mass;
  };
  return read;
}

}  // namespace ritz
