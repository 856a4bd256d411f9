#include "apps/cases/structures/body_case.hpp"

#include "apps/cases/elastic_loads.hpp"
#include "apps/cases/elastic_materials.hpp"
#include "apps/cases/elastic_stresses.hpp"
#include "apps/cases/ground.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/plugins.hpp"
#include "apps/cases/regions_of_fields.hpp"
#include "apps/cases/relations.hpp"
#include "apps/cases/responses.hpp"
#include "apps/cases/structures/section_forces.hpp"
#include "apps/cases/structures/structure_inputs.hpp"
#include "apps/cases/time_input.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/results/field_results.hpp"
#include "apps/show/field_component.hpp"
#include "fem/physics/body.hpp"
#include "mesh/facets.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

namespace ritz {
namespace {

// Data that results of a body need in addition to its model.
struct BodyView {
  std::shared_ptr<const FormCatalogue> catalogue;
  Body body;
  std::vector<StructureSection> sections = {};
  BodyView(std::shared_ptr<const FormCatalogue> of, const Mesh& mesh, const std::vector<Index>& cells)
      : catalogue(std::move(of)), body(mesh, cells) {}
};

void refuse_other_keys(Run& run) {
  const Case::Table root = run.input().root();
  if (root.has("gradient"))
    root.refuse(ErrorKind::solids_and_sections, "gradient",
                "'gradient' was given, and the mesh has volumes among lines and surfaces",
                "derivatives are those of models of one field",
                "omit it, or model the parts as solids alone (ritz-elasticity) or sections alone");
}

// Methods and preconditioners that models of several fields have.
void check_body_solver(Run& run, const LinearSolverOptions& solver) {
  using Method = LinearMethod;
  const Case::Table table = run.input().table("solver", {});
  const char* why = "solids and sections are two fields, each with its preconditioner";
  if (const Method m = solver.method;
      m != Method::automatic && m != Method::direct && m != Method::minres && m != Method::gmres)
    table.error(ErrorKind::solids_and_sections, "method",
                fmt::format("'{}' was asked for, and the case has solids and sections", name_of(m)), why,
                "use 'direct', 'minres', 'gmres' or 'auto'");
  if (solver.preconditioner != PreconditionerKind::automatic)
    table.error(ErrorKind::solids_and_sections, "preconditioner",
                fmt::format("'{}' was asked for, and the case has solids and sections", name_of(solver.preconditioner)),
                why, "omit it");
}

// Cells of all [[section]]s; of a survey all that may have one.
std::vector<Index> cells_with_sections(Run& run, const Mesh& mesh) {
  std::set<Index> cells;
  for (const Case::Table& t :
       run.input().tables("section", "element and section of lines and surfaces of the mesh", {.minimum_count = 1}))
    if (const Region* region = t.region("region", "lines or surfaces", mesh, {RegionKind::cells}))
      cells.insert(region->cells.begin(), region->cells.end());
  std::erase_if(cells, [&](Index cell) { return traits(mesh.kind_of(cell)).dimension == 3; });
  return {cells.begin(), cells.end()};
}

// Surfaces without a section name faces of solids; others carry nothing.
void check_surfaces(Run& run, const Mesh& mesh, const std::vector<Index>& with_section, const MeshPart& solids) {
  std::vector<CellBlock> surfaces;
  std::vector<Index> numbers;
  for (const CellBlock& block : mesh.blocks())
    if (traits(block.kind).dimension == 2) surfaces.push_back(block);
  MeshData data{.points = {}, .blocks = {solids.mesh.blocks().begin(), solids.mesh.blocks().end()}};
  data.points.assign(mesh.points().begin(), mesh.points().end());
  Index unmatched = 0, count = 0, first = -1;
  const std::vector<FacetOfCell> facets = match_facets(data, surfaces, unmatched);
  std::size_t next = 0;
  for (const CellBlock& block : surfaces)
    for (Index i = 0; i < block.cell_count(); ++i) {
      const Index cell = block.first_cell + i;
      if (facets[next++].cell >= 0 || std::ranges::binary_search(with_section, cell)) continue;
      if (count++ == 0) first = cell;
    }
  if (count > 0)
    run.input().add_error(Error(ErrorKind::missing_material,
                                fmt::format("{} surface cells have no section and are no faces of solids", count),
                                fmt::format("the first is cell {} of kind {}", first, traits(mesh.kind_of(first)).name),
                                "add a [[section]] for them, or remove them from the mesh"));
}

constexpr auto all_kinds = {RegionKind::facets, RegionKind::nodes, RegionKind::cells};

// Loads and supports of the case or of a load case, each given to the solids or to the frames.
class BodyReader {
 public:
  BodyReader(Run& run, const Mesh& mesh, const Body& body) : run_(run), mesh_(mesh), body_(body) {}

  void read_supports(const Case::Table& from, bool at_rest, ElasticLoads& solids, FrameLoads& frames) const {
    for (const Case::Table& t : from.tables("support", "prescribed displacements and rotations"))
      hold(t, at_rest, solids, frames);
  }

  void read_loads(const Case::Table& from, ElasticLoads& solids, FrameLoads& frames) const {
    read_gravity(from, 3, solids);
    read_weight(from, frames);
    read_thermal(run_, from, solids);
    read_densities_on_body(from, body_.solid_part.mesh, solids);
    read_densities_on_structure(from, body_.frame_part.mesh, frames);
    for (const Case::Table& t :
         from.tables("force", "force in total: on faces or at nodes of solids, or with a moment at nodes of sections"))
      if (is_of_frames(t, "nodes, or cells or edges whose nodes are meant; facets of solids"))
        read_force_on_structure(t, body_.frame_part.mesh, frames);
      else read_force_on_body(t, body_.solid_part.mesh, solids);
    for (const Case::Table& t : from.tables("pressure", "pressure into solids, or on shells, against their normals"))
      if (is_of_frames(t, "facets of solids, or shells")) read_pressure_on_shells(t, body_.frame_part.mesh, frames);
      else read_pressure_on_body(t, body_.solid_part.mesh, solids);
  }

 private:
  const Region* named(const Case::Table& t, const char* about) const {
    return t.region("region", about, mesh_, all_kinds);
  }

  // Has the place nodes or cells of sections? Faces of solids that sections touch have none: those follow the solid.
  bool is_of_frames(const Case::Table& t, const char* about) const {
    const Region* whole = named(t, about);
    const bool of_frames = region_in(body_.frame_part.mesh, whole, {RegionKind::cells, RegionKind::nodes}) != nullptr;
    const bool is_face = region_in(body_.solid_part.mesh, whole, {RegionKind::facets}) != nullptr;
    return of_frames && !is_face;
  }

  void hold(const Case::Table& t, bool at_rest, ElasticLoads& solids, FrameLoads& frames) const {
    const Region* whole = named(t, "facets, nodes, or cells or edges whose nodes are meant");
    const Region* of_solids = region_in(body_.solid_part.mesh, whole, all_kinds);
    const Region* of_frames = region_in(body_.frame_part.mesh, whole, all_kinds);
    read_support(t, at_rest, of_frames != nullptr ? body_.frames.components() : 3, "solids have displacements alone",
                 [&](int c, const Coefficient& value) {
                   if (of_solids != nullptr && c < 3) solids.displacement(of_solids, c, value, t.where());
                   if (of_frames != nullptr) frames.support(of_frames, c, value, t.where());
                 });
  }

  Run& run_;
  const Mesh& mesh_;
  const Body& body_;
};

// [component] forces of integrals without a matrix, and of springs on the body.
std::array<double, 3> sum_of_forces(const Spaces& spaces, const std::vector<Integral>& integrals, const Vector* u,
                                    const Layout& layout) {
  std::array<double, 3> sum{};
  for (std::size_t k = 0; k < spaces.size(); ++k) {
    std::vector<Integral> own = of_field(integrals, static_cast<int>(k));
    if (own.empty()) continue;
    const FunctionSpace& space = spaces[k];
    Vector r = space.zeros();
    Operator(space, std::move(own)).residual(u != nullptr ? layout.part(*u, static_cast<int>(k)) : space.zeros(), r);
    const std::vector<double> forces = r.host();
    for (std::size_t i = 0; i < forces.size(); ++i)
      if (const std::size_t c = i % static_cast<std::size_t>(space.components()); c < 3) sum[c] -= forces[i];
  }
  return sum;
}

// A part of the loads outside of load cases, those of load cases times their factors, and those that prescribed means
// take.
std::array<double, 3> applied_loads(const Model& model, const SolutionView& s, const Layout& layout) {
  const Spaces spaces = model.spaces();
  std::array<double, 3> sum = sum_of_forces(spaces, loads_among(model.equations), nullptr, layout);
  for (double& each : sum) each *= s.part;
  for (std::size_t i = 0; i < s.factors.size(); ++i) {
    const std::array<double, 3> own = sum_of_forces(spaces, model.load_cases[i].loads, nullptr, layout);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += s.factors[i] * own[d];
  }
  for (std::size_t i = 0; i < s.mean_loads.size(); ++i) {
    const std::array<double, 3> own = sum_of_forces(spaces, {model.means[i].load}, nullptr, layout);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += s.mean_loads[i] * own[d];
  }
  return sum;
}

// relieved: inertia balances the loads, and reactions are of what supports hold.
void report_balance(Run& run, const Model& model, const SolutionView& s, const Layout& layout,
                    std::vector<double> reaction, bool relieved) {
  if (relieved) return print_balance(run, {}, reaction, s.residual, 3);
  const std::array<double, 3> applied = applied_loads(model, s, layout);
  std::vector<Integral> springs;
  for (const Exchange& each : model.exchanges) springs.push_back(each.integral);
  const std::array<double, 3> ground = sum_of_forces(model.spaces(), springs, &s.u, layout);
  for (std::size_t d = 0; d < 3; ++d) reaction[d] += ground[d];  // of no particular node
  print_balance(run, applied, reaction, s.residual, 3);
  check_balance(run, s, applied, reaction, 3, false);
}

// A field in cells of a part, given there, as one of the whole mesh.
void place_in_whole(const MeshPart& part, const Mesh& mesh, Field& field) {
  if (!field.values.empty()) field.values = part.in_whole(field.values, field.components, mesh.cell_count());
  std::vector<char> given(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (std::size_t i = 0; i < part.cells.size(); ++i)
    given[static_cast<std::size_t>(part.cells[i])] = field.given.empty() ? 1 : field.given[i];
  field.given = std::move(given);
}

void show(Run& run, const BodyView& view, const CaseModel& read, const FieldsOfModel& fields, const SolutionView& s) {
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  const FieldsOperator& equations = *fields.equations;
  const Mesh& mesh = run.mesh(true);
  const auto components = static_cast<std::size_t>(equations.space(1).components());
  std::vector<Field> nodal;
  for (const auto& [values, name, angular] : {std::tuple{&s.u, "displacement", "rotation"},
                                              {s.velocity, "velocity", "angular_velocity"},
                                              {s.acceleration, "acceleration", "angular_acceleration"}}) {
    if (values == nullptr) continue;
    BodyMotion motion = motion_of(equations.spaces(), *values);
    nodal.push_back({name, 3, std::move(motion.displacement)});
    if (!motion.rotation.empty()) nodal.push_back({angular, 3, std::move(motion.rotation)});
  }
  std::vector<double> reaction = field_forces(equations, 0, s.reaction);
  const std::vector<double> of_frames = field_forces(equations, 1, s.reaction);
  for (std::size_t i = 0; i < of_frames.size(); ++i)
    if (i % components < 3) reaction[i / components * 3 + i % components] += of_frames[i];
  print_peak(run, mesh, "displacement", magnitudes(nodal[0].values, 3));
  judge_displacements(run, mesh, nodal[0].values, 3);
  if (!s.time) report_balance(run, read.model, s, equations.layout(), reaction, read.relieved);
  nodal.push_back({.name = "reaction", .components = 3, .values = std::move(reaction), .forces = true});
  if (components == 6) nodal.push_back({"reaction_moment", 3, part_of(of_frames, 6, 3, 3)});
  phase.reset();
  const Operator& solids = *equations.of_field(0);
  const EvaluatedFields names = result_names(view.body.solids, false);
  EvaluatedFields derived = derive(run.results(), solids, names, [&] {
    const Vector u = equations.layout().part(s.u, 0);
    DerivedFields of_solids = derived_stresses(run.results(), read.model, solids, {u, s.part, s.factors});
    EvaluatedFields kept = internal_variables(run, solids, view.body.solids, of_solids, u);
    EvaluatedFields fields = stress_fields(run.results(), solids.space(), std::move(of_solids));
    std::ranges::move(kept.nodal, std::back_inserter(fields.nodal));
    std::ranges::move(kept.cells, std::back_inserter(fields.cells));
    return fields;
  });
  for (Field& field : derived.nodal) field.finer_values.clear();  // their cells are numbered apart from the mesh's
  for (Field& field : derived.cells) place_in_whole(view.body.solid_part, mesh, field);
  if (const Field& von_mises = field_named(derived.nodal, "von_mises"); !von_mises.values.empty())
    print_peak(run, mesh, "von Mises stress", von_mises.values);
  const Operator& frames = *equations.of_field(1);
  EvaluatedFields sections = derive(
      run.results(), frames, {{}, section_force_names(view.sections, view.body.frame_part.mesh.cell_count())}, [&] {
        const std::vector<Vector3> along = view.body.frames.along_beams(s.part, s.factors);
        return EvaluatedFields{{}, section_forces(run, frames, view.sections, along, equations.layout().part(s.u, 1))};
      });
  for (Field& field : sections.cells) {
    place_in_whole(view.body.frame_part, mesh, field);
    derived.cells.push_back(std::move(field));
  }
  std::ranges::move(derived.nodal, std::back_inserter(nodal));
  run.results().write(std::move(nodal), std::move(derived.cells), s.time, energies_of(s));
}

// Names of the results; cells of the whole mesh have values where their part has.
void name_body_results(const BodyView& view, const Mesh& mesh, CaseModel& read) {
  const EvaluatedFields stresses = result_names(view.body.solids, false);
  const bool turns = view.body.frames.components() == 6;
  read.nodal_results = {{"displacement", 3}, {"reaction", 3}};
  if (turns) read.nodal_results.insert(read.nodal_results.end(), {{"rotation", 3}, {"reaction_moment", 3}});
  if (read.time) read.nodal_results.insert(read.nodal_results.end(), {{"velocity", 3}, {"acceleration", 3}});
  if (read.time && turns)
    read.nodal_results.insert(read.nodal_results.end(), {{"angular_velocity", 3}, {"angular_acceleration", 3}});
  read.nodal_results.insert(read.nodal_results.end(), stresses.nodal.begin(), stresses.nodal.end());
  read.cell_results = stresses.cells;
  for (Field& field : read.cell_results) place_in_whole(view.body.solid_part, mesh, field);
  for (Field field : section_force_names(view.sections, view.body.frame_part.mesh.cell_count())) {
    place_in_whole(view.body.frame_part, mesh, field);
    read.cell_results.push_back(std::move(field));
  }
}

// Displacements with rotations, stresses in solids and section forces in sections.
MotionFields motion_fields(const CaseModel& read, const std::shared_ptr<const BodyView>& view, const Mesh& mesh) {
  const Spaces spaces = read.model.spaces();
  const auto in_whole = [view, &mesh](EvaluatedFields of_solids, std::vector<Field> of_sections) {
    for (Field& field : of_solids.nodal) field.finer_values.clear();  // their cells are numbered apart from the mesh's
    for (Field& field : of_solids.cells) place_in_whole(view->body.solid_part, mesh, field);
    for (Field& field : of_sections) {
      place_in_whole(view->body.frame_part, mesh, field);
      of_solids.cells.push_back(std::move(field));
    }
    return of_solids;
  };
  return {.names = in_whole(motion_stress_names(),
                            section_force_names(view->sections, view->body.frame_part.mesh.cell_count())),
          .roots = {"von_mises"},
          .moved =
              [spaces](Run&, const Vector& u) {
                BodyMotion motion = motion_of(spaces, u);
                std::vector<Field> fields = {{"displacement", 3, std::move(motion.displacement)}};
                if (!motion.rotation.empty()) fields.push_back({"rotation", 3, std::move(motion.rotation)});
                return fields;
              },
          .derived =
              [in_whole, layout = layout_of(spaces),
               stresses = stresses_of_motion(spaces[0], of_field(read.model.equations, 0)),
               forces = section_forces_of_motion(spaces[1], of_field(read.model.equations, 1), view->sections)](
                  Run& run, const Vector& u) {
                return in_whole(stresses(run, layout.part(u, 0)), forces(run, layout.part(u, 1)).cells);
              }};
}

// Joints that are written by hand: couplings that name nodes. Those without have a reference point.
void read_couplings(Case& input, const Mesh& mesh, Body& body) {
  for (const Case::Table& t :
       input.tables("coupling",
                    "with 'nodes' a joint by hand of sections and faces of solids, which need not touch; else the "
                    "reference point of a face")) {
    if (!t.has("nodes")) continue;
    const Region* facets = t.region("region", "facets of solids", mesh, {RegionKind::facets, RegionKind::cells});
    const Region* nodes =
        t.region("nodes", "nodes of sections, or cells or edges whose nodes are meant", mesh, all_kinds);
    const bool is_rigid =
        t.choice("method",
                 "mean: the nodes follow the mean motion of the facets, which stay free to deform; rigid: the "
                 "facets move rigidly with the one node",
                 {"mean", "rigid"}, "mean") == "rigid";
    const Region* of_solids = region_in(body.solid_part.mesh, facets, {RegionKind::facets});
    const Region* of_frames = region_in(body.frame_part.mesh, nodes, all_kinds);
    if (facets != nullptr && of_solids == nullptr)
      t.error(ErrorKind::solids_and_sections, "region",
              fmt::format("the region '{}' has no facets of solids", facets->name),
              "a coupling joins faces of solids with nodes of sections",
              "name facets; forces at points beside a face are [[force]] with 'at'");
    if (nodes != nullptr && of_frames == nullptr)
      t.error(
          ErrorKind::solids_and_sections, "nodes", fmt::format("the region '{}' has no nodes of sections", nodes->name),
          "a coupling joins faces of solids with nodes of sections", "name the end of a beam, or the edge of a shell");
    body.join(of_frames, of_solids, is_rigid, t.where());
  }
}

int read_order(Case& input) {
  const Case::Table table = input.table("space", "the unknown field");
  return static_cast<int>(
      table.integer("order", "order of the elements of solids, independent of the mesh's; 0 takes the mesh's own",
                    {.fallback = 0, .minimum = 0, .maximum = 8}));
}

void require_masses_of_sections(Run& run, const Body& body) {
  ErrorList unknown;
  (void)body.frames.inertia(unknown);
  for (const Error& error : unknown.errors()) run.input().add_error(error);
}

void make_body_model(Run& run, const BodyView& view, bool loaded, std::vector<Point> gravity, CaseModel& read) {
  const int order = read_order(run.input());
  auto phase = run.phase("space");
  ErrorList errors;
  read.model = view.body.model(view.body.solid_space(run.device(), {.order = order}),
                               view.body.frame_space(run.device()), errors);
  for (const Error& error : errors.errors()) run.input().add_error(error);
  for (const std::string& notice : read.model.notices) run.log().notice(notice);
  for (const std::string& line : lines_of(read.model.joints)) run.log().line("{}", line);
  if (view.body.solids.has_thermal_strain())
    run.log().notice("[thermal] is the temperature of the solids: beams, bars and shells keep their length");
  read_relations(run, run.mesh(true), loaded, std::move(gravity), read);
}

// Supports, and loads where the analysis takes some: of the case, and of its load cases. Returns gravity in each.
std::vector<Point> read_what_acts(Run& run, const Mesh& mesh, const CaseModel& read, bool loaded, Body& body) {
  const BodyReader reader(run, mesh, body);
  const bool at_rest = read.modes && !read.preloaded && !run.step().continues();
  const Case::Table root = run.input().root();
  reader.read_supports(root, at_rest, body.solids.loads, body.frames.loads);
  if (loaded) reader.read_loads(root, body.solids.loads, body.frames.loads);
  std::vector<Point> gravity = {body.frames.loads.acceleration()};
  for (const LoadCaseInput& each : read.load_cases.cases) {
    ElasticLoads& of_solids = body.solids.load_case(each.name);
    FrameLoads& of_frames = body.frames.load_case(each.name);
    if (!read.modes) reader.read_supports(each.table, false, of_solids, of_frames);
    reader.read_loads(each.table, of_solids, of_frames);
    gravity.push_back(of_frames.acceleration());
  }
  return gravity;
}

// Load cases of an answer excite; those of statics are solved.
LoadCaseInputs body_load_cases(Run& run, bool modes, bool answers) {
  if (modes && !answers) return {};
  const char* move_out = "move it out of the load case, or make two case files";
  const std::vector<MatrixTable> of_matrices = relation_tables({{"material", move_out},
                                                                {"section", move_out},
                                                                {"spring", move_out},
                                                                {"mass", move_out},
                                                                {"foundation", move_out}});
  std::vector<std::string> tables = {"force",        "traction", "body_force", "line_load",
                                     "surface_load", "pressure", "gravity"};
  if (answers) return read_exciting_loads(run, tables, of_matrices);
  tables.insert(tables.end(), {"thermal", "support"});
  return read_load_cases(run.input(), tables, of_matrices);
}

// Laws of solids next to sections: those of small displacements, since joints and sections do not turn.
void check_laws(Run& run, const ElasticBody& solids) {
  if (!solids.has_laws()) return;
  Case& input = run.input();
  for (const LawRecord* law : solids.laws())
    if (!law->small)
      input.add_error(Error(ErrorKind::law_kinematics, fmt::format("the law '{}' next to sections", law->name),
                            "it needs large displacements, which beams and shells do not have",
                            "take a law of small displacements, or model the solids alone in ritz-elasticity"));
  refuse_warming_laws(run, solids);
}

// Loads of a temperature at rest do not excite.
void remove_thermal_loads(Run& run, CaseModel& read) {
  const auto is_thermal = [](const Integral& each) { return !each.form.has_matrix && each.form.derived > 0; };
  if (!read.preloaded && !run.step().continues() && std::erase_if(read.model.equations, is_thermal) > 0)
    run.log().notice("thermal strain changes no frequency here: give [modal] preload = true for its stresses");
}

void require_volumes(Run& run, const Mesh& mesh) {
  if (std::ranges::any_of(mesh.blocks(), [](const CellBlock& b) { return traits(b.kind).dimension == 3; })) return;
  run.input().root().refuse(ErrorKind::solids_and_sections, "material",
                            "'material' was given next to sections, and the mesh has no volumes",
                            "materials are of solids; lines and surfaces have theirs as keys of [[section]]",
                            "omit it, or mesh the solids in the same file");
}

CaseModel read_body_case(Run& run, bool modes) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh(true);
  refuse_other_keys(run);
  require_volumes(run, mesh);
  const std::vector<Index> cells = cells_with_sections(run, mesh);
  input.throw_if_any();
  const auto view =
      std::make_shared<BodyView>(std::make_shared<const FormCatalogue>(run.device(), load_plugins(run)), mesh, cells);
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  CaseModel read{.modes = modes,
                 .relieved = !modes && input.root().has("inertia_relief"),
                 .reader = modes ? read_body_vibration : read_body};
  read.preloaded = modes && has_preload(run);
  const bool answers = modes && responds(run);
  const bool loaded = !modes || read.preloaded || (answers && outside_loads_excite(run, read));
  read.load_cases = body_load_cases(run, modes, answers);
  const bool moves = !read.modes && goes_through_time(run);
  bool weighs = read.modes || moves || read.relieved || has_gravity(input.root());
  for (const LoadCaseInput& each : read.load_cases.cases) weighs = weighs || has_gravity(each.table);
  Body& body = view->body;
  read_elastic_materials(run, body.solid_part.mesh, "[kg/m^3], needed with gravity, [time] and for modes", weighs,
                         body.solids);
  body.solids.in_time = moves || path_takes_time(run);
  if (body.solids.is_mixed())
    input.add_error(Error(ErrorKind::solids_and_sections, "formulation = \"mixed\" next to sections",
                          "solids that join beams and shells have displacements alone yet",
                          "omit 'formulation', or model the solids alone in ritz-elasticity"));
  view->sections = read_sections(run, body.frame_part.mesh, view->catalogue, weighs, body.frames);
  read_foundations(input, body.solid_part.mesh, body.solids);
  read_couplings(input, mesh, body);
  check_surfaces(run, mesh, cells, body.solid_part);
  std::vector<Point> gravity = read_what_acts(run, mesh, read, loaded, body);
  check_laws(run, body.solids);
  if (moves) read.time = read_motion(run, 3, body.frames.components() - 3);
  phase.reset();
  make_body_model(run, *view, loaded, std::move(gravity), read);
  if (read.modes || moves || read.relieved) require_masses_of_sections(run, body);
  if (moves) read_damping(input, read.model);
  read.check_solver = check_body_solver;
  read.what_acts =
      "[[force]], [[traction]], [[body_force]], [[line_load]], [[surface_load]], [[pressure]], gravity, [thermal], "
      "or a [[support]] with a value that is not 0";
  if (answers) {
    remove_thermal_loads(run, read);
    read.motion = motion_fields(read, view, mesh);
  }
  if (!read.modes) name_body_results(*view, mesh, read);
  // The model is copied by those who solve it; what is shown knows its loads.
  const auto shown =
      std::make_shared<CaseModel>(CaseModel{.model = read.model, .relieved = read.relieved, .reader = read_body});
  read.show_fields = [view, shown](Run& run, const FieldsOfModel& fields, const SolutionView& s) {
    show(run, *view, *shown, fields, s);
  };
  return read;
}

}  // namespace

CaseModel read_body(Run& run) { return read_body_case(run, false); }
CaseModel read_body_vibration(Run& run) { return read_body_case(run, true); }

}  // namespace ritz
