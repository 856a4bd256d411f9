// [solver] of a case: how a linear system is to be solved.
#pragma once

#include "device/message_sink.hpp"
#include "io/case/case.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <functional>
#include <string>

namespace ritz {

// Limit for a solution if no tolerance below the default is named: less than any mesh leaves.
constexpr double error_that_rounding_may_leave = 1e-5;

// Errors are added to the case; `notice` is called for keys that have no effect. `tolerance`: relative, if the case
// names none.
LinearSolverOptions read_solver(const Case& input, double tolerance, const MessageSink& notice);

}  // namespace ritz
