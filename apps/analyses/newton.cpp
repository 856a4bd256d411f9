#include "apps/analyses/newton.hpp"

#include "apps/cases/solver_settings.hpp"

#include <fmt/format.h>

namespace ritz {

Nonlinear read_newton(const Case& input, const LinearSolverOptions& linear) {
  Nonlinear options{.linear = linear};
  const Case::Table newton = input.table("newton", "Newton's method for nonlinear equations");
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
  options.shows_increments =
      newton.choice("write", "results of the last increment, or of each: a stage of the path takes the time 1",
                    {"last", "increments"}, "last") == "increments";
  return options;
}

std::function<void(const AnalysisStep&)> increments_in_log(Log& log) {
  return [&log](const AnalysisStep& step) {
    log.end_progress();
    log.line("increment {} of {}: {} steps so far, relative residual {:.2e}", step.number, step.count, step.solves,
             step.residual);
  };
}

void report_newton(Run& run, const NonlinearSolution& s) {
  for (std::size_t i = 0; i < s.steps.size(); ++i)
    run.log().detail("Newton step {}: increment {}, length {:.3g}, relative residual {:.2e}", i + 1,
                     s.steps[i].increment, s.steps[i].length, s.steps[i].relative);
  run.report().facts["residual_certificate"] = fmt::format("{:.3e}", s.residual);
  run.report().facts["newton_steps"] = fmt::format("{}", s.steps.size());
}

}  // namespace ritz
