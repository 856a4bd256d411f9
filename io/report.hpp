// What a script wants to know about a run, as one JSON file. A plain struct that the program fills as it goes; it is
// written in every outcome, also after an error.
//
//   RunReport report;  report.complete();  write_report("run.json", report);
#pragma once

#include "device/error.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct RunPhase {
  std::string name;
  double seconds = 0;
  std::int64_t bytes = 0;  // moved between host and device, or read and written
};

struct SolverOutcome {
  std::string method, preconditioner;
  std::int64_t iterations = 0;
  std::string reason;                  // why it stopped
  double true_relative_residual = -1;  // recomputed in double precision; negative: none
  double error_estimate = -1;          // of ||x - x_exact|| / ||x||; negative: not known
  std::string error_norm;              // of the estimate: "energy" or "Euclidean"
  std::string choice;                  // why this method
  std::int64_t memory_needed = 0, memory_used = 0;  // [bytes] of a factorisation; 0: none
  std::vector<std::string> fallbacks = {};          // what was tried before, and why it was given up
  std::vector<double> last_residuals = {};          // relative, of the last iterations: the end of the history
};

// What came of one of several load cases, or of a combination of them.
struct LoadCaseOutcome {
  std::string name;
  SolverOutcome solve;
  std::vector<std::pair<std::string, std::vector<double>>> probes;  // name -> one number or a vector
  std::map<std::string, std::string> facts;
  std::string output;                                               // the file with its fields
};

struct MemoryUse {
  std::int64_t host_peak = 0, device_peak = 0;            // [bytes]
  std::vector<std::pair<std::string, std::int64_t>> by_tag;  // [bytes]
};

struct RunReport {
  std::string program, case_file, mesh_file, device;
  std::string status = "failed";  // complete | stopped | failed
  Exit exit = Exit::internal;
  std::int64_t cells = 0, nodes = 0, unknowns = 0;
  std::vector<RunPhase> phases;
  std::vector<SolverOutcome> solves;  // one per linear or nonlinear solve; a script reads the last as "solver"
  MemoryUse memory;
  std::vector<std::pair<std::string, std::vector<double>>> probes;  // name -> one number or a vector
  std::map<std::string, std::string> facts;                         // anything else worth recording
  std::vector<LoadCaseOutcome> load_cases, combinations;            // then probes and facts stand there
  std::vector<std::string> outputs;                                 // files committed
  std::vector<std::string> notices;
  std::vector<Error> errors;

  void fail(const Error& error);  // status, exit code and the error, or all errors of an Errors
  void complete();                // status complete, exit code 0
};

std::string to_json(const RunReport& report);
// Throws Error(Exit::output). The file appears complete or not at all.
void write_report(const std::string& path, const RunReport& report);

// Peak resident memory of this process [bytes], from /proc; 0 where there is none.
std::int64_t host_memory_peak();

}  // namespace ritz
