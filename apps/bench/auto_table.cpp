// Every candidate solver on every system, compared with the choice of `auto`: processor seconds of set-up and solution
// together, to the true residual.
#include "apps/bench/systems.hpp"
#include "apps/bench/tasks.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace {

using Method = LinearMethod;
using Kind = PreconditionerKind;

struct Candidate {
  Method method;
  Kind preconditioner;
  std::string name() const {
    return method == Method::direct ? "direct" : fmt::format("{}+{}", name_of(method), name_of(preconditioner));
  }
};

std::vector<Candidate> candidates(const std::string& traits) {
  std::vector<Candidate> list = {{Method::direct, Kind::automatic}};
  const auto add = [&](std::initializer_list<Method> methods, std::initializer_list<Kind> kinds) {
    for (const Method method : methods)
      for (const Kind kind : kinds) list.push_back({method, kind});
  };
  if (traits == "definite") add({Method::conjugate_gradient}, {Kind::multigrid, Kind::chebyshev, Kind::jacobi});
  if (traits == "indefinite") add({Method::minres, Method::gmres}, {Kind::multigrid, Kind::chebyshev, Kind::jacobi});
  if (traits == "unsymmetric") add({Method::gmres, Method::bicgstab}, {Kind::multigrid, Kind::chebyshev, Kind::jacobi});
  return list;
}

constexpr double cap_seconds = 10, slowest_factorisation = 2e9;  // [s], [operations/s] of a machine shared with others

struct Outcome {
  double seconds = HUGE_VAL;  // of the processor; infinite: not converged within the cap
  SolveReport report;
  std::string note;  // why there is no time
};

Outcome run_once(const BenchSystem& system, LinearSolverOptions options) {
  Outcome outcome;
  Vector x(system.A.device(), system.A.rows(), "vectors");
  x.fill_zero();
  const double start = processor_seconds();
  try {
    outcome.report =
        solve_linear(system.A, system.b, x, options, {&system.coordinates, system.dimension, system.nested});
    if (outcome.report.converged()) outcome.seconds = processor_seconds() - start;
    else outcome.note = name_of(outcome.report.reason);
  } catch (const Error& error) { outcome.note = error.exit() == Exit::resources ? "too large" : "refused"; }
  return outcome;
}

// Iterations that fit the cap, predicted from twenty of them.
int affordable_iterations(const BenchSystem& system, LinearSolverOptions options) {
  const auto seconds_of = [&](int iterations) {
    options.max_iterations = iterations;
    const double start = processor_seconds();
    run_once(system, options);
    return processor_seconds() - start;
  };
  const double one = seconds_of(1), more = seconds_of(21);
  const double each = std::max(1e-7, (more - one) / 20);
  return static_cast<int>(std::clamp((cap_seconds - one) / each, 21.0, 100000.0));
}

LinearSolverOptions options_for(const BenchSystem& system, const Candidate& candidate) {
  LinearSolverOptions options{.method = candidate.method, .preconditioner = candidate.preconditioner};
  if (candidate.method == Method::direct) options.direct_operations = cap_seconds * slowest_factorisation;
  else if (candidate.method != Method::automatic) options.max_iterations = affordable_iterations(system, options);
  return options;
}

// The least of `repeat` runs: other programs on the machine only ever add.
Outcome least(const BenchSystem& system, const LinearSolverOptions& options, int repeat) {
  Outcome best = run_once(system, options);
  for (int i = 1; i < repeat && std::isfinite(best.seconds) && best.seconds < 5; ++i) {
    Outcome next = run_once(system, options);
    if (next.seconds < best.seconds) best = std::move(next);
  }
  return best;
}

std::string text_of(const Outcome& outcome) {
  return std::isfinite(outcome.seconds) ? fmt::format("{:.3g}", outcome.seconds) : outcome.note;
}

void print_row(const SystemRecipe& recipe, const BenchSystem& system, int repeat) {
  const Outcome automatic = least(system, {}, repeat);
  Outcome best;
  std::string best_name = "none";
  std::vector<std::string> cells;
  for (const Candidate& candidate : candidates(recipe.traits)) {
    const Outcome outcome = least(system, options_for(system, candidate), repeat);
    cells.push_back(fmt::format("{} {}{}", candidate.name(), text_of(outcome),
                                candidate.method == Method::direct || outcome.report.iterations == 0
                                    ? ""
                                    : fmt::format(" ({})", outcome.report.iterations)));
    if (outcome.seconds < best.seconds) {
      best = outcome;
      best_name = candidate.name();
    }
  }
  const SolveReport& report = automatic.report;
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.2f} | {:.1e} | {}{} |\n", recipe.name, system.A.rows(),
             fmt::join(cells, ", "), best_name, text_of(best), text_of(automatic), automatic.seconds / best.seconds,
             report.true_relative_residual, report.choice,
             report.fallbacks.empty() ? "" : fmt::format("; before: {}", fmt::join(report.fallbacks, "; ")));
  std::fflush(stdout);
}

}  // namespace

void run_auto_table(const Device& device, const BenchOptions& options) {
  fmt::print(
      "| system | unknowns | candidates: processor s (iterations) | best | s | auto s | auto / best | residual of auto "
      "| auto's reason |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  const bool all = options.only.size() <= 1;
  for (const SystemRecipe& recipe : auto_table_systems())
    if (all || options.wants(recipe.name)) print_row(recipe, recipe.make(device, options.size), options.few());
}

}  // namespace ritz
