#include "apps/analyses/mixed_analysis.hpp"

#include "apps/analyses/analyses.hpp"
#include "apps/analyses/forecast.hpp"
#include "apps/cases/model.hpp"
#include "device/host_memory.hpp"
#include "fem/ranks/divided_fields.hpp"
#include "fem/analysis/mixed_statics.hpp"
#include "fem/analysis/static_forecast.hpp"
#include "fem/results/curl_results.hpp"
#include "fem/results/vector_field.hpp"
#include "io/files/byte_size.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/curved_cells.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

// One way to solve the equations, as the report has it. host: copies beside the device, the factor among them.
RunForecast forecast_of(const Device& device, const char* path, const MemoryNeeds& needs, Index factor, Index host) {
  RunForecast one;
  const bool gpu = device.is_gpu();
  const Index on_device = needs.total() + (gpu ? factor : 0);
  one.path = path;
  one.device_peak = device.memory().live() + on_device;
  one.by_tag.assign(needs.by_tag().begin(), needs.by_tag().end());
  one.factor = factor;
  const Index counted = host + (gpu ? 0 : on_device);
  const Index loaded = uncounted::kernels + uncounted::writer + uncounted::writer_used +
                       (factor > 0 ? uncounted::factorisation : 0) +
                       uncounted::kept_by_allocator(host_memory_live() + counted);
  one.host_peak = std::max(host_memory_peak(), host_memory_now() + counted + loaded);
  const Index limit = host_memory_limit();
  one.fits = on_device <= device.memory().available() &&
             (limit == 0 || host_memory_live() + host + (gpu ? 0 : on_device) <= limit);
  return one;
}

// The factor is counted by an analysis of the matrix's pattern, for which there must be room; else it is not known.
RunForecast direct_forecast(const Device& device, const MixedOperator& equations, const LinearSolverOptions& solver,
                            std::string& remark) {
  const MemoryNeeds needs = mixed_statics_needs(equations, MixedPath::direct, solver);
  MixedFactorNeeds factor;
  try {
    factor = mixed_factor_needs(equations);
  } catch (const Error& error) {
    if (error.exit() != Exit::resources && error.exit() != Exit::environment) throw;
    remark = "the factor is not counted: " + error.message();
  }
  const bool gpu = device.is_gpu();
  const DirectKind kind = equations.symmetric() ? DirectKind::symmetric : DirectKind::general;
  RunForecast one = forecast_of(device, "direct", needs, factor.factor,
                                factor.host_copies + (gpu ? 0 : resident_factor(factor.factor, kind)));
  one.fits = one.fits && remark.empty();
  return one;
}

// Does nothing without --check or --estimate. The way that is tried first comes first.
void forecast(Run& run, const MixedCase& read) {
  const RunOptions& options = run.options();
  if (!options.check || options.describe || !run.input().sound()) return;
  const Device& device = run.device();
  const MixedOperator& equations = *read.equations;
  const LinearMethod method = read.solver.method;
  const bool direct_first = first_path(equations, read.solver) == MixedPath::direct;
  std::string remark;
  std::vector<RunForecast> paths;
  if (method != LinearMethod::direct)
    paths.push_back(
        forecast_of(device, "iterative", mixed_statics_needs(equations, MixedPath::iterative, read.solver), 0, 0));
  if (method == LinearMethod::direct || method == LinearMethod::automatic)
    paths.insert(direct_first ? paths.begin() : paths.end(), direct_forecast(device, equations, read.solver, remark));
  if (options.ranks != nullptr) {
    const auto direct = std::ranges::find(paths, "direct", &RunForecast::path);
    report_forecast_of_ranks(
        run,
        forecast_ranks(equations, direct_first ? MixedPath::direct : MixedPath::iterative, read.solver,
                       {.ranks = options.ranks->count(), .factor = direct == paths.end() ? 0 : direct->factor}),
        device.memory().available());
  }
  const auto fitting = std::ranges::find(paths, true, &RunForecast::fits);
  run.log().line("forecast{}: {} unknowns, device peak {}, host peak {}; {} has {} for it: {}",
                 options.ranks != nullptr ? " of one process" : "", equations.layout().total(),
                 text_of_bytes(paths.front().device_peak), text_of_bytes(paths.front().host_peak), device.info().name,
                 text_of_bytes(device.memory().available()),
                 fitting == paths.end()     ? "too little"
                 : fitting == paths.begin() ? paths.front().path + ", fits"
                                            : "falls back to " + fitting->path);
  if (!remark.empty()) run.log().line("{}", remark);
  if (options.estimate)
    for (const RunForecast& each : paths) {
      run.log().line("{}: device peak {}, host peak {}{}{}", each.path, text_of_bytes(each.device_peak),
                     text_of_bytes(each.host_peak),
                     each.factor > 0 ? ", factor " + text_of_bytes(each.factor) : std::string(),
                     each.fits ? "" : ", too much");
      for (const auto& [tag, bytes] : each.by_tag) run.log().line("  {}: {}", tag, text_of_bytes(bytes));
    }
  std::ranges::move(paths, std::back_inserter(run.report().forecast));
}

// [cell][component] at the centroids.
std::vector<double> values_in_cells(const FunctionSpace& space, const Vector& u) {
  const std::vector<double> values = u.host();
  const Mesh& mesh = space.mesh();
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<double> result(static_cast<std::size_t>(mesh.cell_count()) * components, 0.0);
  std::vector<Node> nodes;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const ReferenceElement& element = space.element(mesh.kind_of(cell));
    space.nodes_of(cell, nodes);
    std::vector<double> N(nodes.size());
    std::vector<Point> gradients(nodes.size());
    element.evaluate(reference_centroid(mesh.kind_of(cell)), N, gradients);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t c = 0; c < components; ++c)
        result[static_cast<std::size_t>(cell) * components + c] +=
            N[a] * values[static_cast<std::size_t>(nodes[a]) * components + c];
  }
  return result;
}

std::vector<double> sizes_of(const Field& field) {
  const auto components = static_cast<std::size_t>(field.components);
  std::vector<double> sizes(field.values.size() / components);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < components; ++c)
      sum += field.values[i * components + c] * field.values[i * components + c];
    sizes[i] = std::sqrt(sum);
  }
  return sizes;
}

void report_range(Run& run, const Mesh& mesh, const Field& field) {
  if (field.components == 1) return print_range(run, mesh, field.name, field.values);
  print_peak(run, mesh, field.name, sizes_of(field));
}

void report_peak_in_cells(Run& run, const Mesh& mesh, const Field& field) {
  const std::vector<double> sizes = sizes_of(field);
  const auto most = std::ranges::max_element(sizes);
  const Index cell = most - sizes.begin();
  const Point x = CellMap(mesh, cell).at(reference_centroid(mesh.kind_of(cell)));
  run.log().line("peak {}: {:.6g} at ({:.4g}) m", field.name, *most,
                 fmt::join(x.begin(), x.begin() + mesh.dimension(), ", "));
}

// The size of the sums in the equations of a field, of terms that may cancel: those of the other fields, with signs
// that are thrown.
double flows_into(const MixedOperator& equations, int field, const Vector& u) {
  const auto equations_at = [&](const Vector& at) {
    Vector r = equations.zeros();
    equations.residual(at, r);
    return equations.layout().part(r, field).host();
  };
  std::vector<double> thrown = u.host();
  for (std::size_t i = 0; i < thrown.size(); ++i)
    if ((i * 0x9E3779B97F4A7C15u) >> 63 != 0) thrown[i] = -thrown[i];
  Vector flows(u.device(), thrown, "vectors");
  Vector own = equations.layout().part(flows, field);
  own.fill_zero();
  equations.layout().put(own, field, flows);
  const std::vector<double> with = equations_at(flows), without = equations_at(equations.zeros());
  double size = 0;
  for (std::size_t i = 0; i < with.size(); ++i) size += std::abs(with[i] - without[i]) + std::abs(without[i]);
  return size;
}

// A scalar field that is prescribed in one place alone has a free level there, unless the prescribed values and loads
// of the other fields are not in balance: then that place gives or takes the rest.
void report_imbalance(Run& run, const MixedCase& read, const MixedSolution& s) {
  const MixedOperator& equations = *read.equations;
  for (int k = 0; k < equations.field_count(); ++k) {
    const FunctionSpace& space = equations.space(k);
    const Constraints& held = (*read.supports)[k];
    const bool in_cells = equations.family(k) == Family::cell;
    const Index one = in_cells ? space.unknown_count() / std::max<Index>(1, space.mesh().cell_count()) : 1;
    if (space.components() != 1 || held.count() == 0 || held.count() > one) continue;
    if (!in_cells && equations.family(k) != Family::lagrange) continue;
    double taken = 0;
    for (const double each : equations.layout().part(s.reaction, k).host()) taken += each;
    if (std::abs(taken) <= std::max(1e-5, 1e4 * s.residual) * flows_into(equations, k, s.u)) continue;
    run.log().notice(
        fmt::format("'{}' is prescribed in one place, which takes {:.6g} there: the prescribed values and loads of the "
                    "other fields "
                    "are not in balance, and the solution is that of a source in this place",
                    read.fields[static_cast<std::size_t>(k)].name, taken));
  }
}

void add_curl_results(Run& run, const FieldFacts& facts, CurlResults results, std::vector<Field>& cells) {
  const int components = run.mesh().dimension() == 3 ? 3 : 1;
  cells.push_back({facts.name, 3, std::move(results.values)});
  for (auto& [name, values] : {std::pair{curl_name(facts), &results.curls}, {curl_flux_name(facts), &results.fluxes}}) {
    cells.push_back({name, components, std::move(*values)});
    report_peak_in_cells(run, run.mesh(), cells.back());
  }
}

void show(Run& run, const MixedCase& read, const MixedSolution& s) {
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  const MixedOperator& equations = *read.equations;
  const Mesh& mesh = run.mesh();
  std::vector<Field> nodal, cells;
  bool closely = true;  // the field whose own polynomials probes and files have: the first one at nodes
  for (int k = 0; k < equations.field_count(); ++k) {
    const FieldFacts& facts = read.fields[static_cast<std::size_t>(k)];
    const FunctionSpace& space = equations.space(k);
    const Vector u = equations.layout().part(s.u, k), reaction = equations.layout().part(s.reaction, k);
    if (facts.family == Family::lagrange) {
      nodal.push_back(closely ? run.results().fields().of(facts.name, space, u)
                              : Field{facts.name, space.components(), space.to_mesh(u)});
      closely = false;
      report_range(run, mesh, nodal.back());
      nodal.push_back({.name = std::string("reaction_") + facts.name,
                       .components = space.components(),
                       .values = space.forces_to_mesh(reaction),
                       .forces = true});
    } else if (facts.family == Family::cell) {
      cells.push_back({facts.name, space.components(), values_in_cells(space, u)});
    } else if (has_curl(facts)) {
      add_curl_results(run, facts, curl_results(equations, k, s.u), cells);
    } else {
      cells.push_back({facts.name, 3, VectorField(equations, k, s.u).in_cells()});
    }
  }
  if (equations.symmetric() && std::ranges::any_of(read.fields, has_curl)) {
    const Works of = works(equations, s.u);
    run.log().line("energy u.K u / 2: {:.6g}, work u.f of the loads: {:.6g}", of.energy, of.of_loads);
    run.results().facts()["energy"] = fmt::format("{:.10g}", of.energy);
    run.results().facts()["work_of_loads"] = fmt::format("{:.10g}", of.of_loads);
  }
  run.log().line("relative residual {:.1e}", s.residual);
  if (!s.notice.empty()) run.log().notice(s.notice);
  report_imbalance(run, read, s);
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", s.residual);
  phase.reset();
  run.results().write(std::move(nodal), std::move(cells));
}

}  // namespace

void run_mixed_case(Run& run, const MixedCase& read) {
  if (const Ranks* const ranks = run.options().ranks; ranks != nullptr && read.equations)
    check_divisible(*read.equations, *ranks);
  if (read.equations) forecast(run, read);
  run.checked({read.nodal_results, read.cell_results});
  const MixedSolution s = solve(*read.equations, *read.supports, read.solver);
  run.results().record(s.report, s.u.size());
  show(run, read, s);
}

void run_form_case(Run& run) {
  const FormOfCase form = read_form_name(run);
  if (form.has_several_fields()) return run_mixed_case(run, read_mixed(run, form));
  run_case(run, read_form(run, form));
}

}  // namespace ritz
