#include "fem/nonlinear_solution.hpp"

#include "fem/matrix_free_solver.hpp"
#include "fem/nested_nodes.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

constexpr double shortest_step = 1.0 / 1024, sufficient_decrease = 1e-4;

class Newton {
 public:
  Newton(const Operator& equations, const Constraints& constraints, const NonlinearOptions& options,
         const std::function<void(const std::string&)>& progress)
      : equations_(equations), constraints_(constraints), options_(options), progress_(progress), space_(equations.space()),
        u_(space_.zeros()), prescribed_(space_.zeros()), start_(space_.zeros()), r_(space_.zeros()), gap_(space_.zeros()),
        step_(space_.zeros()), trial_(space_.zeros()), trial_r_(space_.zeros()) {
    if (!without_matrix(equations, options.linear)) K_.emplace(equations.make_matrix());
    constraints.set_values(prescribed_);
    whole_residual(u_, start_);
    if (const Index bad = first_not_finite(start_); bad >= 0)
      throw Error(Exit::model, fmt::format("the residual at {} is not finite where the unknown is zero", space_.name_of(static_cast<Node>(bad / space_.components()))),
                  "a load, a coefficient or the form itself overflows there", "check the values of the case file and the form");
    if (options_.linear.promise == MatrixPromise::none && equations.symmetric()) options_.linear.promise = MatrixPromise::symmetric;
  }

  NonlinearSolution solve() {
    if (options_.start) go_on_from(*options_.start);
    for (int i = increment_ + 1; i <= options_.increments; ++i) {
      increment_ = i;
      fraction_ = double(i) / options_.increments;
      balance();
      if (options_.after_increment && i < options_.increments) options_.after_increment(solution());
    }
    return solution();
  }

 private:
  NonlinearSolution solution() {
    whole_residual(u_, r_);
    constraints_.keep_prescribed(r_);
    copy(u_, trial_);
    NonlinearSolution s;
    s.reaction = space_.forces_to_mesh(r_);
    s.steps = steps_;
    s.certificate = reference_ > 0 ? free_norm_ / reference_ : 0;
    s.reference = reference_;
    s.increment = increment_;
    s.last_solve = report_;
    s.u = std::exchange(trial_, space_.zeros());
    return s;
  }

  void go_on_from(const NonlinearState& state) {
    increment_ = state.increment;
    u_ = Vector(space_.device(), std::span<const double>(state.u), "vectors");
    reference_ = state.reference;
    steps_ = state.steps;
  }

  void whole_residual(const Vector& u, Vector& r) const {
    equations_.residual(u, r);
    if (options_.forces != nullptr) axpy(-1.0, *options_.forces, r);
  }

  // The residual that is to vanish in this increment: r(u) less the part of r(0), the loads, that is yet to come.
  void residual(const Vector& u, Vector& r) const {
    whole_residual(u, r);
    if (fraction_ < 1) axpy(fraction_ - 1, start_, r);
  }

  void find_gap() {
    copy(u_, gap_);
    constraints_.keep_prescribed(gap_);
    axpby(fraction_, prescribed_, -1.0, gap_);
  }

  void balance() {
    residual(u_, r_);
    for (int step = 0;; ++step) {
      copy(r_, trial_r_);
      constraints_.keep_prescribed(trial_r_);
      const double held = norm2(trial_r_);
      constraints_.set_zero(r_);
      free_norm_ = norm2(r_);
      find_gap();
      const bool gap = max_abs(gap_) > 1e-14 * max_abs(prescribed_);
      reference_ = std::max({reference_, held, step == 0 ? free_norm_ : 0.0});
      if (!gap && free_norm_ <= options_.relative * reference_) return;
      if (step == options_.max_steps) stop("the limit of steps was reached", "allow more with [newton] max_steps, or take more increments");
      if (progress_) progress_(fmt::format("Newton step {}, residual {:.1e}", steps_.size() + 1, reference_ > 0 ? free_norm_ / reference_ : 0));
      take_step(gap);
    }
  }

  void take_step(bool gap) {
    Profile& profile = space_.device().profile();
    if (K_) {
      auto phase = profile.phase("assembly");
      equations_.assemble(u_, *K_);
    }
    double asked = 0;  // of the free unknowns by the gap
    copy(r_, trial_r_);
    if (gap) {
      if (K_) K_->apply(gap_, trial_);
      else equations_.action(u_, gap_, trial_);
      constraints_.set_zero(trial_);
      asked = norm2(trial_);
      axpy(1.0, trial_, trial_r_);
    }
    axpby(0.0, trial_r_, -1.0, trial_r_);
    reference_ = std::max(reference_, asked);
    {
      auto phase = profile.phase("solve");
      fill(0.0, step_);
      if (K_) {
        K_->eliminate(constraints_.mask(), std::max(max_abs(K_->diagonal()), 1e-300));
        report_ = solve_linear(*K_, trial_r_, step_, options_.linear, solver_geometry(space_));
      } else {
        report_ = MatrixFreeSolver(equations_, constraints_, u_).solve(trial_r_, step_, options_.linear);
      }
      options_.linear.say = {};  // said once
      if (!report_.converged())
        stop(fmt::format("the linear solver ({}) stopped: {}", report_.method, name_of(report_.reason)), advice_for(report_.reason));
      axpy(1.0, gap_, step_);
    }
    search(asked);
  }

  // Armijo's rule for ||residual of the free unknowns|| plus what is left of the gap, measured as force.
  void search(double asked) {
    auto phase = space_.device().profile().phase("line search");
    const double before = free_norm_ + asked;
    for (double length = 1; length >= shortest_step; length /= 2) {
      copy(u_, trial_);
      axpy(length, step_, trial_);
      residual(trial_, r_);
      copy(r_, trial_r_);
      constraints_.set_zero(trial_r_);
      const double norm = first_not_finite(trial_r_) < 0 ? norm2(trial_r_) : INFINITY;
      if (norm + (1 - length) * asked > (1 - sufficient_decrease * length) * before) continue;
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
      history += fmt::format("{}{:.1e} (step {:.3g})", history.empty() ? "" : ", ", steps_[i].relative, steps_[i].length);
    throw Error(Exit::not_converged,
                fmt::format("Newton's method did not converge in increment {} of {}: {}", increment_, options_.increments, reason),
                fmt::format("after {} steps the relative residual is {:.2e}{}", steps_.size(), reference_ > 0 ? free_norm_ / reference_ : 0,
                            history.empty() ? "" : "; the last ones were " + history),
                advice);
  }

  const Operator& equations_;
  const Constraints& constraints_;
  NonlinearOptions options_;
  const std::function<void(const std::string&)>& progress_;
  const FunctionSpace& space_;
  Vector u_, prescribed_, start_, r_, gap_, step_, trial_, trial_r_;
  std::optional<SparseMatrix> K_;   // none: solved without
  SolveReport report_;
  std::vector<NonlinearStep> steps_;
  double reference_ = 0, free_norm_ = 0, fraction_ = 1;
  int increment_ = 0;
};

}  // namespace

NonlinearSolution solve_nonlinear(const Operator& equations, const Constraints& constraints, const NonlinearOptions& options,
                                  const std::function<void(const std::string&)>& progress) {
  return Newton(equations, constraints, options, progress).solve();
}

}  // namespace ritz
