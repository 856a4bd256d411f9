// The steps down when memory is short: ONE table, in the order in which they are taken, and ONE loop that takes them.
// Each step leads to the same true residual with less memory and more time. docs/memory.md is this table for users; the
// pool gives back its caches before any of these, and apps/program takes the last step of all, the CPU instead of a
// GPU.
//
//   within_memory(MemoryLevel::cycle, savings, [&] { solve(savings); }, [&](const std::string& text) { log(text); });
#pragma once

#include "device/message_sink.hpp"
#include "device/ranks/ranks.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace ritz {

// Memory savings of a solution: changed by fall-backs, obeyed by the solvers.
struct MemorySavings {
  PreconditionerKind preconditioner = PreconditionerKind::none;
  bool single_precision = true, half_storage = false;  // of the multigrid cycle
  bool matrix = true;                                  // else elements are recomputed in every product
  bool keeps_cold = false;                             // data that is not in use waits on the host
  // Facts about the system, on which steps depend.
  bool needs_matrix = true;      // no method without a matrix suits it
  bool device_is_apart = false;  // the device has memory of its own
};

// A step rebuilds its level and nothing above it: the preconditioner of a system, or the whole system.
enum class MemoryLevel { cycle, system };

struct MemoryStep {
  MemoryLevel level;
  const char *name, *saves, *cost;
  bool (*applies)(const MemorySavings&);
  void (*take)(MemorySavings&);
};
std::span<const MemoryStep> memory_steps();

// Takes the first step of the level that applies. Returns its text for the log and the report: "memory: no matrix (what
// was short), saves ...; cost: ..."; nullopt: none applies.
std::optional<std::string> step_down(MemoryLevel level, MemorySavings& savings, const Error& shortage);

// Attempts; if memory is short, of the device or of the host, takes the next step of the level, reports its text and
// attempts again. Throws the shortage if no step is left. ranks: that attempt it together; null: one process.
template <std::invocable F>
void within_memory(MemoryLevel level, MemorySavings& savings, const F& attempt, const MessageSink& taken,
                   const Ranks* ranks = nullptr) {
  while (const std::optional<Error> shortage = memory_shortage(ranks, attempt)) {
    const std::optional<std::string> step = step_down(level, savings, *shortage);
    if (!step) throw *shortage;
    taken(*step);
  }
}

}  // namespace ritz
