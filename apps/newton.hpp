// [newton] of the case: a run of Newton's method that writes its increments, and goes on where it was stopped.
#pragma once

#include "apps/run.hpp"
#include "fem/nonlinear_solution.hpp"

namespace ritz {

struct NewtonInput {
  NonlinearOptions options;
  bool write_increments = false;
};

NewtonInput read_newton(Run& run, const LinearSolverOptions& linear);
// show(solution, time) writes results: at the end, or after each increment, with the part of the loads that acts as its time.
void solve_by_newton(Run& run, const Operator& equations, const Constraints& fixed, const NewtonInput& newton,
                     const std::function<void(const NonlinearSolution&, std::optional<double> time)>& show);

}  // namespace ritz
