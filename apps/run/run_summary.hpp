// The summary of a run at its end and of each solution: entries of its report, lines of its log.
#pragma once

#include "device/device.hpp"
#include "io/results/log.hpp"
#include "io/results/report.hpp"
#include "solvers/algebra/solve_report.hpp"

#include <string>

namespace ritz {

SolverOutcome outcome_of(const SolveReport& solve);
// "solve: 1000 unknowns, cg with multigrid, 9 iterations, ..."
std::string text_of(const SolveReport& solve, Index unknowns);

// Phases (the first is "start": from the start of the process until the device was there), memory and notices of a
// device and a log.
void collect_run(RunReport& report, const Device& device, const Log& log);

// Times and memory of a report that was collected, with the table by tag where the log is verbose.
void print_summary(Log& log, const RunReport& report);

}  // namespace ritz
