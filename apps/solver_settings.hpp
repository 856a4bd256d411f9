// [solver] of a case: how a linear system is to be solved.
#pragma once

#include "io/case.hpp"
#include "solvers/linear_solver_options.hpp"

namespace ritz {

// What is wrong is added to the case. `tolerance`: relative, where the case names none.
LinearSolverOptions read_solver(const Case& input, double tolerance);

}  // namespace ritz
