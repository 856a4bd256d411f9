#include "apps/analyses/newton.hpp"

#include "apps/cases/shared_model.hpp"
#include "apps/cases/solver_settings.hpp"
#include "fem/analysis/static_solution.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

LinearSolverOptions solver_of(Run& run, const CaseModel& read) {
  LinearSolverOptions solver = run.solver(read.promise(), read.model.tolerance);
  if (read.model.ill_conditioned && solver.method == LinearMethod::automatic) solver.method = LinearMethod::direct;
  if (read.check_solver) read.check_solver(run, solver);
  solver.one_of_many =
      pay_for_a_matrix(read.load_cases.cases.size(), read.load_cases.combinations.size()) || run.shared().sweeps;
  return solver;
}

// Equal increments, or those that the convergence of Newton's method chooses.
void read_increments(const Case::Table& newton, Nonlinear& options) {
  options.increments = static_cast<int>(newton.integer(
      "increments",
      "number of equal increments of loads and prescribed values in each stage of the path; 0: they grow "
      "where Newton's method converges easily, and are cut where it fails",
      {.fallback = 0, .minimum = 0, .maximum = 100000}));
  options.halvings = static_cast<int>(
      newton.integer("halvings", "how many times one of equal increments is halved when Newton's method fails in it",
                     {.fallback = 4, .minimum = 0, .maximum = 20}));
  const bool arcs = options.has_arc_length();
  IncrementLimits& sizes = options.sizes;
  const auto part = [](double fallback) { return NumberRule{.fallback = fallback, .maximum = 1, .above = 0}; };
  sizes.first =
      newton.number("first_increment", "part of a stage, where increments are not equal", part(arcs ? 0.05 : 1));
  sizes.largest = newton.number("largest_increment", "likewise; of the arc length beside that of the first increment",
                                part(arcs ? 0.1 : 1));
  sizes.smallest = newton.number("smallest_increment", "below it the analysis ends as not converged", part(1e-4));
  if (arcs)
    options.max_increments = static_cast<int>(
        newton.integer("max_increments", "of the arc length", {.fallback = 200, .minimum = 1, .maximum = 100000}));
  if (sizes.smallest > std::min(sizes.first, sizes.largest))
    newton.error(
        ErrorKind::load_path, "smallest_increment", fmt::format("{:g} is not the smallest one", sizes.smallest),
        fmt::format("the first is {:g}, the largest {:g}", sizes.first, sizes.largest), "give a smaller number");
  if (arcs && options.increments > 0)
    newton.error(ErrorKind::load_path, "increments", "equal increments of loads along the arc length",
                 "the loads are found there", "give first_increment and largest_increment instead");
}

// Increments of stages that take time are short at first, as creep is fastest then.
void read_time_of_path(const Case::Table& newton, Nonlinear& options) {
  if (!newton.has("durations")) return;
  PathTime& time = options.time;
  time.durations =
      newton.vector("durations",
                    "[s] of each stage of the path: laws creep and relax in it, and formulas may depend on "
                    "t; 0: at once. Not given: the path takes no time",
                    {.minimum = 0});
  time.tolerance = newton.number("time_tolerance",
                                 "with durations, where increments are not equal: largest error of one in time, of the "
                                 "internal variables of laws that creep or relax, relative to their largest value",
                                 {.fallback = time.tolerance, .above = 0});
  if (newton.has("first_increment")) time.sizes.first = options.sizes.first;
  if (newton.has("smallest_increment")) time.sizes.smallest = options.sizes.smallest;
  time.sizes.largest = options.sizes.largest;
  time.sizes.first = std::min(time.sizes.first, time.sizes.largest);
}

// Elasticity alone has the key.
void read_energies(Run& run, const CaseModel& read, const Case::Table& newton, Nonlinear& options) {
  if (!read.has_energies) return;
  options.finds_energies = newton.flag("energies",
                                       "work of loads and supports, strain energy and what is dissipated, of each "
                                       "increment: columns of the probes' file",
                                       false);
  if (!options.finds_energies) return;
  const auto refuse = [&](const std::string& why, const char* fix) {
    newton.error(ErrorKind::load_path, "energies", "energies of this path", why, fix);
  };
  if (!read.why_no_energies.empty()) refuse(read.why_no_energies, "omit the key");
  if (run.step().is_of_steps())
    refuse("they count from the body at rest, and a step begins at the state of the one before",
           "follow the loads by [newton] path, without steps");
}

Nonlinear read_newton(Run& run, const CaseModel& read, const LinearSolverOptions& linear) {
  const Case& input = run.input();
  Nonlinear options{.linear = linear};
  const Case::Table newton = input.table("newton", "Newton's method for nonlinear equations");
  constexpr double usual = 1e-8;
  options.relative = newton.number("tolerance", "limit of the true residual, relative to the largest force",
                                   {.fallback = usual, .above = 0, .below = 1});
  if (options.relative >= usual) options.rounding_error = error_that_rounding_may_leave;
  options.max_steps = static_cast<int>(newton.integer("max_steps", "largest number of steps per increment",
                                                      {.fallback = 50, .minimum = 1, .maximum = 10000}));
  options.control =
      newton.choice("control",
                    "loads: they follow the path; arc_length: they are found along it, as they fall where "
                    "a structure snaps or collapses",
                    {"loads", "arc_length"}, "loads") == "arc_length"
          ? Nonlinear::Control::arc_length
          : Nonlinear::Control::loads;
  read_increments(newton, options);
  options.path = newton.vector(
      "path",
      "parts of the loads and prescribed values at the end of each stage: [1, 0] puts them on and takes them off",
      {.fallback = std::vector<double>{1}});
  if (options.has_arc_length() && options.path.size() > 1)
    newton.error(ErrorKind::load_path, "path",
                 fmt::format("a path of {} stages by the arc length", options.path.size()),
                 "the arc length finds where the loads fall", "give the largest part of the loads alone: path = [1.5]");
  read_time_of_path(newton, options);
  read_energies(run, read, newton, options);
  options.shows_increments =
      newton.choice("write",
                    "results of the last increment, or of each: a stage of the path takes the time 1, or its duration",
                    {"last", "increments"}, "last") == "increments";
  return options;
}

}  // namespace

MemoryNeeds newton_vector_needs(Index unknowns) { return MemoryNeeds().array<double>("vectors", unknowns, 12); }

const Nonlinear& CaseSolvers::newton() {
  if (!newton_) newton_ = read_newton(run_, read_, solver_of(run_, read_));
  return *newton_;
}

}  // namespace ritz
