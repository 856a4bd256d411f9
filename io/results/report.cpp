#include "io/results/report.hpp"

#include "io/files/atomic_file.hpp"
#include "io/files/version.hpp"
#include "io/results/error_catalogue.hpp"

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity: they are written as text, so that a script sees them.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json solve(const SolverOutcome& outcome) {
  return {
      {"method", outcome.method},
      {"preconditioner", outcome.preconditioner},
      {"iterations", outcome.iterations},
      {"reason", outcome.reason},
      {"true_relative_residual", outcome.true_relative_residual < 0 ? Json() : number(outcome.true_relative_residual)},
      {"error_estimate", outcome.error_estimate < 0 ? Json() : number(outcome.error_estimate)},
      {"error_norm", outcome.error_norm},
      {"choice", outcome.choice},
      {"factor_bytes_foreseen", outcome.memory_needed},
      {"factor_bytes", outcome.memory_used},
      {"fallbacks", outcome.fallbacks},
      {"last_residuals", numbers(outcome.last_residuals)}};
}

Json probes(const std::vector<std::pair<std::string, std::vector<double>>>& list) {
  Json json = Json::object();
  for (const auto& [name, values] : list) {
    Json numbers = Json::array();
    for (const double value : values) numbers.push_back(number(value));
    json[name] = values.size() == 1 ? numbers[0] : numbers;
  }
  return json;
}

Json outcomes(const std::vector<LoadCaseOutcome>& list) {
  Json json = Json::object();
  for (const LoadCaseOutcome& each : list)
    json[each.name] = {
        {"solver", solve(each.solve)}, {"probes", probes(each.probes)}, {"facts", each.facts}, {"output", each.output}};
  return json;
}

Json ranks_forecast(const RanksForecastReport& forecast) {
  Json ranks = Json::array();
  for (const RanksForecastReport::Rank& each : forecast.ranks) {
    Json tags = Json::object();
    for (const auto& [tag, bytes] : each.by_tag) tags[tag] = bytes;
    ranks.push_back({{"device_peak", each.device_peak},
                     {"moment", each.moment},
                     {"at_peak", tags},
                     {"factor", each.factor},
                     {"nodes", each.nodes},
                     {"ghosts", each.ghosts},
                     {"cells", each.cells},
                     {"neighbours", each.neighbours},
                     {"messages_per_iteration", each.messages},
                     {"bytes_per_iteration", each.bytes}});
  }
  return {{"path", forecast.path}, {"ranks", ranks}};
}

Json sweep(const std::vector<SweepOutcome>& list) {
  Json json = Json::object();
  for (const SweepOutcome& each : list) {
    Json values = Json::object();
    for (const auto& [key, value] : each.values) values[key] = value;
    json[each.name] = {{"values", values},
                       {"status", each.status},
                       {"exit_code", static_cast<int>(each.exit)},
                       {"probes", probes(each.probes)},
                       {"facts", each.facts},
                       {"iterations", each.iterations},
                       {"seconds", number(each.seconds)},
                       {"outputs", each.outputs}};
  }
  return json;
}

// "by_tag" is the peak of each tag on its own, "at_peak" what each held when all together were at their peak.
Json memory(const MemoryUse& use) {
  Json json = {{"host_peak", use.host_peak},
               {"host_counted", use.host_counted},
               {"host_limit", use.host_limit},
               {"device_peak", use.device_peak},
               {"device_held_peak", use.device_held_peak},
               {"device_limit", use.device_limit},
               {"live", use.live},
               {"cached", use.cached},
               {"given_back_under_pressure", use.pressed},
               {"fragmentation", number(use.fragmentation)},
               {"pinned_peak", use.pinned_peak},
               {"pinned_cached", use.pinned_cached},
               {"by_tag", Json::object()},
               {"at_peak", Json::object()},
               {"live_by_tag", Json::object()}};
  for (const MemoryUse::Tag& tag : use.tags) {
    json["by_tag"][tag.name] = tag.peak;
    json["at_peak"][tag.name] = tag.at_peak;
    json["live_by_tag"][tag.name] = tag.live;
  }
  return json;
}

// Unknown values are null.
Json one_phase(const RunPhase& phase, double copy_rate) {
  const double rate = phase.kernel_bytes > 0 && phase.seconds > 0 ? double(phase.kernel_bytes) / phase.seconds : 0;
  return {{"seconds", number(phase.seconds)},
          {"bytes", phase.bytes},
          {"to_device", phase.to_device},
          {"to_host", phase.to_host},
          {"calls", phase.calls},
          {"scalar_reads", phase.scalar_reads},
          {"peak_memory", phase.peak_memory},
          {"kernel_bytes", phase.kernel_bytes},
          {"kernel_rate", rate > 0 ? Json(rate) : Json()},
          {"of_copy_rate", rate > 0 && copy_rate > 0 ? Json(rate / copy_rate) : Json()}};
}

Json error(const Error& error) {
  return {{"kind", entry_of(error).name},
          {"exit_code", static_cast<int>(error.exit())},
          {"what", error.message()},
          {"why", error.why()},
          {"fix", error.fix()}};
}

}  // namespace

void RunReport::fail(const Error& error) {
  // 75, 124, 128 + signal
  status = static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped) ? "stopped" : "failed";
  exit = error.exit();
  if (const auto* several = dynamic_cast<const Errors*>(&error))
    errors.insert(errors.end(), several->list().begin(), several->list().end());
  else errors.push_back(error);
}

void RunReport::complete() {
  status = "complete";
  exit = Exit::ok;
}

std::string to_json(const RunReport& report) {
  Json json;
  json["program"] = report.program;
  json["units"] = report.units;
  json["version"] = ritz_version();
  json["status"] = report.status;
  json["exit_code"] = static_cast<int>(report.exit);
  json["case"] = report.case_file;
  json["mesh"] = report.mesh_file;
  json["device"] = report.device;
  json["cells"] = report.cells;
  json["nodes"] = report.nodes;
  json["unknowns"] = report.unknowns;
  json["phases"] = Json::object();
  json["copy_rate"] = report.copy_rate > 0 ? Json(number(report.copy_rate)) : Json();
  for (const RunPhase& phase : report.phases) json["phases"][phase.name] = one_phase(phase, report.copy_rate);
  json["written_in_background_s"] = number(report.background_writing);
  json["solver"] = report.solves.empty() ? Json() : solve(report.solves.back());
  json["solves"] = Json::array();
  for (const SolverOutcome& outcome : report.solves) json["solves"].push_back(solve(outcome));
  json["memory"] = memory(report.memory);
  json["forecast"] = Json::object();
  for (const RunForecast& each : report.forecast) {
    Json tags = Json::object();
    for (const auto& [tag, bytes] : each.by_tag) tags[tag] = bytes;
    json["forecast"][each.path] = {{"device_peak", each.device_peak},
                                   {"host_peak", each.host_peak},
                                   {"factor", each.factor},
                                   {"device_peak_refreshed", each.refresh},
                                   {"host_peak_refreshed", each.host_refresh},
                                   {"fits", each.fits},
                                   {"at_peak", tags}};
  }
  if (report.forecast_of_ranks) json["forecast_of_ranks"] = ranks_forecast(*report.forecast_of_ranks);
  json["probes"] = probes(report.probes);
  json["probe_units"] = report.probe_units;
  json["facts"] = report.facts;
  json["load_cases"] = outcomes(report.load_cases);
  json["combinations"] = outcomes(report.combinations);
  json["steps"] = outcomes(report.steps);
  json["sweep"] = sweep(report.sweep);
  json["outputs"] = report.outputs;
  json["missing_fields"] = report.missing_fields;
  json["notices"] = report.notices;
  json["errors"] = Json::array();
  for (const Error& each : report.errors) json["errors"].push_back(error(each));
  // Names from the user's files may hold bytes that are not UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_report(const std::string& path, const RunReport& report) { write_named_file(path, to_json(report)); }

namespace {

std::int64_t status_of_process(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) return std::strtoll(line.c_str() + key.size(), nullptr, 10) * 1024;
  return 0;
}

}  // namespace

std::int64_t host_memory_peak() { return status_of_process("VmHWM:"); }
std::int64_t host_memory_now() { return status_of_process("VmRSS:"); }

}  // namespace ritz
