#include "fem/analysis/nonlinear_solution.hpp"

#include "fem/analysis/linear_system.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// How far a linear system is solved, relative to the residual at hand: no further than what ends the increment, and
// from the second step on so far only that convergence stays quadratic (Dembo, Eisenstat and Steihaug, SIAM J. Numer.
// Anal. 19, 1982). The first step is exact: where nothing yields it is the only one.
double linear_tolerance(int step, double residual, double wanted) {  // both relative to the largest force
  constexpr double loosest_far = 1e-4, loosest_near = 1e-2;
  if (!(residual > 0)) return 0;
  return std::max(step > 0 ? std::min(loosest_far, 0.5 * residual) : 0.0,
                  std::min(loosest_near, 0.1 * wanted / residual));
}

constexpr double shortest_step = 1.0 / 1024, sufficient_decrease = 1e-4, sufficient_flattening = 0.8;

class Newton {
 public:
  Newton(const Operator& equations, const Constraints& constraints, const NonlinearOptions& options,
         const std::function<void(const std::string&)>& progress)
      : equations_(equations),
        constraints_(constraints),
        options_(options),
        progress_(progress),
        space_(equations.space()),
        u_(space_.zeros()),
        prescribed_(space_.zeros()),
        start_(space_.zeros()),
        r_(space_.zeros()),
        gap_(space_.zeros()),
        step_(space_.zeros()),
        trial_(space_.zeros()),
        trial_r_(space_.zeros()) {
    auto phase = space_.device().profile().phase("assembly");
    equations.reset_state();
    if (options.halvings > 0) begin_ = space_.zeros();
    if (options_.start) turned_ = options_.start->turned;
    system_.emplace(equations, linear_options(), LinearSystem::Keeps::solver);
    constraints.set_values(prescribed_);
    whole_residual(u_, start_);
    if (const Index bad = first_not_finite(start_); bad >= 0)
      throw Error(Exit::model,
                  fmt::format("the residual at {} is not finite where the unknown is zero",
                              space_.name_of(static_cast<Node>(bad / space_.components()))),
                  "a load, a coefficient or the form itself overflows there",
                  "check the values of the case file and the form");
  }

  // Steps share no matrix. A run that had turned to one goes on with it.
  LinearSolverOptions linear_options() const {
    LinearSolverOptions linear = options_.linear;
    linear.one_of_many = false;
    linear.slow_multigrid = !turned_.empty();
    if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
    return linear;
  }

  NonlinearSolution solve() {
    if (options_.start) go_on_from(*options_.start);
    const int count = options_.increment_count();
    for (int i = increment_ + 1; i <= count; ++i) {
      increment_ = i;
      system_->begin(fmt::format(" from increment {} on", i));
      advance(options_.part_of_loads(i - 1), options_.part_of_loads(i), options_.halvings);
      system_->begin();  // solvers go before anything else needs their memory
      if (i == count || options_.after_increment) find_reaction();
      if (equations_.has_state()) equations_.commit(u_);
      if (options_.after_increment && i < count) options_.after_increment(solution());
    }
    return solution();
  }

 private:
  // From one part of the loads to another; where Newton's method fails, in two halves.
  void advance(double from, double to, int halvings) {
    fraction_ = to;
    if (halvings == 0) return balance();
    copy(u_, begin_);
    try {
      balance();
    } catch (const Error& error) {
      if (error.exit() != Exit::not_converged) throw;
      if (progress_) progress_(fmt::format("increment {} is halved: {}", increment_, error.message()));
      copy(begin_, u_);
      const double middle = 0.5 * (from + to);
      advance(from, middle, halvings - 1);
      if (equations_.has_state()) equations_.commit(u_);
      advance(middle, to, halvings - 1);
    }
  }

  // Uses the state at the beginning of the increment: the committed one may give other forces if time matters.
  void find_reaction() {
    auto phase = space_.device().profile().phase("reactions");
    residual(u_, r_);
    constraints_.keep_prescribed(r_);
    reaction_ = space_.forces_to_mesh(r_);
  }

  NonlinearSolution solution() {
    auto phase = space_.device().profile().phase("reactions");
    copy(u_, trial_);
    NonlinearSolution s;
    s.reaction = reaction_;
    s.steps = steps_;
    s.certificate = reference_ > 0 ? free_norm_ / reference_ : 0;
    s.reference = reference_;
    s.increment = increment_;
    s.last_solve = report_;
    s.last_solve.fallbacks = fallbacks_;
    s.turned = turned_;
    s.remark = remark_;
    s.u = std::exchange(trial_, space_.zeros());
    return s;
  }

  void go_on_from(const NonlinearState& state) {
    increment_ = state.increment;
    u_ = Vector(space_.device(), std::span<const double>(state.u), "vectors");
    reference_ = state.reference;
    steps_ = state.steps;
    equations_.set_state(state.state);
  }

  void whole_residual(const Vector& u, Vector& r) const {
    equations_.residual(u, r);
    if (options_.forces != nullptr) axpy(-1.0, *options_.forces, r);
  }

  // The residual that is to vanish in this increment: r(u) less the part of r(0), the loads, that is yet to come.
  void residual(const Vector& u, Vector& r) const {
    whole_residual(u, r);
    if (fraction_ != 1) axpy(fraction_ - 1, start_, r);
  }

  void find_gap() {
    copy(u_, gap_);
    constraints_.keep_prescribed(gap_);
    axpby(fraction_, prescribed_, -1.0, gap_);
  }

  void balance() {
    std::optional<Profile::Phase> phase(std::in_place, space_.device().profile(), "residual");
    residual(u_, r_);
    double before = INFINITY;  // residual of the last step
    for (int step = 0;; before = free_norm_, ++step) {
      copy(r_, trial_r_);
      constraints_.keep_prescribed(trial_r_);
      const double held = norm2(trial_r_);
      constraints_.set_zero(r_);
      free_norm_ = norm2(r_);
      find_gap();
      const bool gap = max_abs(gap_) > 1e-14 * max_abs(prescribed_);
      reference_ = std::max({reference_, held, step == 0 ? free_norm_ : 0.0});
      if (!gap &&
          (free_norm_ <= options_.relative * reference_ || (free_norm_ > 0.5 * before && only_rounding_is_left())))
        return;
      if (step == options_.max_steps)
        stop("the limit of steps was reached", "allow more with [newton] max_steps, or take more increments");
      if (progress_)
        progress_(fmt::format("Newton step {}, residual {:.1e}", steps_.size() + 1,
                              reference_ > 0 ? free_norm_ / reference_ : 0));
      phase.reset();
      take_step(step, gap);
      phase.emplace(space_.device().profile(), "residual");
    }
  }

  // As of a direct solution (DirectSolver::judge): the last step hardly moved u, and the residual is no more than
  // storing u makes.
  bool only_rounding_is_left() {
    const double moved = norm2(step_) / norm2(u_);
    if (!(moved <= options_.rounding_error)) return false;
    fill_start_vector(trial_);
    multiply(trial_, u_, trial_);
    constraints_.set_zero(trial_);
    system_->multiply(trial_, trial_r_);
    constraints_.set_zero(trial_r_);
    const double rounding = 0.5 * std::numeric_limits<double>::epsilon() * norm2(trial_r_);
    if (!(free_norm_ <= std::min(residual_of_rounding * rounding, largest_residual_of_rounding * reference_)))
      return false;
    remark_ = fmt::format("{}, and the last step of Newton's method moved the solution by {:.1e} of it: increment {}",
                          rounding_text(rounding / reference_), moved, increment_);
    return true;
  }

  // Of all steps; one that each increment takes anew counts once, whatever its numbers.
  void keep_fallbacks() {
    const auto kind = [](const std::string& text) { return text.substr(0, text.find(" (")); };
    for (const std::string& text : report_.fallbacks)
      if (std::ranges::find(fallbacks_, kind(text), kind) == fallbacks_.end()) fallbacks_.push_back(text);
  }

  void take_step(int step, bool gap) {
    Profile& profile = space_.device().profile();
    std::optional<Profile::Phase> phase(std::in_place, profile, "assembly");
    system_->linearise(u_, constraints_);
    phase.emplace(profile, "residual");
    double asked = 0;  // of the free unknowns by the gap
    copy(r_, trial_r_);
    if (gap) {
      system_->multiply(gap_, trial_);
      constraints_.set_zero(trial_);
      asked = norm2(trial_);
      axpy(1.0, trial_, trial_r_);
    }
    axpby(0.0, trial_r_, -1.0, trial_r_);
    reference_ = std::max(reference_, asked);
    phase.emplace(profile, "solve");
    const double size = std::max(free_norm_, asked);
    const double relative = std::max(options_.linear.relative,
                                     linear_tolerance(step, reference_ > 0 ? size / reference_ : 0, options_.relative));
    fill(0.0, step_);
    // Rounding is mended by the next step, and the residual of the equations is what counts.
    report_ = system_->solve(trial_r_, step_, LinearTolerance{relative, 1e-2});
    phase.reset();
    if (turned_.empty()) turned_ = system_->turned();
    keep_fallbacks();
    if (!report_.converged())
      stop(fmt::format("the linear solver ({}) stopped: {}", report_.method, name_of(report_.reason)),
           advice_for(report_.reason));
    axpy(1.0, gap_, step_);
    search(asked);
  }

  // Armijo's rule for ||residual of the free unknowns|| plus what is left of the gap, measured as force. Where forces
  // have an energy, its slope along the step may shrink instead (Matthies and Strang, Int. J. Num. Meth. Eng. 14,
  // 1979): where a body begins to yield it leads on, though the residual grows for a while.
  void search(double asked) {
    auto phase = space_.device().profile().phase("line search");
    const double before = free_norm_ + asked;
    const double slope = asked == 0 && equations_.symmetric() ? std::abs(dot(trial_r_, step_)) : 0;  // trial_r_ is -r
    for (double length = 1; length >= shortest_step; length /= 2) {
      copy(u_, trial_);
      axpy(length, step_, trial_);
      residual(trial_, r_);
      copy(r_, trial_r_);
      constraints_.set_zero(trial_r_);
      const double norm = first_not_finite(trial_r_) < 0 ? norm2(trial_r_) : INFINITY;
      const bool smaller = norm + (1 - length) * asked <= (1 - sufficient_decrease * length) * before;
      const bool flatter =
          std::isfinite(norm) && std::abs(dot(trial_r_, step_)) <= sufficient_flattening * slope && slope > 0;
      if (!smaller && !flatter) continue;
      std::swap(u_, trial_);
      steps_.push_back({increment_, norm, reference_ > 0 ? norm / reference_ : 0, length});
      return;
    }
    stop("no step along Newton's direction reduces the residual",
         "take more increments ([newton] increments), smaller loads, or check the form (ritz element check)");
  }

  [[noreturn]] void stop(const std::string& reason, const std::string& advice) const {
    std::string history;
    for (std::size_t i = steps_.size() > 5 ? steps_.size() - 5 : 0; i < steps_.size(); ++i)
      history +=
          fmt::format("{}{:.1e} (step {:.3g})", history.empty() ? "" : ", ", steps_[i].relative, steps_[i].length);
    throw Error(Exit::not_converged,
                fmt::format("Newton's method did not converge in increment {} of {}: {}", increment_,
                            options_.increment_count(), reason),
                fmt::format("after {} steps the relative residual is {:.2e}{}", steps_.size(),
                            reference_ > 0 ? free_norm_ / reference_ : 0,
                            history.empty() ? "" : "; the last ones were " + history),
                advice);
  }

  const Operator& equations_;
  const Constraints& constraints_;
  NonlinearOptions options_;
  const std::function<void(const std::string&)>& progress_;
  const FunctionSpace& space_;
  std::vector<double> reaction_;
  Vector begin_;  // u at the begin of an increment that may be halved
  Vector u_, prescribed_, start_, r_, gap_, step_, trial_, trial_r_;
  std::optional<LinearSystem> system_;
  std::string turned_, remark_;
  std::vector<std::string> fallbacks_;
  SolveReport report_;
  std::vector<NonlinearStep> steps_;
  double reference_ = 0, free_norm_ = 0, fraction_ = 1;
  int increment_ = 0;
};

}  // namespace

double NonlinearOptions::part_of_loads(int increment) const {
  if (increment == 0) return 0;
  const auto stage = static_cast<std::size_t>((increment - 1) / increments);
  const double from = stage == 0 ? 0 : path[stage - 1];
  return from + (path[stage] - from) * (double(increment - static_cast<int>(stage) * increments) / increments);
}

NonlinearSolution solve_nonlinear(const Operator& equations, const Constraints& constraints,
                                  const NonlinearOptions& options,
                                  const std::function<void(const std::string&)>& progress) {
  return Newton(equations, constraints, options, progress).solve();
}

}  // namespace ritz
