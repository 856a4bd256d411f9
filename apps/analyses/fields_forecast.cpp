#include "apps/analyses/fields_forecast.hpp"

#include "apps/analyses/forecast.hpp"
#include "device/host_memory.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/analysis/fields_needs.hpp"
#include "fem/analysis/static_forecast.hpp"
#include "io/files/byte_size.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace ritz {
namespace {

// One way to solve the equations, as the report has it. host: copies beside the device, the factor among them.
RunForecast path_forecast(const Device& device, const char* path, const MemoryNeeds& needs, Index factor, Index host) {
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
RunForecast direct_forecast(const Device& device, const FieldsOperator& equations, const LinearSolverOptions& solver,
                            const MemoryNeeds& beside, std::string& remark) {
  const MemoryNeeds needs = fields_needs(equations, MixedPath::direct, solver) + beside;
  FieldsFactorNeeds factor;
  try {
    factor = fields_factor_needs(equations);
  } catch (const Error& error) {
    if (error.exit() != Exit::resources && error.exit() != Exit::environment) throw;
    remark = "the factor is not counted: " + error.message();
  }
  const bool gpu = device.is_gpu();
  const DirectKind kind = equations.facts().symmetric ? DirectKind::symmetric : DirectKind::general;
  RunForecast one = path_forecast(device, "direct", needs, factor.factor,
                                  factor.host_copies + (gpu ? 0 : resident_factor(factor.factor, kind)));
  one.fits = one.fits && remark.empty();
  return one;
}

// Over ranks, of linear statics.
void forecast_fields_of_ranks(Run& run, const FieldsOperator& equations, const LinearSolverOptions& solver,
                              const std::vector<RunForecast>& paths) {
  const auto direct = std::ranges::find(paths, "direct", &RunForecast::path);
  report_forecast_of_ranks(
      run,
      forecast_ranks(equations, first_path(equations, solver), solver,
                     {.ranks = run.options().ranks->count(), .factor = direct == paths.end() ? 0 : direct->factor}),
      run.device().memory().available());
}

std::string verdict_of(const std::vector<RunForecast>& paths) {
  const auto fitting = std::ranges::find(paths, true, &RunForecast::fits);
  if (fitting == paths.end()) return "too little";
  return fitting == paths.begin() ? paths.front().path + ", fits" : "falls back to " + fitting->path;
}

void list_paths(Log& log, const std::vector<RunForecast>& paths) {
  for (const RunForecast& each : paths) {
    log.line("{}: device peak {}, host peak {}{}{}", each.path, text_of_bytes(each.device_peak),
             text_of_bytes(each.host_peak), each.factor > 0 ? ", factor " + text_of_bytes(each.factor) : std::string(),
             each.fits ? "" : ", too much");
    for (const auto& [tag, bytes] : each.by_tag) log.line("  {}: {}", tag, text_of_bytes(bytes));
  }
}

}  // namespace

void forecast_fields(Run& run, const CaseAnalysis& analysis, const FieldsOfModel& fields) {
  const Device& device = run.device();
  const FieldsOperator& equations = *fields.equations;
  const LinearSolverOptions solver =
      analysis.linear() != nullptr ? *analysis.linear() : LinearSolverOptions{.method = LinearMethod::direct};
  const MemoryNeeds beside = analysis.beside_system(fields);
  const bool is_static = analysis.beyond_linear_statics().empty(),
             over_ranks = is_static && run.options().ranks != nullptr;
  std::string remark;
  std::vector<RunForecast> paths;
  if (solver.method != LinearMethod::direct)
    paths.push_back(
        path_forecast(device, "iterative", fields_needs(equations, MixedPath::iterative, solver) + beside, 0, 0));
  if (solver.method == LinearMethod::direct || solver.method == LinearMethod::automatic)
    paths.insert(first_path(equations, solver) == MixedPath::direct ? paths.begin() : paths.end(),
                 direct_forecast(device, equations, solver, beside, remark));
  if (over_ranks) forecast_fields_of_ranks(run, equations, solver, paths);
  run.log().line("forecast{}: {} unknowns, device peak {}, host peak {}; {} has {} for it: {}",
                 over_ranks  ? " of one process"
                 : is_static ? ""
                             : " of one linear system and of the vectors of the analysis",
                 equations.layout().total(), text_of_bytes(paths.front().device_peak),
                 text_of_bytes(paths.front().host_peak), device.info().name, text_of_bytes(device.memory().available()),
                 verdict_of(paths));
  if (!remark.empty()) run.log().line("{}", remark);
  if (run.options().estimate) list_paths(run.log(), paths);
  std::ranges::move(paths, std::back_inserter(run.report().forecast));
}

}  // namespace ritz
