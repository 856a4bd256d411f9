// [newton] of the case: a run of Newton's method that writes its increments, and goes on where it was stopped.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/analysis/nonlinear_solution.hpp"

namespace ritz {

struct NewtonInput {
  NonlinearOptions options;
  bool write_increments = false;
  // Does it ask for more than the state under all loads? Then linear models follow it, too.
  bool follows_a_path() const {
    return options.path != std::vector<double>{1} || (write_increments && options.increments > 1);
  }
};

NewtonInput read_newton(Run& run, const LinearSolverOptions& linear);
// show(solution, part of the loads that acts, time) writes results: at the end, or after each increment, each stage of
// the path taking the time 1.
void solve_by_newton(
    Run& run, const Operator& equations, const Constraints& fixed, const NewtonInput& newton,
    const std::function<void(const NonlinearSolution&, double part, std::optional<double> time)>& show);

}  // namespace ritz
