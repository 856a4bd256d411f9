#include "apps/cases/elastic_case.hpp"

#include "apps/cases/elastic_model.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/results/field_component.hpp"
#include "apps/cases/mesh_error.hpp"
#include "apps/results/region_integral.hpp"
#include "apps/results/stress_measures.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace ritz {
namespace {

// The load on a body of revolution is the same all around: what acts across the axis as a whole is not.
void check_along_axis(const Case::Table& t, const char* key, const std::vector<double>& vector, const PlaneModel& plane,
                      const char* what, const char* fix) {
  if (!plane.axisymmetric || vector[0] == 0) return;
  t.error(key, what,
          fmt::format(
              "it has the radial part {:g}; a load that is the same all around has a resultant along the axis (y) only",
              vector[0]),
          fix);
}

// Gravity of the case or of a load case; nothing where there is none.
std::optional<std::vector<double>> read_gravity(const Case::Table& from, const PlaneModel& plane, int dimension) {
  const Case::Table table = from.table("gravity", "weight of the body; needs densities");
  if (!table.present()) return std::nullopt;
  std::vector<double> acceleration =
      table.vector("acceleration", "gravitational acceleration [m/s^2]", {.size = dimension});
  check_along_axis(table, "acceleration", acceleration, plane, "gravity across the axis of a body of revolution",
                   "give 0 for x, or model the body in three dimensions; a spinning one takes a [[body_force]] of "
                   "density * omega^2 * x");
  return acceleration;
}

// A component of density * acceleration.
struct WeightDensity {
  double acceleration;
  Formula density;
  void operator()(std::span<const double> points, double t, std::span<double> values) const {
    density.at(points, values, t);
    for (double& value : values) value *= acceleration;
  }
  bool depends_on_time() const { return density.depends_on_time(); }
};

template <int G>
FormValue weight_form(const std::vector<double>& gravity, const PlaneModel& plane, const Formula& density) {
  if (density.is_number())
    return load_form<G, G, 0>({gravity.begin(), gravity.end()}, plane.weight, plane.axisymmetric, density.number());
  std::vector<PointFunction> force;
  for (const double g : gravity) force.push_back(WeightDensity{g, density});
  return {GivenLoad<G, G, 0>{plane.weight, plane.axisymmetric}, force};
}

template <int G>
void add_weight(const std::optional<std::vector<double>>& gravity, const PlaneModel& plane,
                const std::vector<ElasticMaterial>& materials, std::vector<Integral>& integrals) {
  if (!gravity) return;
  for (const ElasticMaterial& m : materials)
    integrals.push_back(Integral::over(weight_form<G>(*gravity, plane, m.density), *m.region));
}

// Inner facets, between two cells, have no side that is "into the body".
void check_outside(const Case::Table& t, const Mesh& mesh, const Region& region) {
  if (const Index count = inner_facets(mesh, region); count > 0)
    t.error("region",
            fmt::format("{} of the {} facets of '{}' lie between two cells", count, region.size(), region.name),
            "pressure acts into the body, and there it would have two directions",
            "name facets of the boundary, or give a [[traction]] with its direction");
}

// All other loads.
template <int G>
void add_loads(Case& input, const Case::Table& from, const FunctionSpace& space, const PlaneModel& plane,
               std::vector<Integral>& integrals) {
  const Mesh& mesh = space.mesh();
  for (const Case::Table& t : from.tables("body_force", "force per volume"))
    add_load<G, G, 0>(input, t, mesh, plane, "[N/m^3]", integrals);
  for (const Case::Table& t : from.tables("traction", "force per area"))
    add_load<G, G, 1>(input, t, mesh, plane, "[Pa]", integrals);
  for (const Case::Table& t : from.tables("force", "total force, spread evenly over the area")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const std::vector<double> value = t.vector("value", "[N]", {.size = G});
    check_along_axis(t, "value", value, plane, "a total force across the axis of a body of revolution",
                     "give 0 for x; for a load outwards all around use a [[traction]] or a [[pressure]]");
    if (region == nullptr || !has_area(t, mesh, *region, plane)) continue;
    const double area = loaded_size(mesh, *region, {plane.weight, plane.axisymmetric}, space.order());
    integrals.push_back(Integral::over(
        load_form<G, G, 1>({value.begin(), value.end()}, plane.weight, plane.axisymmetric, 1 / area), *region));
  }
  for (const Case::Table& t : from.tables("pressure", "pressure, positive into the body")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const Formula value = t.formula("value", "[Pa]");
    if (region == nullptr || !has_area(t, mesh, *region, plane)) continue;
    check_outside(t, mesh, *region);
    check_formulas(input, mesh, *region, {&value, 1});
    if (value.is_number())
      integrals.push_back(Integral::over(Pressure<G>{value.number(), plane.weight, plane.axisymmetric}, *region));
    else integrals.push_back(Integral::over({GivenPressure<G>{plane.weight, plane.axisymmetric}, {value}}, *region));
  }
}

// Stiffness and loads, also those of load cases.
template <int G>
void add_integrals(Run& run, const PlaneModel& plane, CaseModel& read, std::vector<ElasticMaterial>& materials) {
  Model& model = read.model;
  const FunctionSpace& space = *model.space;
  const Case::Table root = run.input().root();
  const auto gravity = read_gravity(root, plane, G);
  bool weighs = gravity.has_value();
  std::vector<std::optional<std::vector<double>>> own_gravity;
  for (const LoadCaseInput& each : read.load_cases.cases) {
    own_gravity.push_back(read_gravity(each.table, plane, G));
    weighs = weighs || own_gravity.back().has_value();
  }
  const std::optional<double> unused_density = weighs ? std::optional<double>() : 1;
  materials = elastic_materials(run, space.mesh(), "[kg/m^3], needed with gravity", unused_density);
  tell_locking(run, space, plane, materials);
  for (const ElasticMaterial& m : materials) {
    model.equations.push_back(Integral::over(stiffness_form(plane, m), *m.region));
    add_weight<G>(gravity, plane, {m}, model.equations);
  }
  add_loads<G>(run.input(), root, space, plane, model.equations);
  for (std::size_t i = 0; i < own_gravity.size(); ++i) {
    const LoadCaseInput& each = read.load_cases.cases[i];
    ModelLoadCase& own = model.load_cases.emplace_back(ModelLoadCase{each.name});
    add_weight<G>(own_gravity[i], plane, materials, own.loads);
    add_loads<G>(run.input(), each.table, space, plane, own.loads);
    own.prescribed = read_displacements(each.table, space.mesh());
  }
}

std::vector<double> magnitudes(const std::vector<double>& vectors, std::size_t components) {
  std::vector<double> result(vectors.size() / components);
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < components; ++c) sum += vectors[i * components + c] * vectors[i * components + c];
    result[i] = std::sqrt(sum);
  }
  return result;
}

// [entry][12] -> components first .. first + 5
std::vector<double> tensors(const std::vector<double>& derived, std::size_t first) {
  std::vector<double> result(derived.size() / 2);
  for (std::size_t i = 0; i < derived.size() / 12; ++i)
    for (std::size_t k = 0; k < 6; ++k) result[6 * i + k] = derived[12 * i + first + k];
  return result;
}

EvaluatedFields stress_names(bool with_error) {
  const Field stress{"stress", 6}, strain{"strain", 6}, von_mises{"von_mises", 1},
      principal{"principal_stress", 3, {}, {"1", "2", "3"}};
  EvaluatedFields names{{stress, strain, von_mises, principal}, {stress, strain, von_mises}};
  if (with_error) names.cells.push_back({"stress_error", 1});
  return names;
}

// From [entry][12]: strain, then stress.
void fill(std::vector<Field>& fields, std::vector<double> Field::*values, const std::vector<double>& derived) {
  const std::vector<double> stress = tensors(derived, 6);
  for (Field& field : fields)
    field.*values = field.name == "strain"             ? tensors(derived, 0)
                    : field.name == "von_mises"        ? von_mises_of(stress)
                    : field.name == "principal_stress" ? principal_values_of(stress)
                                                       : stress;
}

EvaluatedFields stress_fields(Run& run, const Operator& equations, const Vector& u) {
  const DerivedFields derived = evaluate(run.results(), equations, u);
  auto phase = run.device().profile().phase("fields");
  EvaluatedFields fields = stress_names(false);
  fill(fields.nodal, &Field::values, derived.at_nodes);
  fill(fields.nodal, &Field::finer_values,
       run.results().fields().at_points(equations.space(), derived.at_space_nodes, derived.components));
  fill(fields.cells, &Field::values, derived.at_cells);
  return fields;
}

void show(Run& run, const Operator& equations, const std::optional<MeshErrorModel>& error_model,
          const SolutionView& s) {
  const FunctionSpace& space = equations.space();
  const Mesh& mesh = space.mesh();
  const int dimension = mesh.dimension();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  std::vector<Field> nodal = {run.results().fields().of("displacement", space, s.u)};
  print_peak(run, mesh, "displacement", magnitudes(nodal.front().values, static_cast<std::size_t>(dimension)));
  judge_displacements(run, mesh, nodal.front().values, dimension);
  phase.reset();
  std::optional<DiscretisationError> error;
  EvaluatedFields stresses = derive(run.results(), equations, stress_names(error_model.has_value()), [&] {
    if (error_model) error = mesh_error(run, space, s.u, *error_model);
    EvaluatedFields fields = stress_fields(run, equations, s.u);
    if (error) fields.cells.push_back({"stress_error", 1, std::move(error->magnitudes)});
    return fields;
  });
  phase.emplace(run.device().profile(), "fields");
  if (const std::vector<double>& von_mises = field_named(stresses.nodal, "von_mises").values; !von_mises.empty())
    print_peak(run, mesh, "von Mises stress", von_mises);
  if (error) {
    tell_mesh_error(run, space, *error);
    run.results().facts()["strain_energy"] = fmt::format("{:.10g}", error->solution / 2);
  }
  print_balance(run, s.applied, s.reaction, s.residual, dimension);
  std::ranges::move(stresses.nodal, std::back_inserter(nodal));
  nodal.push_back({.name = "reaction", .components = dimension, .values = s.reaction, .forces = true});
  phase.reset();
  run.results().write(std::move(nodal), std::move(stresses.cells), s.time);
}

}  // namespace

CaseModel read_elasticity(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const int dimension = mesh.dimension();
  const PlaneModel plane = plane_model(run, mesh, {"plane_strain", "plane_stress", "axisymmetric"}, "");
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, dimension);
  phase.emplace(run.device().profile(), "model");
  const char* move_out = "move it out of the load case, or make two case files";
  CaseModel read;
  Model& model = read.model;
  model.space = borrowed(space);
  read.load_cases =
      read_load_cases(run.input(), {"gravity", "body_force", "traction", "force", "pressure", "displacement"},
                      {{"material", move_out}, {"model", move_out}});
  std::vector<ElasticMaterial> materials;
  if (dimension == 3) add_integrals<3>(run, plane, read, materials);
  else add_integrals<2>(run, plane, read, materials);
  model.supports = read_displacements(run.input().root(), mesh);
  model.held_on_axis = nodes_on_axis(plane, space);
  model.rigid = rigid_modes(mesh, plane);
  make_supports(run.input(), read);
  const std::optional<MeshErrorModel> error_model =
      wants_mesh_error(run) ? std::optional(MeshErrorModel{plane, materials}) : std::nullopt;
  const auto [stresses, cell_results] = stress_names(error_model.has_value());
  read.nodal_results = {{"displacement", dimension}};
  read.nodal_results.insert(read.nodal_results.end(), stresses.begin(), stresses.end());
  read.nodal_results.push_back({"reaction", dimension});
  read.cell_results = cell_results;
  read.show = [&run, error_model](const CaseModel&, const Operator& equations, const SolutionView& s) {
    show(run, equations, error_model, s);
  };
  return read;
}

}  // namespace ritz
