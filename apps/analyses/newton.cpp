#include "apps/analyses/newton.hpp"

#include "apps/cases/shared_model.hpp"
#include "apps/cases/solver_settings.hpp"
#include "fem/analysis/static_solution.hpp"

namespace ritz {
namespace {

LinearSolverOptions solver_of(Run& run, const CaseModel& read) {
  LinearSolverOptions solver = run.solver(read.promise(), read.model.tolerance);
  if (read.model.ill_conditioned && solver.method == LinearMethod::automatic) solver.method = LinearMethod::direct;
  if (read.check_solver) read.check_solver(solver);
  solver.one_of_many =
      pay_for_a_matrix(read.load_cases.cases.size(), read.load_cases.combinations.size()) || run.shared().sweeps;
  return solver;
}

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

}  // namespace

MemoryNeeds newton_vector_needs(Index unknowns) { return MemoryNeeds().array<double>("vectors", unknowns, 10); }

const Nonlinear& CaseSolvers::newton() {
  if (!newton_) newton_ = read_newton(run_.input(), solver_of(run_, read_));
  return *newton_;
}

}  // namespace ritz
