// Checks of what several ranks can divide among them.
//
//   check_divisible(equations, options, ranks);    throw_not_over_ranks(ranks, "inertia relief", "start one process");
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <string>

namespace ritz {

// Throws Error: Exit::environment: several ranks do not solve `what` together.
[[noreturn]] void throw_not_over_ranks(const Ranks& ranks, const std::string& what, const std::string& fix);

// Throws Error: Exit::environment for what is not divided: more ranks than nodes, internal variables on facets, and a
// factorisation of elements without a matrix; Error: Exit::input for conjugate gradients of a matrix that is not
// symmetric.
void check_divisible(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks);

bool has_states_on_facets(const Operator& equations);

}  // namespace ritz
