#include "solvers/method_choice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace ritz {
namespace {

using Method = LinearMethod;
using Kind = PreconditionerKind;

// Below this a factorisation takes hundredths of a second, whatever the matrix.
Index hardly_any(int dimension) { return dimension == 3 ? 3000 : 8000; }

// A factorisation that nobody asked for by name: an hour or so of one core.
constexpr double patience = 2e13;  // [operations]
constexpr double operations_per_second = 8e9;  // of a factorisation on one core

// Jacobi costs nothing to set up, and a multigrid solve as much as 110 to 320 iterations with it. Where it is the better
// choice, the residual falls at once, since the spectrum is narrow; elsewhere it rises or stands still at first.
// In a plane multigrid is the cheaper for it.
bool falls_too_slowly(int iterations, double log_reduction, double relative, int dimension) {
  const double needed = -std::log10(relative);
  if (iterations >= 30 && iterations < 60) return log_reduction > -needed / (dimension == 2 ? 8 : 16);
  if (iterations >= 60) return log_reduction > -needed * 0.31 || iterations >= 130;
  return iterations >= 20 && log_reduction > 0.45;
}

MethodChoice trial(const SystemSize& size, const LinearSolverOptions& options) {
  MethodChoice choice{Method::conjugate_gradient, Kind::jacobi, "the residual falls fast from the first iterations on"};
  choice.give_up = [relative = options.relative, dimension = size.dimension](int iterations, double log_reduction) {
    return falls_too_slowly(iterations, log_reduction, relative, dimension);
  };
  choice.trial = true;
  return choice;
}

double predicted_iteration(const SystemSize& size, int products) {
  return 3e-6 + products * (0.6e-9 * double(size.nonzeros) + 3e-9 * double(size.unknowns));
}

// Iterations with the diagonal for half the time of a factorisation; given up at a third of that when less than a quarter
// of the digits are there.
MethodChoice trial_before_factorising(Method method, const SystemSize& size, const LinearSolverOptions& options) {
  const bool symmetric = method != Method::bicgstab;
  const double budget = 0.5 * predicted_factorisation(size, symmetric) / predicted_iteration(size, symmetric ? 1 : 2);
  MethodChoice choice{method, Kind::jacobi, "the residual falls so fast that a factorisation would take longer"};
  choice.trial = true;
  choice.give_up = [budget, needed = -std::log10(options.relative)](int iterations, double log_reduction) {
    return iterations >= budget || (iterations >= budget / 3 && log_reduction > -0.25 * needed);
  };
  return choice;
}

// Multigrid at the rate seen so far against the factorisation; asked from the 25th iteration on.
IterationVerdict slower_than(double factorisation, const SystemSize& size, double relative) {
  const double iteration = 0.012 * predicted_multigrid(size);
  return [factorisation, iteration, needed = -std::log10(relative)](int iterations, double log_reduction) {
    if (iterations < 25) return false;
    const double all = log_reduction < 0 ? iterations * needed / -log_reduction : HUGE_VAL;
    return (all - iterations) * iteration > factorisation;
  };
}

std::vector<MethodChoice> plan_for_definite(const SystemSize& size, const LinearSolverOptions& options) {
  const double factorisation = predicted_factorisation(size, true);
  MethodChoice direct{Method::direct, Kind::automatic, fmt::format("{} unknowns are few enough to factorise", size.unknowns)};
  MethodChoice cg{Method::conjugate_gradient, Kind::multigrid, fmt::format("{} unknowns are too many to factorise quickly", size.unknowns)};
  if (options.preconditioner != Kind::automatic) cg.preconditioner = options.preconditioner;
  if (size.unknowns <= hardly_any(size.dimension)) {
    if (options.preconditioner != Kind::automatic) return {direct, cg};
    return {trial_before_factorising(Method::conjugate_gradient, size, options), direct, cg};
  }
  MethodChoice impatient = cg, slow = direct;
  impatient.max_iterations = 400;
  impatient.give_up = slower_than(factorisation, size, options.relative);
  slow.why = "conjugate gradients converge too slowly";
  slow.operations_limit = patience;
  cg.why = "nothing else is left to try";
  if (options.preconditioner != Kind::automatic) return {impatient, slow, cg};
  if (const double multigrid = predicted_multigrid(size); factorisation < 0.8 * multigrid) {
    direct.why = size.columns > 1 ? fmt::format("a factorisation pays for {} right-hand sides", size.columns)
                                  : fmt::format("a factorisation is foreseen to cost less than multigrid: {} unknowns in short cuts", size.unknowns);
    direct.operations_limit = 2 * multigrid * operations_per_second;
    return {direct, impatient, slow, cg};
  }
  impatient.why += ", and the diagonal alone is too weak a preconditioner";
  return {trial(size, options), impatient, slow, cg};
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

double predicted_factorisation(const SystemSize& size, bool symmetric) {
  const double n = double(size.unknowns), nodes = n / size.block;
  std::array<double, 3> side = size.extent;
  std::ranges::sort(side, std::greater{});
  double cubed = 0;  // of the unknowns in a cut, times the pieces as long as they are wide
  if (size.dimension == 3) {
    if (!(side[2] > 0)) side = {1, 1, 1};
    const double spacing = std::cbrt(side[0] * side[1] * side[2] / nodes);
    const double cut = size.block * side[1] * std::max(side[2], spacing) / (spacing * spacing);
    cubed = cut * cut * cut * side[0] / side[1];
  }
  const double once = 3e-4 + 4.5e-6 * n + 7.7e-10 * cubed;
  return (symmetric ? 1 : 2) * once * (1 + 0.02 * (size.columns - 1));
}

double predicted_multigrid(const SystemSize& size) {
  const double once = 1e-7 * double(size.nonzeros) + 1e-6 * double(size.unknowns);
  return once * (size.columns == 1 ? 1 : 0.5 + 1.35 * ((size.columns + 7) / 8));  // eight columns cost 2.7 solutions
}

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
