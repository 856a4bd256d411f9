#include "apps/run/run_summary.hpp"

#include "device/host_memory.hpp"
#include "device/process/process_start.hpp"
#include "io/files/byte_size.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz {
namespace {

std::vector<double> end_of_history(const SolveReport& solve) {
  const std::size_t count = std::min<std::size_t>(10, solve.history.size());
  return {solve.history.end() - static_cast<std::ptrdiff_t>(count), solve.history.end()};
}

// By tag, the largest first; with --verbose.
void print_memory_table(Log& log, const MemoryUse& memory) {
  std::vector<MemoryUse::Tag> tags = memory.tags;
  std::ranges::stable_sort(tags, std::ranges::greater{}, &MemoryUse::Tag::at_peak);
  log.detail("memory of the device by tag: {:<20}{:>12}{:>16}{:>12}", "", "own peak", "at common peak", "at the end");
  for (const MemoryUse::Tag& tag : tags)
    log.detail("  {:<46}{:>12}{:>16}{:>12}", tag.name, text_of_bytes(tag.peak), text_of_bytes(tag.at_peak),
               text_of_bytes(tag.live));
  log.detail(
      "  held at most {} with the cache; at the end {} cached, {:.0f} % of held memory not in use (rounding, cache)",
      text_of_bytes(memory.device_held_peak), text_of_bytes(memory.cached), 100 * memory.fragmentation);
  if (memory.pinned_peak > 0)
    log.detail("  pinned host memory for copies: {} at most, {} cached at the end", text_of_bytes(memory.pinned_peak),
               text_of_bytes(memory.pinned_cached));
  if (memory.pressed > 0)
    log.detail("  {} of the cache given back because a request did not fit", text_of_bytes(memory.pressed));
}

}  // namespace

namespace {

// Names of methods and preconditioners are those of the report; the log has words.
std::string in_words(std::string text) {
  for (const auto& [name, words] :
       {std::pair<std::string_view, std::string_view>{"p-multigrid of orders ", "multigrid over element orders "},
        {"columns at once", "right-hand sides at once"}})
    if (const std::size_t at = text.find(name); at != std::string::npos) text.replace(at, name.size(), words);
  return text;
}

}  // namespace

SolverOutcome outcome_of(const SolveReport& solve) {
  return {
      solve.method,         solve.preconditioner, solve.iterations, name_of(solve.reason), solve.true_relative_residual,
      solve.error_estimate, solve.error_norm,     solve.choice,     solve.memory_needed,   solve.memory_used,
      solve.fallbacks,      end_of_history(solve)};
}

std::string text_of(const SolveReport& solve, Index unknowns) {
  // A superposition, a zero load, or a column that was solved beside others has none of its own.
  const std::string iterations =
      solve.iterations == 0 ? "" : fmt::format(", {} iteration{}", solve.iterations, solve.iterations == 1 ? "" : "s");
  return fmt::format("solve: {} unknowns, {}{}{}{}, {}, true relative residual {:.2e}{}", unknowns,
                     in_words(solve.method), solve.preconditioner.empty() ? "" : " with ",
                     in_words(solve.preconditioner), iterations, name_of(solve.reason), solve.true_relative_residual,
                     solve.error_estimate < 0 || solve.error_norm.empty()
                         ? ""
                         : fmt::format(", estimated error of the solve {:.1e} in the {} norm", solve.error_estimate,
                                       solve.error_norm));
}

void collect_run(RunReport& report, const Device& device, const Log& log) {
  report.phases.clear();
  report.phases.push_back(
      {.name = "start", .seconds = std::max(0.0, process_age() - device.profile().seconds_since_start()), .calls = 1});
  for (const PhaseRecord& phase : device.profile().phases())
    report.phases.push_back({phase.name, phase.seconds, phase.bytes_to_device + phase.bytes_to_host, phase.calls,
                             phase.scalar_reads, phase.peak_memory, phase.bytes_to_device, phase.bytes_to_host,
                             phase.bytes});
  const MemoryStatistics memory = device.memory().statistics(), pinned = device.pinned().statistics();
  report.memory = {.host_peak = host_memory_peak(),
                   .host_counted = host_memory_peak_counted(),
                   .host_limit = host_memory_limit(),
                   .device_peak = memory.peak,
                   .device_held_peak = memory.held_peak,
                   .device_limit = memory.limit,
                   .live = memory.live,
                   .cached = memory.cached,
                   .pressed = memory.pressed,
                   .pinned_peak = pinned.peak,
                   .pinned_cached = pinned.cached,
                   .fragmentation = memory.fragmentation(),
                   .tags = {}};
  for (const auto& [tag, peak] : memory.peak_by_tag) {
    const auto then = memory.at_peak_by_tag.find(tag);
    report.memory.tags.push_back(
        {tag, memory.live_by_tag.at(tag), peak, then == memory.at_peak_by_tag.end() ? 0 : then->second});
  }
  report.notices = log.notices();
}

void print_summary(Log& log, const RunReport& report) {
  std::string times;
  for (const RunPhase& phase : report.phases)
    if (phase.name.find('/') == std::string::npos)
      times += fmt::format("{}{} {:.2f} s", times.empty() ? "" : ", ", phase.name, phase.seconds);
  log.line("time: {:.2f} s ({})", process_age(), times);
  const MemoryUse& memory = report.memory;
  const auto of = [](Index limit) { return limit > 0 ? " of " + text_of_bytes(limit) : ""; };
  const bool is_cpu = report.device.starts_with("cpu");
  log.line("memory: {} {}{}, {} {}{}", is_cpu ? "peak" : "host peak", text_of_bytes(memory.host_peak),
           memory.host_limit > 0
               ? fmt::format(" ({}{} counted)", text_of_bytes(memory.host_counted), of(memory.host_limit))
               : "",
           is_cpu ? "of it matrices and vectors" : "device peak", text_of_bytes(memory.device_peak),
           of(memory.device_limit));
  print_memory_table(log, memory);
}

}  // namespace ritz
