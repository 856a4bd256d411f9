// Linear equations of several fields in balance, by a direct solver: saddle points, too.
//
//   const MixedSolution s = solve(equations, supports, options);   equations.layout().part(s.u, 0);
#pragma once

#include "fem/operator/mixed_constraints.hpp"
#include "solvers/linear/linear_solver_options.hpp"

namespace ritz {

struct MixedSolution {
  Vector u, reaction;   // of all fields; the reaction is what holds prescribed unknowns, and zero elsewhere
  double residual = 0;  // of the free unknowns, relative to what loads and prescribed values ask for at u = 0
  SolveReport report;
};

// Supports are finished. Throws Error(Exit::model) for equations that are nonlinear, and where the matrix is singular;
// Error(Exit::not_converged), and what DirectSolver throws.
MixedSolution solve(const MixedOperator& equations, const MixedConstraints& supports,
                    const LinearSolverOptions& options = {});

// Memory of the device while it solves, without the factor, which the analysis of the direct solver counts.
MemoryNeeds mixed_statics_needs(const MixedOperator& equations);

}  // namespace ritz
