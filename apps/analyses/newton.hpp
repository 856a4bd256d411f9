// [newton] of the case, and what the log and the report say of Newton's method.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/analysis/nonlinear_solution.hpp"

namespace ritz {

Nonlinear read_newton(const Case& input, const LinearSolverOptions& linear);

// A line for each increment but the last.
std::function<void(const AnalysisStep&)> increments_in_log(Log& log);
void report_newton(Run& run, const NonlinearSolution& solution);

}  // namespace ritz
