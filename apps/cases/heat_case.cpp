#include "apps/cases/heat_case.hpp"

#include "apps/cases/formulas.hpp"
#include "apps/cases/mesh_error.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/named_material.hpp"
#include "apps/cases/orientations.hpp"
#include "apps/cases/time_input.hpp"
#include "apps/results/derived_fields.hpp"
#include "fem/physics/heat_conduction.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>

namespace ritz {
namespace {

// The stored heat. Without [time] it may be given, and changes nothing.
void read_capacity(bool needed, const Case::Table& t, const LibraryMaterial* known,
                   HeatConduction::Material& material) {
  if (!needed && !t.has("density") && !t.has("specific_heat")) return;
  NumberRule rule{.above = 0, .out_of_bounds = ErrorKind::material_value};
  if (!needed) rule.fallback = 1;
  material.density = constant_in_time(
      t, "density",
      t.formula("density", "rho [kg/m^3]: with [time]", with_constant(rule, known, &LibraryMaterial::density)));
  const CaseProperty heat = t.property("specific_heat", "c [J/(kg K)]: with [time]; or \"name(T)\", a [[table]] over T",
                                       "T", with_constant(rule, known, &LibraryMaterial::specific_heat));
  constant_in_time(t, "specific_heat", heat.formula);
  material.specific_heat = property_of(t, "specific_heat", heat);
}

void read_materials(Case& input, const Mesh& mesh, bool evolves, HeatConduction& heat) {
  const Orientations orientations = read_orientations(input, mesh.dimension());
  for (const Case::Table& t : input.tables("material", "material of the cells")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    HeatConduction::Material material{.origin = t.where()};
    const LibraryMaterial* known = named_material(t);
    if (t.has("conductivity_along")) {
      material.conductivity_along = numbers<3>(
          t, "conductivity_along", "k along material axes 1, 2, 3 [W/(m K)], in place of conductivity", {.above = 0});
      material.orientation = named_orientation(t, orientations);
    } else {
      material.conductivity = property_of(
          t, "conductivity",
          t.property("conductivity",
                     "thermal conductivity k [W/(m K)]; or \"name(T)\", a [[table]] over the temperature T", "T",
                     with_constant({.above = 0, .out_of_bounds = ErrorKind::material_value}, known,
                                   &LibraryMaterial::conductivity)));
    }
    read_capacity(evolves, t, known, material);
    heat.material(region, std::move(material));
  }
}

void read_loads(const Case::Table& from, const Mesh& mesh, HeatLoads& loads) {
  for (const Case::Table& t : from.tables("source", "heat produced in the volume")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    const Formula value = t.formula("value", "heat per volume [W/m^3]");
    loads.source(region, coefficient(value), t.where());
  }
  for (const Case::Table& t : from.tables("flux", "heat that enters through a surface")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const Formula value = t.formula("value", "heat per area into the body [W/m^2]");
    loads.flux(region, coefficient(value), t.where());
  }
  for (const Case::Table& t : from.tables("power", "heat in total, spread evenly over an area or a volume")) {
    const Region* region = t.region("region", "facets or cells", mesh, {RegionKind::facets, RegionKind::cells});
    const Formula value = t.formula("value", "heat into the body in total [W]: a number, or a formula of t");
    if (value.depends_on_position())
      t.error(ErrorKind::wrong_value, "value", fmt::format("'{}' depends on the position", value.text()),
              "a power is spread evenly", "write a [[source]] or a [[flux]]");
    loads.power(region, coefficient(value), t.where());
  }
}

void read_temperatures(const Case::Table& from, const Mesh& mesh, HeatLoads& loads) {
  for (const Case::Table& t : from.tables("temperature", "prescribed temperatures")) {
    const Region* region =
        t.region("region", "facets, nodes or cells", mesh, {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    loads.temperature(region, coefficient(t.formula("value", "temperature")), t.where());
  }
}

void read_surroundings(Case& input, const Mesh& mesh, HeatConduction& heat) {
  for (const Case::Table& t : input.tables("convection", "cooling by a fluid")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const Formula h = t.formula("coefficient", "heat transfer coefficient h [W/(m^2 K)]",
                                {.above = 0, .out_of_bounds = ErrorKind::material_value});
    const Formula ambient = t.formula("ambient", "temperature of the fluid, in the unit of all temperatures");
    heat.convection(region, {coefficient(h), coefficient(ambient), t.where()});
  }
  for (const Case::Table& t : input.tables("radiation", "heat that a surface radiates to large surroundings")) {
    const Region* region = t.region("region", "facets", mesh, {RegionKind::facets});
    const Formula emissivity = t.formula("emissivity", "of the surface; 1: a black body",
                                         {.maximum = 1, .above = 0, .out_of_bounds = ErrorKind::material_value});
    const Formula ambient = t.formula("ambient", "temperature of the surroundings, in the unit of all temperatures");
    heat.radiation(region, {coefficient(emissivity), coefficient(ambient), t.where()});
  }
}

// Radiation must know where absolute zero is. Without radiation the unit of the temperatures need not be known.
std::optional<double> read_absolute_zero(Case& input) {
  const bool needed = input.root().has("radiation");
  const Case::Table model = input.table("model", "kind of model of the mesh");
  if (needed && model.units() != UnitSystem::si)
    input.table("output", "")
        .error(ErrorKind::output_options, "units", "[[radiation]] in a case that is not in SI",
               "its constant is that of Stefan and Boltzmann in W/(m^2 K^4)", "give the case in SI, with [mesh] scale");
  if (!needed && !model.has("absolute_zero")) return {};
  return model.number("absolute_zero",
                      "in the unit of all temperatures, needed with [[radiation]]: 0 for kelvin, -273.15 for degrees "
                      "Celsius",
                      {.maximum = 0});
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
  EvaluatedFields fields;  // a list of initial values would be copied
  fields.nodal.push_back({.name = "heat_flux",
                          .components = flux.components,
                          .values = std::move(flux.at_nodes),
                          .finer_values = std::move(finer)});
  fields.cells.push_back({"heat_flux", flux.components, std::move(flux.at_cells)});
  return fields;
}

double total(const Operator& equations, const Vector& u) {
  Vector r = equations.space().zeros();
  equations.residual(u, r);
  const std::vector<double> values = r.host();
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The heat that is given, of linear equations: their loads hold as well what convection does where temperatures are
// prescribed, and its ambient temperatures.
double given_heat(const ModelSupports& supports, const std::vector<Exchange>& exchanges, const SolutionView& s) {
  const Vector prescribed = supports.prescribed(s.factors);
  double given = s.applied[0];
  for (const Exchange& each : exchanges)
    given += total(Operator(supports.common().space(), {each.integral}), prescribed);
  return given;
}

// The same of nonlinear equations: the loads themselves.
double given_heat(const Operator& equations, const SolutionView& s) {
  std::vector<Integral> loads;
  for (const Integral& each : equations.integrals())
    if (!each.form.has_matrix) loads.push_back(each);
  return loads.empty() ? 0 : -s.part * total(Operator(equations.space(), loads), s.u);
}

// Heat into the body. Along a load path the same part of the ambient's heat acts as of the loads.
double exchanged_heat(const FunctionSpace& space, const Exchange& exchange, const SolutionView& s) {
  const Operator through(space, {exchange.integral});
  const double ambient = s.part < 1 ? (1 - s.part) * total(through, space.zeros()) : 0;
  return ambient - total(through, s.u);
}

// With convection or radiation, or of nonlinear equations.
void print_heat(Run& run, const Operator& equations, const ModelSupports& supports,
                const std::vector<Exchange>& exchanges, const SolutionView& s) {
  double given = s.applied.empty() ? given_heat(equations, s) : given_heat(supports, exchanges, s);
  const double held = std::accumulate(s.reaction.begin(), s.reaction.end(), 0.0);
  double largest = std::abs(held);
  std::vector<double> contributions;
  std::string exchanged;
  const std::string watt = units_of(run.report()).of(" W");
  for (const char* kind : {"convection", "radiation"}) {
    std::vector<double> heats;
    std::vector<std::string> words;
    for (const Exchange& each : exchanges) {
      if (each.kind != kind) continue;
      heats.push_back(exchanged_heat(equations.space(), each, s));
      words.push_back(fmt::format("{:.6g}{} through '{}'", heats.back(), watt, each.region->name));
      largest = std::max(largest, std::abs(heats.back()));
    }
    if (heats.empty()) continue;
    contributions.insert(contributions.end(), heats.begin(), heats.end());
    exchanged += fmt::format(", by {} {}", kind, fmt::join(words, ", "));
    run.results().facts()[kind] = fmt::format("{:.10g}", fmt::join(heats, " "));
  }
  if (s.part == 1) {
    double size = s.load_size;
    for (const double each : s.reaction) size += std::abs(each);
    contributions.insert(contributions.end(), {given, held});
    check_balance("the heats of the body", contributions, size, s.tolerance, watt);
  }
  if (std::abs(given) < 1e-12 * largest) given = 0;  // rounding of a difference
  run.log().line("heat into the body: {:.6g}{} given, {:.6g}{} at prescribed temperatures{}; relative residual {:.1e}",
                 given, watt, held, watt, exchanged, s.residual);
  run.results().facts()["applied_load"] = fmt::format("{:.10g}", given);
  run.results().facts()["reaction"] = fmt::format("{:.10g}", held);
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", s.residual);
}

// Loads that take more heat than the body holds, or a mesh too coarse for a steep front. Where the case does not say
// where absolute zero is, it is that of degrees Celsius, below which there is no kelvin either.
void report_impossible(Run& run, std::span<const double> temperature, double absolute_zero) {
  const auto colder = std::ranges::count_if(temperature, [&](double value) { return value < absolute_zero; });
  if (colder > 0)
    run.log().notice(
        fmt::format("{} nodes are colder than absolute zero ({:g}), down to {:.6g}: check sinks, fluxes and given "
                    "temperatures",
                    colder, absolute_zero, std::ranges::min(temperature)));
}

// Radiation has no meaning below absolute zero. Temperatures that are prescribed have this bound, too.
void check_begin(const Case& input, const CaseModel& read, double absolute_zero) {
  if (!input.sound() || !read.time || !read.time->initial) return;
  const double coldest = std::ranges::min(read.time->initial(read.model));
  if (coldest < absolute_zero)
    input.table("initial", "the state at the start")
        .error(ErrorKind::material_value, "temperature",
               fmt::format("the temperature at the begin is {:g}, below absolute zero, {:g}", coldest, absolute_zero),
               "surfaces radiate by their absolute temperature", "correct it, or [model] absolute_zero");
}

void show(Run& run, const Operator& equations, const CaseModel& read, const HeatConduction* estimated,
          std::optional<double> absolute_zero, const SolutionView& s) {
  const Model& model = read.model;
  const FunctionSpace& space = equations.space();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  Field temperature = run.results().fields().of("temperature", space, s.u);
  print_range(run, space.mesh(), "temperature", temperature.values);
  report_impossible(run, temperature.values, absolute_zero.value_or(-273.15));
  try {
    if (read.time || (model.exchanges.empty() && !s.applied.empty())) {
      print_balance(run, s.applied, s.reaction, s.residual, 1);
      check_balance(run, s, s.applied, s.reaction, 1, false);
    } else print_heat(run, equations, *read.supports, model.exchanges, s);
  } catch (const Error& error) {
    if (error.exit() != Exit::resources) throw;
    run.log().notice(fmt::format("heat that is exchanged is not reported: {}", error.message()));
  }
  phase.reset();
  std::optional<DiscretisationError> error;
  EvaluatedFields flux = derive(run.results(), equations, flux_names(space.mesh(), estimated != nullptr), [&] {
    if (estimated != nullptr) error = mesh_error(run, space, s.u, estimated->error_model());
    EvaluatedFields fields = heat_flux(run, equations, s.u);
    if (error) fields.cells.push_back({"heat_flux_error", 1, std::move(error->magnitudes)});
    return fields;
  });
  if (error) report_mesh_error(run, space, *error);
  std::vector<Field> nodal;
  nodal.push_back(std::move(temperature));
  nodal.push_back(std::move(flux.nodal.front()));
  nodal.push_back({.name = "reaction", .values = s.reaction, .forces = true});
  run.results().write(std::move(nodal), std::move(flux.cells), s.time);
}

}  // namespace

CaseModel read_heat(Run& run) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const PlaneModel plane = plane_model(run, mesh, {"plane", "axisymmetric"}, "plane");
  const std::optional<double> absolute_zero = read_absolute_zero(input);
  const char* move_out = "move it out of the load case, or make two case files";
  CaseModel read{.reader = read_heat};
  read.gradient = read_gradient(run, mesh);
  if (goes_through_time(run)) read.time = read_time(run, "temperature", "temperature", 1);
  read.load_cases = read_load_cases(
      input, {"source", "flux", "power", "temperature"},
      relation_tables(
          {{"material", move_out},
           {"model", move_out},
           {"convection",
            "move it out of the load case; a fluid warmer by dT in one load case is a flux of coefficient * dT there"},
           {"radiation", move_out}}));
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, 1);
  phase.emplace(run.device().profile(), "model");
  HeatConduction heat(
      mesh,
      {.thickness = plane.weight, .axisymmetric = plane.axisymmetric, .absolute_zero = absolute_zero.value_or(0)});
  read_materials(input, mesh, read.time.has_value(), heat);
  read_loads(input.root(), mesh, heat.loads);
  read_surroundings(input, mesh, heat);
  for (const LoadCaseInput& each : read.load_cases.cases) {
    HeatLoads& own = heat.load_case(each.name);
    read_loads(each.table, mesh, own);
    read_temperatures(each.table, mesh, own);
  }
  read_temperatures(input.root(), mesh, heat.loads);
  make_model(run, heat, space, {.of_revolution = plane.axisymmetric}, {}, read);
  if (absolute_zero) check_begin(input, read, *absolute_zero);
  const bool wants_error = wants_mesh_error(run);
  if (wants_error && !read.model.linear)
    input.add_error(
        Error(ErrorKind::model_options,
              "[output] error_estimate of a conductivity that depends on the temperature, or with radiation",
              "the estimate knows linear equations only", "omit error_estimate, and compare with a finer mesh"));
  if (wants_error && heat.has_axes()) throw_no_estimate_of(input, "a material along axes");
  read.nodal_results = {{"temperature", 1}, {"heat_flux", mesh.dimension()}, {"reaction", 1}};
  read.cell_results = flux_names(mesh, wants_error).cells;
  read.derived_results = {{{"heat_flux", mesh.dimension()}}};
  read.show = [wants_error, heat, absolute_zero](Run& run, const CaseModel& shown, const Operator& equations,
                                                 const SolutionView& s) {
    show(run, equations, shown, wants_error ? &heat : nullptr, absolute_zero, s);
  };
  return read;
}

}  // namespace ritz
