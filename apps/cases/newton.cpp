#include "apps/cases/newton.hpp"

#include "apps/cases/solver_settings.hpp"
#include "apps/results/checkpoint_states.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

SolveReport summary_of(const NonlinearSolution& s) {
  SolveReport report;
  report.method =
      fmt::format("Newton's method ({})", s.last_solve.method.empty() ? "nothing to solve" : s.last_solve.method);
  report.preconditioner = s.last_solve.preconditioner;
  report.reason = StopReason::converged;
  report.iterations = static_cast<int>(s.steps.size());
  report.true_relative_residual = s.certificate;
  report.where = s.remark;
  report.fallbacks = s.last_solve.fallbacks;
  if (!s.turned.empty()) report.fallbacks.insert(report.fallbacks.begin(), s.turned);
  return report;
}

void record(Run& run, const NonlinearSolution& s, Index unknowns) {
  run.results().record(summary_of(s), unknowns);
  for (std::size_t i = 0; i < s.steps.size(); ++i)
    run.log().detail("Newton step {}: increment {}, length {:.3g}, relative residual {:.2e}", i + 1,
                     s.steps[i].increment, s.steps[i].length, s.steps[i].relative);
  run.report().facts["residual_certificate"] = fmt::format("{:.3e}", s.certificate);
  run.report().facts["newton_steps"] = fmt::format("{}", s.steps.size());
}

}  // namespace

NewtonInput read_newton(Run& run, const LinearSolverOptions& linear) {
  NewtonInput input{.options = {.linear = linear}};
  NonlinearOptions& options = input.options;
  const Case::Table newton = run.input().table("newton", "Newton's method for nonlinear equations");
  constexpr double usual = 1e-8;
  options.relative = newton.number("tolerance", "limit of the true residual, relative to the largest force",
                                   {.fallback = usual, .above = 0, .below = 1});
  if (options.relative >= usual) options.rounding_error = error_that_rounding_may_leave;
  options.max_steps = static_cast<int>(newton.integer("max_steps", "largest number of steps per increment",
                                                      {.fallback = 50, .minimum = 1, .maximum = 10000}));
  options.increments = static_cast<int>(
      newton.integer("increments", "number of increments of loads and prescribed values in each stage of the path",
                     {.fallback = 1, .minimum = 1, .maximum = 100000}));
  options.path = newton.vector(
      "path",
      "parts of the loads and prescribed values at the end of each stage: [1, 0] puts them on and takes them off",
      {.fallback = std::vector<double>{1}});
  options.halvings = static_cast<int>(
      newton.integer("halvings", "how many times an increment is halved when Newton's method fails in it",
                     {.fallback = 4, .minimum = 0, .maximum = 20}));
  input.write_increments =
      newton.choice("write", "results of the last increment, or of each: a stage of the path takes the time 1",
                    {"last", "increments"}, "last") == "increments";
  return input;
}

void solve_by_newton(
    Run& run, const Operator& equations, const Constraints& fixed, const NewtonInput& newton,
    const std::function<void(const NonlinearSolution&, double part, std::optional<double> time)>& show) {
  const int increments = newton.options.increment_count();
  const auto time_of = [&](int increment) { return double(increment) / newton.options.increments; };
  NonlinearOptions options = newton.options;
  if (run.results().resumed()) options.start = nonlinear_state_of(*run.results().resumed());
  int written = run.results().resumed() ? run.results().resumed()->steps : 0;
  options.after_increment = [&](const NonlinearSolution& s) {
    run.log().end_progress();
    run.log().line("increment {} of {}: {} steps so far, relative residual {:.2e}", s.increment, increments,
                   s.steps.size(), s.certificate);
    if (newton.write_increments) {
      show(s, newton.options.part_of_loads(s.increment), time_of(s.increment));
      ++written;
    }
    run.results().keep(state_of(s, equations.state(), increments, written));
  };
  const NonlinearSolution s = solve_nonlinear(equations, fixed, options, run.progress());
  record(run, s, equations.space().unknown_count());
  show(s, newton.options.part_of_loads(increments),
       newton.write_increments ? std::optional(time_of(increments)) : std::nullopt);
}

}  // namespace ritz
