// [solver] of a case: how a linear system is to be solved.
#pragma once

#include "io/case/case.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <functional>
#include <string>

namespace ritz {

// Of a solution, where no smaller tolerance than the usual one is named: less than any mesh leaves.
constexpr double error_that_rounding_may_leave = 1e-5;

// What is wrong is added to the case; `notice` takes what was given and has no effect. `tolerance`: relative, where the
// case names none.
LinearSolverOptions read_solver(const Case& input, double tolerance,
                                const std::function<void(const std::string&)>& notice);

}  // namespace ritz
