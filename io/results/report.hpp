// The report of a run for scripts, as one JSON file. A plain struct that the program fills as it proceeds; it is
// written in every outcome, also after an error.
//
//   RunReport report;  report.complete();  write_report("run.json", report);
#pragma once

#include "device/error.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct RunPhase {
  std::string name;
  double seconds = 0;
  std::int64_t bytes = 0;  // moved between host and device
  std::int64_t calls = 0, scalar_reads = 0;
  std::int64_t peak_memory = 0;             // [bytes] of the device's pool while it was open
  std::int64_t to_device = 0, to_host = 0;  // [bytes] the two parts of `bytes`
  std::int64_t kernel_bytes = 0;            // read and written by kernels that say so, docs/profile.md; 0: none does
};

struct SolverOutcome {
  std::string method, preconditioner;
  std::int64_t iterations = 0;
  std::string reason;                               // why it stopped
  double true_relative_residual = -1;               // recomputed in double precision; negative: none
  double error_estimate = -1;                       // of ||x - x_exact|| / ||x||; negative: not known
  std::string error_norm;                           // of the estimate: "energy" or "Euclidean"
  std::string choice;                               // why this method
  std::int64_t memory_needed = 0, memory_used = 0;  // [bytes] of a factorisation; 0: none
  std::vector<std::string> fallbacks = {};          // methods tried before, and why they were given up
  std::vector<double> last_residuals = {};          // relative, of the last iterations: the end of the history
};

// The outcome of one of several load cases, of a combination of them, or of a step.
struct LoadCaseOutcome {
  std::string name;
  SolverOutcome solve;
  std::vector<std::pair<std::string, std::vector<double>>> probes;  // name -> one number or a vector
  std::map<std::string, std::string> facts;
  std::string output;  // the file with its fields
};

// All in bytes. The device's are those of its pool; on a CPU they are part of the host's.
struct MemoryUse {
  std::int64_t host_peak = 0;  // resident memory of the process
  // in blocks from 64 KiB at most (device/host_memory.hpp); a limit of 0: none
  std::int64_t host_counted = 0, host_limit = 0;
  std::int64_t device_peak = 0;       // handed out at most
  std::int64_t device_held_peak = 0;  // with the cache: never above the limit
  std::int64_t device_limit = 0;
  std::int64_t live = 0, cached = 0;  // at the end
  std::int64_t pressed = 0;           // of the cache given back because another block did not fit
  // host memory for copies to and from a device with memory of its own
  std::int64_t pinned_peak = 0, pinned_cached = 0;
  double fragmentation = 0;  // at the end: fraction of held memory that is not in use
  struct Tag {
    std::string name;
    std::int64_t live = 0, peak = 0, at_peak = 0;  // at_peak: when all together were at their peak; these add up to it
  };
  std::vector<Tag> tags;
};

// The needs of one way to solve the case, reported by --check and --estimate. [bytes]
struct RunForecast {
  std::string path;
  std::int64_t device_peak = 0, host_peak = 0, factor = 0;  // factor: of the direct solver, in one of them
  std::int64_t refresh = 0, host_refresh = 0;               // peaks of a sweep that refreshes its hierarchy; 0: none is
  std::vector<std::pair<std::string, std::int64_t>> by_tag;  // at the device's peak
  bool fits = false;
};

// The needs of a run on several ranks, at the pool's peaks [bytes]; numbers of nodes and cells, and what a rank sends
// in an iteration between nodes of the finest level.
struct RanksForecastReport {
  struct Rank {
    std::int64_t device_peak = 0, nodes = 0, ghosts = 0, cells = 0, neighbours = 0, messages = 0, bytes = 0;
    std::int64_t factor = 0;  // [bytes] of the direct solver, on the host
    std::string moment;
    std::vector<std::pair<std::string, std::int64_t>> by_tag;
  };
  std::string path;
  std::vector<Rank> ranks;
};

// The outcome of a member of a sweep.
struct SweepOutcome {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // key -> TOML
  std::string status;                                       // complete | failed | kept: it was there
  Exit exit = Exit::ok;
  std::vector<std::pair<std::string, std::vector<double>>> probes;
  std::map<std::string, std::string> facts;  // of its report; those of a load case as "case:fact"
  std::int64_t iterations = 0;
  // from its start to its end, waiting for others included
  double seconds = 0;
  std::vector<std::string> outputs;
};

struct RunReport {
  std::string program, case_file, mesh_file, device;
  std::string units = "SI";       // of its numbers: SI, mm (mm, N, s, t) or none, which is not known
  std::string status = "failed";  // complete | stopped | failed
  Exit exit = Exit::internal;
  std::int64_t cells = 0, nodes = 0, unknowns = 0;
  std::vector<RunPhase> phases;
  double copy_rate = 0;               // [bytes/s] of the device, read plus written; 0: not measured
  double background_writing = 0;      // [s] spent on results beside the phases
  std::vector<SolverOutcome> solves;  // one per linear or nonlinear solve; a script reads the last as "solver"
  MemoryUse memory;
  std::vector<RunForecast> forecast;
  std::optional<RanksForecastReport> forecast_of_ranks;
  std::vector<std::pair<std::string, std::vector<double>>> probes;  // name -> one number or a vector
  std::map<std::string, std::string> probe_units;                   // "Pa"; of those whose unit is known
  std::map<std::string, std::string> facts;                         // anything else worth recording
  std::vector<LoadCaseOutcome> load_cases, combinations, steps;     // then they hold probes and facts
  std::vector<SweepOutcome> sweep;                                  // by member, in the order of their ends
  std::vector<std::string> outputs;                                 // files committed
  std::vector<std::string> missing_fields;                          // from the results, for lack of memory
  std::vector<std::string> notices;
  std::vector<Error> errors;

  void fail(const Error& error);  // status, exit code and the error, or all errors of an Errors
  void complete();                // status complete, exit code 0
};

std::string to_json(const RunReport& report);
// Throws Error: Exit::output. The file appears complete or not at all.
void write_report(const std::string& path, const RunReport& report);

// Peak resident memory of this process [bytes], from /proc; 0 where there is none.
std::int64_t host_memory_peak();
std::int64_t host_memory_now();

}  // namespace ritz
