// ritz-modal: frequencies and shapes of free vibration of elastic bodies, supported or free.
#include "apps/elastic_model.hpp"
#include "apps/forecast.hpp"
#include "apps/region_integral.hpp"
#include "fem/forms/mass.hpp"
#include "fem/vibration.hpp"
#include "mesh/quality.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

struct ModalSettings {
  EigenOptions eigen;
  bool unit_maximum = false;  // else unit modal mass
  int phases = 0;             // of an animation
  double factor = 0;          // of an animation; 0: a tenth of the size
};

ModalSettings read_settings(Case& input) {
  const Case::Table t = input.table("modal", "which modes, and how they are found and written");
  ModalSettings s;
  const bool has_band = t.has("band");
  if (has_band && t.has("count")) t.error("count", "a count and a band are given", "a band holds as many modes as it holds", "remove one of them");
  s.eigen.count = static_cast<int>(t.integer("count", "how many of the lowest modes, rigid motions included", {.fallback = 10, .minimum = 1, .maximum = 10000}));
  if (has_band) {
    const std::vector<double> band = t.vector("band", "instead: all modes from a frequency to another [Hz]", {.size = 2, .minimum = 0});
    if (band.size() == 2 && !(band[0] < band[1]))
      t.error("band", fmt::format("the band from {:g} to {:g} Hz is empty", band[0], band[1]), {}, "give the lower frequency first");
    else if (band.size() == 2)
      s.eigen.band = EigenBand{std::pow(2 * std::numbers::pi * band[0], 2), std::pow(2 * std::numbers::pi * band[1], 2)};
  } else {
    t.vector("band", "instead of a count: all modes from a frequency to another [Hz]", {.fallback = std::vector<double>{}});
  }
  const std::string method = t.choice("method", "lanczos factorises and counts, lobpcg iterates with multigrid; auto chooses by size", {"auto", "lanczos", "lobpcg"}, "auto");
  s.eigen.method = method == "lanczos" ? EigenMethod::lanczos : method == "lobpcg" ? EigenMethod::lobpcg : EigenMethod::automatic;
  if (has_band && s.eigen.method == EigenMethod::lobpcg) t.error("method", "lobpcg finds the lowest modes, not those of a band", {}, "give a count, or use lanczos");
  s.eigen.relative = t.number("tolerance", "of the residual of a mode, relative to its inertia forces; its frequency is off by about the square of it",
                              {.fallback = 1e-6, .above = 0, .below = 1});
  s.eigen.max_iterations = static_cast<int>(t.integer("max_iterations", "of lobpcg; of lanczos, blocks of eight solves", {.fallback = 500, .minimum = 1, .maximum = 1000000}));
  s.eigen.verify = t.flag("verify", "count the modes by the inertia of one more factor, with lanczos", true);
  s.unit_maximum = t.choice("normalise", "mode shapes to unit modal mass, or to a largest displacement of 1", {"mass", "maximum"}, "mass") == "maximum";
  s.phases = static_cast<int>(t.integer("animate", "steps of a period in a series of files for each mode; 0: none", {.fallback = 0, .minimum = 0, .maximum = 360}));
  s.factor = t.number("animate_displacement", "largest displacement in those files; 0: a tenth of the size of the part", {.fallback = 0, .minimum = 0});
  return s;
}

FormValue mass_form(const PlaneModel& plane, const Mesh& mesh, const Formula& given) {
  if (!given.is_number()) {
    if (mesh.dimension() == 3) return {VaryingMass<3>{}, {given}};
    if (plane.axisymmetric) return {VaryingMass<2, true>{plane.weight}, {given}};
    return {VaryingMass<2>{plane.weight}, {given}};
  }
  const double density = given.number();
  if (mesh.dimension() == 3) return Mass<3, 3>{density};
  if (plane.axisymmetric) return Mass<2, 2, true>{density, plane.weight};
  return Mass<2, 2>{density, plane.weight};
}

// Density times volume by quadrature over the mesh alone; for a body of revolution 2 pi times the integral of the radius.
double mass_of_the_mesh(const Mesh& mesh, const PlaneModel& plane, const std::vector<ElasticMaterial>& materials) {
  Field radius{"radius", 1, std::vector<double>(static_cast<std::size_t>(mesh.node_count()), 1.0)};
  if (plane.axisymmetric)
    for (Index node = 0; node < mesh.node_count(); ++node) radius.values[static_cast<std::size_t>(node)] = mesh.point(node)[0];
  double sum = 0;
  for (const ElasticMaterial& m : materials) sum += m.density.number() * plane.weight * integrate(mesh, *m.region, radius, FieldComponent{1, 0}).integrals[0];
  return sum;
}

void check_mass(const VibrationModes& modes, double expected) {
  for (std::size_t d = 0; d < modes.directions.size(); ++d)
    if (!(std::abs(modes.total_mass[d] - expected) <= 1e-8 * expected))
      throw Error(Exit::internal, fmt::format("the mass matrix moves {:.10g} along {}, but density times volume is {:.10g}", modes.total_mass[d],
                                              "xyz"[modes.directions[d]], expected), "this is a bug in Ritz", "please report it with the case file");
}

void print_table(Run& run, const VibrationModes& modes) {
  Log& log = run.log();
  std::string head = "mode  frequency [Hz]     omega^2 [1/s^2]  residual  effective mass [%]:";
  for (const int d : modes.directions) head += fmt::format("{:>7}", "xyz"[d]);
  log.line("{}", head);
  std::vector<double> sums(modes.directions.size(), 0.0);
  const auto share = [&](std::size_t d, double mass) { return fmt::format("{:7.2f}", 100 * mass / modes.total_mass[d]); };
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    std::string line = fmt::format("{:4}  {:14.7g}  {:18.8e}  {:8.1e}                     ", k + 1, modes.frequencies[k], modes.eigen.values[k], modes.eigen.residuals[k]);
    for (std::size_t d = 0; d < sums.size(); ++d) {
      sums[d] += modes.effective_mass[k][d];
      line += share(d, modes.effective_mass[k][d]);
    }
    log.line("{}{}", line, static_cast<int>(k) < modes.rigid_count ? "  rigid-body mode" : "");
  }
  std::string total = fmt::format("{:>73}", "sum:");
  for (std::size_t d = 0; d < sums.size(); ++d) total += share(d, sums[d]);
  log.line("{}", total);
  log.line("count: {}", modes.eigen.verification);
}

void record(Run& run, const VibrationModes& modes, Index unknowns, double mass, const ModalSettings& settings) {
  const EigenSolution& s = modes.eigen;
  SolveReport report;
  report.method = s.method;
  report.preconditioner = s.preconditioner;
  report.choice = s.choice;
  report.reason = s.reason;
  report.iterations = s.iterations;
  report.memory_needed = s.factor_foreseen;
  report.true_relative_residual = s.residuals.empty() ? 0 : std::ranges::max(s.residuals);
  run.record(report, unknowns);
  auto& facts = run.report().facts;
  facts["total_mass"] = fmt::format("{:.10g}", mass);
  facts["frequencies_hz"] = fmt::format("{:.12g}", fmt::join(modes.frequencies, " "));
  facts["eigenvalues"] = fmt::format("{:.12g}", fmt::join(s.values, " "));
  facts["residuals"] = fmt::format("{:.3e}", fmt::join(s.residuals, " "));
  facts["rigid_body_modes"] = fmt::format("{}", modes.rigid_count);
  facts["mode_count"] = s.verification;
  for (std::size_t d = 0; d < modes.directions.size(); ++d) {
    std::vector<double> participation, mass_share;
    for (std::size_t k = 0; k < s.values.size(); ++k) {
      participation.push_back(modes.participation[k][d]);
      mass_share.push_back(modes.effective_mass[k][d]);
    }
    const char axis = "xyz"[modes.directions[d]];
    facts[fmt::format("participation_{}", axis)] = fmt::format("{:.10g}", fmt::join(participation, " "));
    facts[fmt::format("effective_mass_{}", axis)] = fmt::format("{:.10g}", fmt::join(mass_share, " "));
  }
  if (std::ranges::any_of(s.residuals, [&](double residual) { return residual > settings.eigen.relative; }))
    run.log().notice("some residuals stop at the rounding of the stiffness matrix, above the tolerance");
}

std::string mode_name(std::size_t mode) { return fmt::format("mode_{}", mode + 1); }

double largest_displacement(const std::vector<double>& shape, std::size_t components) {
  double square = 0;
  for (std::size_t i = 0; i < shape.size(); i += components) {
    double sum = 0;
    for (std::size_t c = 0; c < components; ++c) sum += shape[i + c] * shape[i + c];
    square = std::max(square, sum);
  }
  return std::sqrt(square);
}

double size_of(const Mesh& mesh) {
  double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
  for (Index node = 0; node < mesh.node_count(); ++node)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], mesh.point(node)[d]);
      high[d] = std::max(high[d], mesh.point(node)[d]);
    }
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

void write_modes(Run& run, const FunctionSpace& space, const VibrationModes& modes, const ModalSettings& settings) {
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<Field> fields;
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  Vector x = space.zeros();
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    modes.eigen.vectors->get_column(static_cast<int>(k), x);
    const double scale = settings.unit_maximum ? 1 / largest_displacement(space.to_mesh(x), components) : 1;
    fields.push_back(run.fields().of(mode_name(k), space, x, scale));
  }
  phase.reset();
  run.write(fields, {});
  const double amplitude = settings.factor > 0 ? settings.factor : 0.1 * size_of(space.mesh());
  for (const Field& mode : fields) {
    if (settings.phases == 0) break;
    const double scale = amplitude / largest_displacement(mode.values, components);
    run.write_series(mode.name, settings.phases, [&](int phase) {
      const double time = static_cast<double>(phase) / settings.phases;  // in periods
      Field moved = mode;
      moved.name = "displacement";
      for (std::vector<double>* values : {&moved.values, &moved.finer_values})
        for (double& value : *values) value *= scale * std::sin(2 * std::numbers::pi * time);
      return std::pair{time, std::vector<Field>{std::move(moved)}};
    });
  }
}

int rigid_motions_of(const Constraints& fixed, RigidModes modes) {
  int count = 0;
  for (const FreePart& part : free_parts(fixed, modes)) count += static_cast<int>(part.motions.size());
  return count;
}

void modal(Run& run) {
  const Mesh& mesh = run.mesh();
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "model");
  const int dimension = mesh.dimension();
  const PlaneModel plane = plane_model(run.input(), mesh, {"plane_strain", "plane_stress", "axisymmetric"}, "");
  const std::vector<ElasticMaterial> materials = elastic_materials(run, mesh, "[kg/m^3]", {});
  std::vector<Integral> elastic, inertial;
  for (const ElasticMaterial& m : materials) {
    elastic.push_back(Integral::over(stiffness_form(plane, m), *m.region));
    inertial.push_back(Integral::over(mass_form(plane, mesh, m.density), *m.region));
  }
  phase.reset();
  const FunctionSpace& space = make_space(run, mesh, dimension);
  phase.emplace(run.device().profile(), "model");
  Constraints fixed(space);
  read_supports(run, mesh, plane, fixed, true);
  ModalSettings settings = read_settings(run.input());
  std::vector<Field> results;
  for (int k = 0; k < (settings.eigen.band ? 1000 : settings.eigen.count); ++k) results.push_back({mode_name(static_cast<std::size_t>(k)), dimension});
  const VibrationModel model{rigid_motions_of(fixed, rigid_modes(mesh, plane)), plane.axisymmetric, !run.options().member.empty()};
  phase.reset();
  forecast_modes(run, space, elastic, inertial, model, settings.eigen);
  finish_model(run, fixed, {}, results);

  settings.eigen.progress = run.progress();
  const Operator &stiffness = make_operator(run, space, std::move(elastic)), &masses = make_operator(run, space, std::move(inertial));
  const VibrationModes modes = solve_vibration(stiffness, masses, fixed, model, settings.eigen);
  phase.emplace(run.device().profile(), "fields");
  const bool uniform = std::ranges::all_of(materials, [](const ElasticMaterial& m) { return m.density.is_number(); });
  const double mass = uniform ? mass_of_the_mesh(mesh, plane, materials) : modes.total_mass.front();
  check_mass(modes, mass);
  record(run, modes, space.unknown_count(), mass, settings);
  run.log().line("mass: {:.8g}; rigid motions left by the supports: {}", mass, model.rigid_motions);
  if (modes.frequencies.empty()) run.log().notice("there is no mode in the band");
  print_table(run, modes);
  phase.reset();
  write_modes(run, space, modes, settings);
}

const char* example = R"([mesh]
file = "bracket.msh"
scale = 0.001                 # the mesh is in mm

[[material]]
region = "all"
young = 210e9                 # Pa
poisson = 0.3
density = 7850                # kg/m^3

[[displacement]]
region = "clamp"
fixed = true                  # leave it out for a free body

[modal]
count = 10                    # or band = [100, 2000] in Hz
animate = 24                  # files of one period for each mode
)";

}  // namespace
}  // namespace ritz

int main(int argc, char** argv) {
  return ritz::run_app(argc, argv, {"ritz-modal", "Frequencies and shapes of free vibration: solid, plane and axisymmetric elastic bodies.", ritz::example},
                       ritz::modal);
}
