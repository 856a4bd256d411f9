// ritz-heat: steady heat conduction. Case file to fields in one page.
#include "apps/derived_fields.hpp"
#include "apps/forecast.hpp"
#include "apps/formulas.hpp"
#include "apps/static_batch.hpp"
#include "apps/materials.hpp"
#include "apps/model.hpp"
#include "apps/shared_model.hpp"
#include "apps/run.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/static_solution.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace ritz {
namespace {

template <int G>
void add_loads(Case& input, const Case::Table& from, const Mesh& mesh, const PlaneModel& plane, std::vector<Integral>& integrals) {
  for (const Case::Table& t : from.tables("source", "heat produced in the volume"))
    add_load<1, G, 0>(input, t, mesh, plane, "heat per volume [W/m^3]", integrals);
  for (const Case::Table& t : from.tables("flux", "heat that enters through a surface"))
    add_load<1, G, 1>(input, t, mesh, plane, "heat per area into the body [W/m^2]", integrals);
}

std::vector<Prescription> read_temperatures(const Case::Table& from, const Mesh& mesh) {
  std::vector<Prescription> prescribed;
  for (const Case::Table& t : from.tables("temperature", "prescribed temperatures")) {
    const Region* region = t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
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
  if (h.is_number() && ambient.is_number()) return Convection<G>{h.number(), ambient.number(), plane.weight, plane.axisymmetric};
  return {VaryingConvection<G>{plane.weight, plane.axisymmetric}, {h, ambient}};
}

template <int G>
std::vector<Integral> heat_integrals(Run& run, const Mesh& mesh, const PlaneModel& plane, LoadCaseInputs& load_cases,
                                     std::vector<const Region*>& cooled) {
  Case& input = run.input();
  std::vector<Integral> integrals;
  std::vector<MaterialRegion> materials;
  for (const Case::Table& t : input.tables("material", "what the cells are made of")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    const Formula k = t.formula("conductivity", "k [W/(m K)]", {.above = 0, .out_of_bounds = Exit::model});
    if (region == nullptr) continue;
    materials.push_back({region, t.where()});
    check_formulas(input, mesh, *region, {&k, 1});
    integrals.push_back(Integral::over(diffusion_form<G>(k, plane), *region));
  }
  add_material_errors(input, mesh, materials);
  add_loads<G>(input, input.root(), mesh, plane, integrals);
  for (const Case::Table& t : input.tables("convection", "cooling by a fluid")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const Formula h = t.formula("coefficient", "h [W/(m^2 K)]", {.above = 0, .out_of_bounds = Exit::model});
    const Formula ambient = t.formula("ambient", "temperature of the fluid, in the unit of all temperatures");
    if (region == nullptr || !has_area(t, mesh, *region, plane)) continue;
    check_formulas(input, mesh, *region, std::array{h, ambient});
    integrals.push_back(Integral::over(convection_form<G>(h, ambient, plane), *region));
    cooled.push_back(region);
  }
  for (LoadCaseInput& each : load_cases.cases) {
    add_loads<G>(input, each.table, mesh, plane, each.loads);
    each.prescribed = read_temperatures(each.table, mesh);
  }
  return integrals;
}

// Materials that overlap are an error; two fluids on one facet may be meant (a film and a radiation, say), and both act.
void say_overlaps(Run& run, const std::vector<const Region*>& cooled) {
  std::vector<std::pair<Index, int>> facets;
  for (const Region* region : cooled)
    for (const FacetOfCell& facet : region->facets) facets.emplace_back(facet.cell, facet.facet);
  std::ranges::sort(facets);
  std::set<std::pair<Index, int>> several;
  for (std::size_t i = 1; i < facets.size(); ++i)
    if (facets[i] == facets[i - 1]) several.insert(facets[i]);
  if (!several.empty()) run.log().notice(fmt::format("facets with more than one [[convection]]: {}; their heats add", several.size()));
}

EvaluatedFields heat_flux(Run& run, const Operator& equations, const Vector& u) {
  DerivedFields flux = evaluate(run, equations, u);
  auto phase = run.device().profile().phase("fields");
  std::vector<double> finer = run.fields().at_points(equations.space(), flux.at_space_nodes, flux.components);
  return {{{.name = "heat_flux", .components = flux.components, .values = std::move(flux.at_nodes), .finer_values = std::move(finer)}},
          {{"heat_flux", flux.components, std::move(flux.at_cells)}}};
}

void show(Run& run, const Operator& equations, bool cooled, const StaticSolution& s) {
  const FunctionSpace& space = equations.space();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  Field temperature = run.fields().of("temperature", space, s.u);
  print_range(run, space.mesh(), "temperature", temperature.values);
  if (!cooled) print_balance(run, s, 1);  // what convection takes away is neither load nor reaction
  phase.reset();
  const Field flux_name{"heat_flux", space.mesh().dimension()};
  EvaluatedFields flux = derive(run, equations, {{flux_name}, {flux_name}}, [&] { return heat_flux(run, equations, s.u); });
  run.write({std::move(temperature), std::move(flux.nodal.front()), {.name = "reaction", .values = s.reaction, .forces = true}}, std::move(flux.cells));
}

void heat(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const PlaneModel plane = plane_model(run, mesh, {"plane", "axisymmetric"}, "plane");
  const char* move_out = "move it out of the load case, or make two case files";
  LoadCaseInputs load_cases = read_load_cases(
      run.input(), {"source", "flux", "temperature"},
      {{"material", move_out},
       {"model", move_out},
       {"convection", "move it out of the load case; a fluid warmer by dT in one load case is a flux of coefficient * dT there"}});
  std::vector<const Region*> cooled;
  const std::vector<Integral> integrals = mesh.dimension() == 3 ? heat_integrals<3>(run, mesh, plane, load_cases, cooled)
                                                                : heat_integrals<2>(run, mesh, plane, load_cases, cooled);
  say_overlaps(run, cooled);
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, 1);
  phase.emplace(run.device().profile(), "model");
  const auto supports = std::make_shared<const LoadCaseSupports>(space, read_temperatures(run.input().root(), mesh), load_cases);
  supports->check(run.input(), load_cases);
  LinearSolverOptions solver = run.solver(MatrixPromise::positive_definite);
  solver.one_of_many = pay_for_a_matrix(load_cases.cases.size(), load_cases.combinations.size()) || run.shared().sweeps;
  const std::vector<Field> results = {{"temperature", 1}, {"heat_flux", mesh.dimension()}, {"reaction", 1}}, cell_results = {{"heat_flux", mesh.dimension()}};
  std::vector<Node> held;
  for (const Region* region : cooled) {
    const std::vector<Node> nodes = space.nodes_in(*region);
    held.insert(held.end(), nodes.begin(), nodes.end());
  }
  phase.reset();
  forecast(run, space, integrals, linear_model(run, space, integrals, load_cases, *supports, solver));
  finish_model(run, supports->all(), RigidModes::scalar, {results, cell_results}, held);

  const Operator& equations = make_operator(run, space, integrals, &solver);
  solve_or_wait(run, equations, load_cases, supports, solver,
                [&run, &equations, is_cooled = !cooled.empty()](const StaticSolution& s) { show(run, equations, is_cooled, s); });
}

const char* example = R"([mesh]
file = "sink.msh"
scale = 0.001                 # the mesh is in mm

[[material]]
region = "all"
conductivity = 200            # W/(m K)

[[flux]]
region = "base"
value = 5e4                   # W/m^2 into the body

[[convection]]
region = "fins"
coefficient = 60              # W/(m^2 K)
ambient = 20

[[probe]]
name = "hottest"
field = "temperature"
region = "all"
measure = "max"
)";

}  // namespace
}  // namespace ritz

int main(int argc, char** argv) {
  return ritz::run_app(argc, argv, {"ritz-heat", "Steady heat conduction with sources, fluxes and convection.", ritz::example, 1}, ritz::heat);
}
