// [newton] of the case, and what is said of a run of Newton's method.
#pragma once

#include "apps/run.hpp"
#include "fem/nonlinear_solution.hpp"

namespace ritz {

NonlinearOptions read_newton(Run& run, const LinearSolverOptions& linear);
void record_newton(Run& run, const NonlinearSolution& solution, Index unknowns);

}  // namespace ritz
