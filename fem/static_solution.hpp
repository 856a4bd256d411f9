// The solution of a linear stationary model: one Newton step from the prescribed values, since its residual is affine in
// the unknown. Matrix and residual come from different element kernels, so the final residual is an independent
// certificate of the solve.
//
//   StaticSolution s = solve_static(equations, constraints, {.relative = 1e-10});
#pragma once

#include "fem/constraints.hpp"
#include "fem/operator.hpp"
#include "solvers/linear_solver.hpp"

#include <functional>
#include <string>

namespace ritz {

struct StaticSolution {
  Vector u;
  std::vector<double> reaction;      // [mesh node][component] force (heat) that holds the prescribed unknowns, 0 elsewhere
  std::vector<double> applied;       // [component] sum of the external loads
  SolveReport report;
  double certificate = 0;            // ||residual of the free unknowns||_2 / ||load of the free unknowns||_2
};

// progress(text) is called before each long step. The model must be held (check_held). Forms that are all symmetric make a
// promise that options.promise need not repeat. Throws Error(Exit::not_converged) with advice from the cause, and
// Error(Exit::model) when a load or coefficient makes the equations not finite, naming node, position and region.
StaticSolution solve_static(const Operator& equations, const Constraints& constraints, const LinearSolverOptions& options,
                            const std::function<void(const std::string&)>& progress = {});

}  // namespace ritz
