#include "solvers/linear/method_choice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <vector>

namespace ritz {
namespace {

using Method = LinearMethod;
using Kind = PreconditionerKind;

// Below this a factorisation takes hundredths of a second, whatever the matrix.
Index hardly_any(int dimension) { return dimension == 3 ? 3000 : 8000; }

// Limit of a factorisation that was not named: about an hour of one core.
constexpr double patience = 2e13;              // [operations]
constexpr double operations_per_second = 8e9;  // of a factorisation on one core

// Numbers of iterations and logarithms of the reduction of the residual so far.
class ReductionHistory {
 public:
  void add(int iterations, double log_reduction) {
    values_.resize(static_cast<std::size_t>(iterations) + 1, log_reduction);
    values_.back() = log_reduction;
  }
  // Digits gained by each iteration of the later half. Not the mean of all: residuals rise or fall at first where that
  // says nothing about the rest.
  double later_rate() const {
    const std::size_t last = values_.size() - 1, half = last / 2;
    return (values_[half] - values_[last]) / double(last - half);
  }

 private:
  std::vector<double> values_;
};

// Conjugate gradients with the diagonal on an elliptic equation without a term of order zero, on cells of equal size:
// their number grows with the nodes along an edge of the domain. Less than measured for all cells (`ritz-bench
// --only auto-table`, 21 November 2026: 2.3 for linear tetrahedra, 1.4 for hexahedra and 11.9 for elasticity); grading,
// contrast and thin bodies only add to them.
double fewest_iterations_of_jacobi(const SystemSize& size) {
  if (size.dimension < 2) return 0;
  const double nodes = double(size.unknowns) / size.block;
  const double along_an_edge = std::pow(nodes, 1.0 / size.dimension);
  if (size.block > 1) return 8 * along_an_edge;
  if (size.dimension == 2) return 1.5 * along_an_edge;
  return (double(size.nonzeros) > 20 * nodes ? 1.3 : 2.1) * along_an_edge;  // hexahedra or quadratic, linear tetrahedra
}

constexpr int most_of_jacobi = 130;  // iterations

// Jacobi costs nothing to set up, and a multigrid solve as much as 110 to 320 iterations with it. Where it is the
// better choice, the residual falls at once, since the spectrum is narrow; elsewhere it rises or stagnates at first, or
// it falls with what the supports and loads of a few nodes leave, and stagnates then. In two dimensions multigrid is
// the cheaper for it. A system so large that the diagonal serves only where a mass or a reaction dominates shows it by
// its rate from the first iterations on.
class FallsTooSlowly {
 public:
  FallsTooSlowly(double relative, const SystemSize& size)
      : needed_(-std::log10(relative)),
        dimension_(size.dimension),
        judged_from_(diagonal_may_be_enough(size) ? 30 : 8) {}

  bool operator()(int iterations, double log_reduction) {
    history_.add(iterations, log_reduction);
    if (iterations >= judged_from_ && iterations < 60 && is_far_from_the_end(iterations, log_reduction)) return true;
    if (iterations < 10) return false;
    if (iterations < 20) return log_reduction > 0.6;
    if (iterations < 30) return log_reduction > 0.45;
    if (iterations < 60) return log_reduction > -needed_ / (dimension_ == 2 ? 8 : 16);
    return log_reduction > -needed_ * 0.31 || iterations >= most_of_jacobi;
  }

 private:
  // Conjugate gradients become faster: what the rate foresees is half as much again as what is seen.
  bool is_far_from_the_end(int iterations, double log_reduction) const {
    return needed_ + log_reduction > history_.later_rate() * (1.5 * most_of_jacobi - iterations);
  }

  double needed_;  // digits
  int dimension_;
  int judged_from_;  // iteration
  ReductionHistory history_;
};

MethodChoice trial(const SystemSize& size, const LinearSolverOptions& options) {
  MethodChoice choice{Method::conjugate_gradient, Kind::jacobi, "the residual falls fast from the first iterations on"};
  choice.give_up = FallsTooSlowly(options.relative, size);
  choice.trial = true;
  return choice;
}

double predicted_iteration(const SystemSize& size, int products) {
  return 3e-6 + products * (0.6e-9 * double(size.nonzeros) + 3e-9 * double(size.unknowns));
}

// Iterations with the diagonal for half the time of a factorisation; given up at a third of that when less than a
// quarter of the digits are gained.
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

// `usual`: iterations where multigrid works well.
struct MultigridCost {
  double set_up, iteration, usual;  // [s], [s], iterations
};

MultigridCost multigrid_cost(const SystemSize& size) {
  const double n = double(size.unknowns), entries = double(size.nonzeros);
  if (size.block == 1) return {5.5e-8 * entries, 2e-8 * n + 1.75e-9 * entries, 12};
  return {1.7e-8 * entries, 2e-8 * n + 0.9e-9 * entries, 25};  // blocks bring their columns once
}

// Multigrid against the factorisation. It is first given three tenths of the factorisation's time, so that whatever
// comes costs little more than the better of the two; then left when what remains, at the rate of the later half of the
// iterations, would take longer: residuals rise at first where bodies are thin or hardly compressible.
class SlowerThanFactorising {
 public:
  SlowerThanFactorising(double factorisation, double iteration, double relative)
      : iterations_(factorisation / iteration), needed_(-std::log10(relative)) {}

  bool operator()(int iterations, double log_reduction) {
    history_.add(iterations, log_reduction);
    if (iterations < std::max(25.0, 0.3 * iterations_)) return false;
    return (needed_ + log_reduction) > history_.later_rate() * iterations_;
  }

 private:
  double iterations_, needed_;  // iterations of a factorisation's time
  ReductionHistory history_;
};

std::vector<MethodChoice> plan_for_definite(const SystemSize& size, const LinearSolverOptions& options) {
  const double factorisation = predicted_factorisation(size, true);
  MethodChoice direct{Method::direct, Kind::automatic,
                      fmt::format("{} unknowns are few enough to factorise", size.unknowns)};
  MethodChoice cg{Method::conjugate_gradient, Kind::multigrid,
                  fmt::format("{} unknowns are too many to factorise quickly", size.unknowns)};
  if (options.preconditioner != Kind::automatic) cg.preconditioner = options.preconditioner;
  if (size.unknowns <= hardly_any(size.dimension)) {
    if (options.preconditioner != Kind::automatic) return {direct, cg};
    return {trial_before_factorising(Method::conjugate_gradient, size, options), direct, cg};
  }
  MethodChoice impatient = cg, slow = direct;
  impatient.max_iterations = 400;
  impatient.give_up = SlowerThanFactorising(factorisation, multigrid_cost(size).iteration, options.relative);
  slow.why = "conjugate gradients converge too slowly";
  slow.operations_limit = patience;
  cg.why = "nothing else is left to try";
  if (options.preconditioner != Kind::automatic) return {impatient, slow, cg};
  if (options.slow_multigrid) return {slow, cg};
  if (const double multigrid = predicted_multigrid(size); factorisation < multigrid) {
    direct.why =
        size.columns > 1
            ? fmt::format("a factorisation pays for {} right-hand sides", size.columns)
            : fmt::format("a factorisation is predicted to cost less than multigrid: {} unknowns in short cuts",
                          size.unknowns);
    direct.operations_limit = 2 * multigrid * operations_per_second;
    return {direct, impatient, slow, cg};
  }
  impatient.why += ", and the diagonal alone is too weak a preconditioner";
  return {trial(size, options), impatient, slow, cg};
}

// A short trial, a factorisation, and the methods that remain if that does not fit.
std::vector<MethodChoice> plan_around_a_factorisation(const SystemSize& size, const LinearSolverOptions& options,
                                                      Method trial_method, Method long_method, const std::string& why) {
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
  if (size.unknowns <= hardly_any(size.dimension) || options.slow_multigrid) return {direct, strong, simple};
  return {trial_before_factorising(trial_method, size, options), direct, strong, simple};
}

std::vector<MethodChoice> plan_for_indefinite(const SystemSize& size, const MatrixTraits& traits,
                                              const LinearSolverOptions& options) {
  return plan_around_a_factorisation(size, options, Method::minres, Method::minres,
                                     traits.positive_diagonal
                                         ? "conjugate gradients found the matrix indefinite"
                                         : "the matrix is not positive definite: a diagonal entry is not positive");
}

std::vector<MethodChoice> plan_for_unsymmetric(const SystemSize& size, const LinearSolverOptions& options) {
  return plan_around_a_factorisation(size, options, Method::bicgstab, Method::gmres, "the matrix is not symmetric");
}

}  // namespace

bool diagonal_may_be_enough(const SystemSize& size) { return fewest_iterations_of_jacobi(size) <= most_of_jacobi; }

double dissection_operations(const SystemSize& size) {
  const int d = size.dimension == 3 ? 3 : 2;
  const double nodes = double(size.unknowns) / size.block;
  std::array<double, 3> wide = size.extent;
  std::ranges::sort(wide, std::greater{});
  if (std::ranges::any_of(wide.begin(), wide.begin() + d, [](double side) { return !(side > 0); })) wide = {1, 1, 1};
  const double volume = d == 3 ? wide[0] * wide[1] * wide[2] : wide[0] * wide[1],
               spacing = std::pow(volume / nodes, 1.0 / d);
  for (int k = 0; k < 3; ++k)
    wide[static_cast<std::size_t>(k)] = k < d ? std::max(1.0, wide[static_cast<std::size_t>(k)] / spacing) : 1;
  std::array<int, 3> faces{};  // across each direction, that a piece shares with others
  double operations = 0;
  for (double pieces = 1; wide[0] * wide[1] * wide[2] > 8; pieces *= 2) {
    const auto across = [&](std::size_t k) { return size.block * wide[0] * wide[1] * wide[2] / wide[k]; };
    const auto longest = static_cast<std::size_t>(std::ranges::max_element(wide) - wide.begin());
    const double cut = across(longest), border = faces[0] * across(0) + faces[1] * across(1) + faces[2] * across(2);
    operations += pieces * cut * (cut * cut / 3 + cut * border + border * border);
    wide[longest] /= 2;
    faces[longest] = std::min(2, faces[longest] + 1);
  }
  return operations;
}

IterationVerdict slower_than_factorising(const SystemSize& size, double iteration, double relative) {
  constexpr double minutes = 2e12;  // [operations]
  if (dissection_operations(size) > minutes) return {};
  return SlowerThanFactorising(predicted_factorisation(size, true), iteration, relative);
}

double predicted_factorisation(const SystemSize& size, bool symmetric) {
  const double once =
      3e-4 + 3.5e-6 * double(size.unknowns) + 3.5e-8 * double(size.nonzeros) + 4.2e-11 * dissection_operations(size);
  return (symmetric ? 1 : 2) * once * (1 + 0.02 * (size.columns - 1));
}

double predicted_multigrid(const SystemSize& size) {
  const MultigridCost cost = multigrid_cost(size);
  // eight columns cost 2.7 solutions
  return cost.set_up + cost.usual * cost.iteration * (size.columns == 1 ? 1 : 2.7 * ((size.columns + 7) / 8));
}

std::vector<MethodChoice> plan_methods(const SystemSize& size, const MatrixTraits& traits,
                                       const LinearSolverOptions& options) {
  if (options.method != Method::automatic) {
    MethodChoice named{options.method, options.preconditioner, "as asked"};
    if (named.preconditioner == Kind::automatic && named.method != Method::direct)
      named.preconditioner = Kind::multigrid;
    named.operations_limit = options.direct_operations;
    return {named};
  }
  std::vector<MethodChoice> plan = !traits.symmetric ? plan_for_unsymmetric(size, options)
                                   : traits.positive_diagonal && !traits.indefinite
                                       ? plan_for_definite(size, options)
                                       : plan_for_indefinite(size, traits, options);
  if (options.direct_operations > 0)
    for (MethodChoice& choice : plan) choice.operations_limit = options.direct_operations;
  return plan;
}

bool found_indefinite(std::span<const SolveReport> reports) {
  return std::ranges::any_of(reports,
                             [](const SolveReport& report) { return report.reason == StopReason::indefinite_matrix; });
}

bool may_go_on(std::span<const SolveReport> reports, MatrixPromise promise) {
  if (std::ranges::all_of(reports, &SolveReport::converged) ||
      std::ranges::any_of(reports, [](const SolveReport& report) { return report.entry >= 0; }))
    return false;
  return !(found_indefinite(reports) && promise == MatrixPromise::positive_definite);
}

std::string failure_of(const SolveReport& report) {
  const std::string with =
      report.preconditioner.empty() || report.preconditioner == "none" ? "" : " with " + report.preconditioner;
  return fmt::format("{}{}: {} after {} iteration{}", report.method, with, name_of(report.reason), report.iterations,
                     report.iterations == 1 ? "" : "s");
}

DirectKind direct_kind(bool symmetric, MatrixPromise promise) {
  if (!symmetric) return DirectKind::general;
  return promise == MatrixPromise::positive_definite ? DirectKind::positive_definite : DirectKind::symmetric;
}

}  // namespace ritz
