// A static problem by one way through memory. Private to fem; solve_static chooses the way and steps down where one
// does not fit.
#pragma once

#include "fem/analysis/static_solution.hpp"

namespace ritz {

// With or without a matrix as the options say; keeps_cold: what is not in use waits on the host, and load cases are
// solved one after the other. Throws Error(Exit::resources) where it does not fit.
StaticSolutions solve_in_one_way(const Operator& equations, const LoadCases& loads, const LinearSolverOptions& options,
                                 const Progress& progress, StaticReuse* reuse, bool keeps_cold = false);

}  // namespace ritz
