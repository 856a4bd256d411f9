#include "apps/cases/heat_case.hpp"

#include "apps/cases/formulas.hpp"
#include "apps/cases/materials.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/transient_analysis.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/cases/mesh_error.hpp"
#include "apps/results/region_integral.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/heat.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>
#include <set>

namespace ritz {
namespace {

template <int G>
void add_loads(Case& input, const Case::Table& from, const FunctionSpace& space, const PlaneModel& plane,
               std::vector<Integral>& integrals) {
  const Mesh& mesh = space.mesh();
  for (const Case::Table& t : from.tables("source", "heat produced in the volume"))
    add_load<1, G, 0>(input, t, mesh, plane, "heat per volume [W/m^3]", integrals);
  for (const Case::Table& t : from.tables("flux", "heat that enters through a surface"))
    add_load<1, G, 1>(input, t, mesh, plane, "heat per area into the body [W/m^2]", integrals);
  for (const Case::Table& t : from.tables("power", "heat in total, spread evenly over an area or a volume")) {
    const Region* region = t.region("region", "facets or cells", mesh, {RegionKind::facets, RegionKind::cells});
    const Formula value = t.formula("value", "heat into the body in total [W]: a number, or a formula of t");
    if (value.depends_on_position())
      t.error("value", fmt::format("'{}' depends on the position", value.text()), "a power is spread evenly",
              "write a [[source]] or a [[flux]]");
    if (region == nullptr || (region->kind == RegionKind::facets && !has_area(t, mesh, *region, plane))) continue;
    const double size = loaded_size(mesh, *region, {plane.weight, plane.axisymmetric}, space.order());
    integrals.push_back(
        region->kind == RegionKind::facets
            ? Integral::over(load_form<1, G, 1>({value}, plane.weight, plane.axisymmetric, 1 / size), *region)
            : Integral::over(load_form<1, G, 0>({value}, plane.weight, plane.axisymmetric, 1 / size), *region));
  }
}

std::vector<Prescription> read_temperatures(const Case::Table& from, const Mesh& mesh) {
  std::vector<Prescription> prescribed;
  for (const Case::Table& t : from.tables("temperature", "prescribed temperatures")) {
    const Region* region =
        t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const Formula value = t.formula("value", "temperature");
    if (region != nullptr) prescribed.push_back({region, 0, value, t.where()});
  }
  return prescribed;
}

template <int G>
FormValue diffusion_form(const Formula& k, const PlaneModel& plane) {
  if (!k.is_number()) return {VaryingDiffusion<G>{plane.weight, plane.axisymmetric}, {k}};
  if (plane.axisymmetric) return AxisymmetricDiffusion{k.number()};
  return Diffusion<G>{k.number(), plane.weight};
}

template <int G>
FormValue convection_form(const Formula& h, const Formula& ambient, const PlaneModel& plane) {
  if (h.is_number() && ambient.is_number())
    return Convection<G>{h.number(), ambient.number(), plane.weight, plane.axisymmetric};
  return {VaryingConvection<G>{plane.weight, plane.axisymmetric}, {h, ambient}};
}

template <int G>
FormValue capacity_form(const Formula& density, const Formula& specific_heat, const PlaneModel& plane) {
  if (density.is_number() && specific_heat.is_number())
    return HeatCapacity<G>{density.number(), specific_heat.number(), plane.weight, plane.axisymmetric};
  return {VaryingHeatCapacity<G>{plane.weight, plane.axisymmetric}, {density, specific_heat}};
}

// What a material stores. Without [time] it may be given, and changes nothing.
template <int G>
void add_capacity(Case& input, const Case::Table& t, const Region* region, const Mesh& mesh, const PlaneModel& plane,
                  std::vector<Integral>* capacity) {
  if (capacity == nullptr && !t.has("density") && !t.has("specific_heat")) return;
  const NumberRule positive{.above = 0, .out_of_bounds = Exit::model};
  NumberRule rule = positive;
  if (capacity == nullptr) rule.fallback = 1;
  const Formula density = t.formula("density", "rho [kg/m^3]: with [time]", rule);
  const Formula specific_heat = t.formula("specific_heat", "c [J/(kg K)]: with [time]", rule);
  if (region == nullptr || capacity == nullptr) return;
  check_formulas(input, mesh, *region, std::array{density, specific_heat});
  capacity->push_back(Integral::over(capacity_form<G>(density, specific_heat, plane), *region));
}

// A fluid on a region of facets.
struct Convected {
  const Region* region;
  Integral integral;
};

template <int G>
std::vector<Integral> heat_integrals(Run& run, const FunctionSpace& space, const PlaneModel& plane,
                                     LoadCaseInputs& load_cases, std::vector<Convected>& cooled,
                                     std::vector<ThermalMaterial>& conductors, std::vector<Integral>* capacity) {
  Case& input = run.input();
  const Mesh& mesh = space.mesh();
  std::vector<Integral> integrals;
  std::vector<MaterialRegion> materials;
  for (const Case::Table& t : input.tables("material", "material of the cells")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    const Formula k =
        t.formula("conductivity", "thermal conductivity k [W/(m K)]", {.above = 0, .out_of_bounds = Exit::model});
    add_capacity<G>(input, t, region, mesh, plane, capacity);
    if (region == nullptr) continue;
    materials.push_back({region, t.where()});
    conductors.push_back({region, k});
    check_formulas(input, mesh, *region, {&k, 1});
    integrals.push_back(Integral::over(diffusion_form<G>(k, plane), *region));
  }
  add_material_errors(input, mesh, materials);
  add_loads<G>(input, input.root(), space, plane, integrals);
  for (const Case::Table& t : input.tables("convection", "cooling by a fluid")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const Formula h =
        t.formula("coefficient", "heat transfer coefficient h [W/(m^2 K)]", {.above = 0, .out_of_bounds = Exit::model});
    const Formula ambient = t.formula("ambient", "temperature of the fluid, in the unit of all temperatures");
    if (region == nullptr || !has_area(t, mesh, *region, plane)) continue;
    check_formulas(input, mesh, *region, std::array{h, ambient});
    integrals.push_back(Integral::over(convection_form<G>(h, ambient, plane), *region));
    cooled.push_back({region, integrals.back()});
  }
  for (LoadCaseInput& each : load_cases.cases) {
    add_loads<G>(input, each.table, space, plane, each.loads);
    each.prescribed = read_temperatures(each.table, mesh);
  }
  return integrals;
}

// Materials that overlap are an error; two fluids on one facet may be meant (a film and a radiation, say), and both
// act.
void say_overlaps(Run& run, const std::vector<Convected>& cooled) {
  std::vector<std::pair<Index, int>> facets;
  for (const Convected& each : cooled)
    for (const FacetOfCell& facet : each.region->facets) facets.emplace_back(facet.cell, facet.facet);
  std::ranges::sort(facets);
  std::set<std::pair<Index, int>> several;
  for (std::size_t i = 1; i < facets.size(); ++i)
    if (facets[i] == facets[i - 1]) several.insert(facets[i]);
  if (!several.empty())
    run.log().notice(fmt::format("facets with more than one [[convection]]: {}; their heats add", several.size()));
}

EvaluatedFields flux_names(const Mesh& mesh, bool with_error) {
  const Field flux{"heat_flux", mesh.dimension()};
  EvaluatedFields names{{flux}, {flux}};
  if (with_error) names.cells.push_back({"heat_flux_error", 1});
  return names;
}

EvaluatedFields heat_flux(Run& run, const Operator& equations, const Vector& u) {
  DerivedFields flux = evaluate(run.results(), equations, u);
  auto phase = run.device().profile().phase("fields");
  std::vector<double> finer = run.results().fields().at_points(equations.space(), flux.at_space_nodes, flux.components);
  return {{{.name = "heat_flux",
            .components = flux.components,
            .values = std::move(flux.at_nodes),
            .finer_values = std::move(finer)}},
          {{"heat_flux", flux.components, std::move(flux.at_cells)}}};
}

double total(const Operator& equations, const Vector& u) {
  Vector r = equations.space().zeros();
  equations.residual(u, r);
  const std::vector<double> values = r.host();
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// With convection. The loads of the solution hold what it does where temperatures are prescribed, and its ambient
// temperatures: no heat that is given.
void print_heat(Run& run, const Constraints& supports, const std::vector<Convected>& cooled, const SolutionView& s) {
  const FunctionSpace& space = supports.space();
  Vector prescribed = space.zeros();
  axpy(-1, s.u, prescribed);
  supports.set_zero(prescribed);
  axpy(1, s.u, prescribed);
  double given = s.applied[0];
  std::vector<double> convected;
  std::vector<std::string> words;
  for (const Convected& each : cooled) {
    const Operator alone(space, {each.integral});
    given += total(alone, prescribed);
    convected.push_back(-total(alone, s.u));
    words.push_back(fmt::format("{:.6g} through '{}'", convected.back(), each.region->name));
  }
  const double held = std::accumulate(s.reaction.begin(), s.reaction.end(), 0.0);
  const double largest = std::transform_reduce(
      convected.begin(), convected.end(), std::abs(held), [](double a, double b) { return std::max(a, b); },
      [](double a) { return std::abs(a); });
  if (std::abs(given) < 1e-12 * largest) given = 0;  // rounding of a difference
  run.log().line(
      "heat into the body: {:.6g} given, {:.6g} at prescribed temperatures, by convection {}; relative residual {:.1e}",
      given, held, fmt::join(words, ", "), s.residual);
  run.results().facts()["applied_load"] = fmt::format("{:.10g}", given);
  run.results().facts()["reaction"] = fmt::format("{:.10g}", held);
  run.results().facts()["convection"] = fmt::format("{:.10g}", fmt::join(convected, " "));
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", s.residual);
}

void show(Run& run, const Operator& equations, const Constraints& supports, const std::vector<Convected>& cooled,
          const std::optional<MeshErrorModel>& error_model, const SolutionView& s) {
  const FunctionSpace& space = equations.space();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  Field temperature = run.results().fields().of("temperature", space, s.u);
  print_range(run, space.mesh(), "temperature", temperature.values);
  try {
    if (cooled.empty() || s.applied.empty()) print_balance(run, s.applied, s.reaction, s.residual, 1);
    else print_heat(run, supports, cooled, s);
  } catch (const Error& error) {
    if (error.exit() != Exit::resources) throw;
    run.log().notice(fmt::format("heat by convection is not reported: {}", error.message()));
  }
  phase.reset();
  std::optional<DiscretisationError> error;
  EvaluatedFields flux = derive(run.results(), equations, flux_names(space.mesh(), error_model.has_value()), [&] {
    if (error_model) error = mesh_error(run, space, s.u, *error_model);
    EvaluatedFields fields = heat_flux(run, equations, s.u);
    if (error) fields.cells.push_back({"heat_flux_error", 1, std::move(error->magnitudes)});
    return fields;
  });
  if (error) tell_mesh_error(run, space, *error);
  run.results().write({std::move(temperature),
                       std::move(flux.nodal.front()),
                       {.name = "reaction", .values = s.reaction, .forces = true}},
                      std::move(flux.cells), s.time);
}

}  // namespace

CaseModel read_heat(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const PlaneModel plane = plane_model(run, mesh, {"plane", "axisymmetric"}, "plane");
  const char* move_out = "move it out of the load case, or make two case files";
  CaseModel model;
  if (goes_through_time(run)) model.time = read_time(run, "temperature", 1);
  std::vector<Integral>* const capacity = model.time ? &model.time->capacity : nullptr;
  model.load_cases = read_load_cases(
      run.input(), {"source", "flux", "power", "temperature"},
      {{"material", move_out},
       {"model", move_out},
       {"convection",
        "move it out of the load case; a fluid warmer by dT in one load case is a flux of coefficient * dT there"}});
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, 1);
  phase.emplace(run.device().profile(), "model");
  std::vector<Convected> cooled;
  std::vector<ThermalMaterial> conductors;
  model.space = &space;
  model.equations = mesh.dimension() == 3
                        ? heat_integrals<3>(run, space, plane, model.load_cases, cooled, conductors, capacity)
                        : heat_integrals<2>(run, space, plane, model.load_cases, cooled, conductors, capacity);
  say_overlaps(run, cooled);
  model.supports =
      std::make_shared<const LoadCaseSupports>(space, read_temperatures(run.input().root(), mesh), model.load_cases);
  model.supports->check(run.input(), model.load_cases);
  model.promise = MatrixPromise::positive_definite;
  model.rigid = RigidModes::scalar;
  for (const Convected& each : cooled) {
    const std::vector<Node> nodes = space.nodes_in(*each.region);
    model.held.insert(model.held.end(), nodes.begin(), nodes.end());
  }
  const std::optional<MeshErrorModel> error_model =
      wants_mesh_error(run) ? std::optional(MeshErrorModel{plane, {}, conductors}) : std::nullopt;
  model.nodal_results = {{"temperature", 1}, {"heat_flux", mesh.dimension()}, {"reaction", 1}};
  model.cell_results = flux_names(mesh, error_model.has_value()).cells;
  model.show = [&run, supports = model.supports, cooled, error_model](const Operator& equations,
                                                                      const SolutionView& s) {
    show(run, equations, supports->common(), cooled, error_model, s);
  };
  return model;
}

}  // namespace ritz
