#include "solvers/method_choice.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

using Method = LinearMethod;
using Kind = PreconditionerKind;

// Below this a factorisation takes hundredths of a second, whatever the matrix.
Index hardly_any(int dimension) { return dimension == 3 ? 3000 : 8000; }

// A factorisation that nobody asked for by name: an hour or so of one core.
constexpr double patience = 2e13;  // [operations]

// Jacobi costs nothing to set up, and a multigrid solve as much as 110 to 320 iterations with it. Where it is the better
// choice, the residual falls at once, since the spectrum is narrow; elsewhere it rises or stands still at first.
bool falls_too_slowly(int iterations, double log_reduction, double relative) {
  const double needed = -std::log10(relative);
  if (iterations >= 30 && iterations < 60) return log_reduction > -needed / 16;
  if (iterations >= 60) return log_reduction > -needed * 0.31 || iterations >= 130;
  return iterations >= 20 && log_reduction > 0.45;
}

MethodChoice trial(const LinearSolverOptions& options) {
  MethodChoice choice{Method::conjugate_gradient, Kind::jacobi, "the residual falls fast from the first iterations on"};
  choice.give_up = [relative = options.relative](int iterations, double log_reduction) { return falls_too_slowly(iterations, log_reduction, relative); };
  return choice;
}

std::vector<MethodChoice> plan_for_definite(const SystemSize& size, const LinearSolverOptions& options) {
  MethodChoice direct{Method::direct, Kind::automatic, fmt::format("{} unknowns are few enough to factorise", size.unknowns)};
  MethodChoice cg{Method::conjugate_gradient, Kind::multigrid, fmt::format("{} unknowns are too many to factorise quickly", size.unknowns)};
  if (options.preconditioner != Kind::automatic) cg.preconditioner = options.preconditioner;
  if (size.unknowns <= hardly_any(size.dimension)) return {direct, cg};
  std::vector<MethodChoice> plan;
  if (options.preconditioner == Kind::automatic) {
    cg.why += ", and the diagonal alone is too weak a preconditioner";
    plan.push_back(trial(options));
  }
  MethodChoice impatient = cg;
  impatient.max_iterations = 400;
  direct.why = "conjugate gradients converge too slowly";
  direct.operations_limit = patience;
  cg.why = "nothing else is left to try";
  plan.insert(plan.end(), {impatient, direct, cg});
  return plan;
}

// Seconds of one core, measured on an AMD EPYC (Zen 5); only their ratios count.
double predicted_factorisation(const SystemSize& size, bool symmetric) {
  const auto n = double(size.unknowns);
  return (symmetric ? 1 : 2) * (size.dimension == 2 ? 4.5e-6 * n : 7e-6 * n + 2.2e-10 * n * n);
}
double predicted_iteration(const SystemSize& size, int products) {
  return products * (0.6e-9 * double(size.nonzeros) + 3e-9 * double(size.unknowns));
}

// Iterations with the diagonal for half the time of a factorisation; given up at a third of that when less than a quarter
// of the digits are there.
MethodChoice trial_before_factorising(Method method, const SystemSize& size, const LinearSolverOptions& options) {
  const bool symmetric = method == Method::minres;
  const double budget = 0.5 * predicted_factorisation(size, symmetric) / predicted_iteration(size, symmetric ? 1 : 2);
  MethodChoice choice{method, Kind::jacobi, "the residual falls so fast that a factorisation would take longer"};
  choice.give_up = [budget, needed = -std::log10(options.relative)](int iterations, double log_reduction) {
    return iterations >= budget || (iterations >= budget / 3 && log_reduction > -0.25 * needed);
  };
  return choice;
}

// A short trial, a factorisation, and what is left when that does not fit.
std::vector<MethodChoice> plan_around_a_factorisation(const SystemSize& size, const LinearSolverOptions& options, Method trial_method,
                                                      Method long_method, const std::string& why) {
  MethodChoice direct{Method::direct, Kind::automatic, why};
  MethodChoice strong{long_method, Kind::multigrid, why + ", and does not fit a factorisation"}, simple = strong;
  direct.operations_limit = patience;
  simple.method = trial_method;
  simple.preconditioner = Kind::jacobi;
  if (options.preconditioner != Kind::automatic) {
    strong.preconditioner = simple.preconditioner = options.preconditioner;
    return {direct, strong, simple};
  }
  strong.max_iterations = 1000;
  if (size.unknowns <= hardly_any(size.dimension)) return {direct, strong, simple};
  return {trial_before_factorising(trial_method, size, options), direct, strong, simple};
}

std::vector<MethodChoice> plan_for_indefinite(const SystemSize& size, const MatrixTraits& traits, const LinearSolverOptions& options) {
  return plan_around_a_factorisation(size, options, Method::minres, Method::minres,
                                     traits.positive_diagonal ? "conjugate gradients found the matrix indefinite"
                                                              : "the matrix is not positive definite: a diagonal entry is not positive");
}

std::vector<MethodChoice> plan_for_unsymmetric(const SystemSize& size, const LinearSolverOptions& options) {
  return plan_around_a_factorisation(size, options, Method::bicgstab, Method::gmres, "the matrix is not symmetric");
}

}  // namespace

std::vector<MethodChoice> plan_methods(const SystemSize& size, const MatrixTraits& traits, const LinearSolverOptions& options) {
  if (options.method != Method::automatic) {
    MethodChoice named{options.method, options.preconditioner, "as asked"};
    if (named.preconditioner == Kind::automatic && named.method != Method::direct) named.preconditioner = Kind::multigrid;
    named.operations_limit = options.direct_operations;
    return {named};
  }
  std::vector<MethodChoice> plan = !traits.symmetric                                ? plan_for_unsymmetric(size, options)
                                   : traits.positive_diagonal && !traits.indefinite ? plan_for_definite(size, options)
                                                                                    : plan_for_indefinite(size, traits, options);
  if (options.direct_operations > 0)
    for (MethodChoice& choice : plan) choice.operations_limit = options.direct_operations;
  return plan;
}

}  // namespace ritz
