#include "fem/analysis/newton.hpp"

#include "fem/analysis/newton_outlook.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace ritz {
namespace {

// How far a linear system is solved, relative to the residual at hand: no further than what ends the increment, and
// else by how far the last step has brought it (the second choice of Eisenstat and Walker, SIAM J. Sci. Comput. 17
// (1996) 16). Their safeguard against tolerances that shrink too early has no effect below a loosest one of 0.1.
double forcing_term(double ratio) {
  constexpr double loosest = 0.1, usual_gain = 0.9;
  return std::min(loosest, usual_gain * ratio * ratio);
}

constexpr double shortest_step = 1.0 / 1024, sufficient_decrease = 1e-4, sufficient_flattening = 0.8;
constexpr double steeper_by_rounding = 1e-6;
// How much farther than in the first step of all a body goes for a force near its limit load, and beyond it, where the
// mesh alone holds it.
constexpr double near_limit = 1e3, beyond_limit = 2e4;

// The next length to try: where the slope of the energy vanishes between its values at 0 and at this length, if it has
// changed its sign there (regula falsi); else half.
double shorter(double length, double slope, double now) {
  if (!(now > 0) || !std::isfinite(now)) return length / 2;
  return length * std::clamp(slope / (slope + now), 0.1, 0.5);
}

}  // namespace

Newton::Newton(const Equations& equations, const Supports& supports, std::shared_ptr<TangentSystem> system,
               const NewtonOptions& options, MessageSink progress, std::shared_ptr<ActiveSet> active)
    : equations_(equations.shared()),
      supports_((active != nullptr ? active->supports() : supports).shared()),
      system_(std::move(system)),
      options_(options),
      progress_(std::move(progress)),
      active_(active),
      r_(equations.zeros()),
      gap_(equations.zeros()),
      step_(equations.zeros()),
      trial_(equations.zeros()),
      trial_r_(equations.zeros()),
      norms_(equations) {}

void Newton::find_gap(const Problem& problem, double part, const Vector& u) {
  copy(u, gap_);
  supports_->set_values(gap_, problem.values_in_time ? 1 : part);
  if (problem.excess != nullptr && part != 1) axpy(1 - part, *problem.excess, gap_);
  axpy(-1.0, u, gap_);
}

// Sums of dependent unknowns are rounded. Units of fields differ, so each gap is compared with its field.
bool Newton::has_gap(const Problem& problem, const Vector& u) const {
  const Layout& layout = equations_->layout();
  for (int k = 0; k < layout.count(); ++k) {
    const auto size = [&](const Vector& x) { return layout.count() == 1 ? max_abs(x) : max_abs(layout.part(x, k)); };
    double of_field = std::max(size(problem.prescribed), supports_->has_dependent() ? size(u) : 0.0);
    if (problem.excess != nullptr) of_field = std::max(of_field, size(*problem.excess));
    if (size(gap_) > 1e-14 * of_field) return true;
  }
  return false;
}

// The first of several fields is that which moves.
double Newton::size_of_first(const Vector& x) const {
  const Layout& layout = equations_->layout();
  return layout.count() == 1 ? norm2(x) : norm2(layout.part(x, 0));
}

// residual: part of the largest force. The first step is exact: where nothing yields it is the only one.
double Newton::linear_tolerance(int step, double residual) {
  constexpr double loosest_near = 1e-2;
  if (!(residual > 0)) return 0;
  const double forcing = step > 0 ? forcing_term(last_size_ > 0 ? residual / last_size_ : 1) : 0;
  last_size_ = residual;
  return std::max(forcing, std::min(loosest_near, 0.1 * options_.relative / residual));
}

void Newton::solve(const Problem& problem, Vector& u) {
  norms_.begin();
  last_change_.clear();
  in_time_ = problem.in_time;
  met_indefinite_ = false;
  if (active_ != nullptr) active_->begin();
  const std::size_t before = steps_.size();
  begin(problem, u);
  iterate(problem, u);
  last_steps_ = static_cast<int>(steps_.size() - before);
  if (equations_->facts().has_states && relative_flexibility() > beyond_limit)
    stop(problem, "the body has no stiffness left but that of its mesh", "");
}

// At u, or at what was predicted. The force that pushes is that at u.
void Newton::begin(const Problem& problem, Vector& u) {
  auto phase = profile().phase("residual");
  problem.residual(u, r_);
  pushed_ = moved_ = 0;
  if (problem.predicted == nullptr) return;
  const auto size = [&](const Vector& r) {
    copy(r, trial_r_);
    supports_->gather(trial_r_);
    supports_->set_zero(trial_r_);
    return norm2(trial_r_);
  };
  find_gap(problem, problem.part, u);
  const bool has_force = !has_gap(problem, u);
  const double at_u = size(r_), force = size_of_first(trial_r_);
  problem.residual(*problem.predicted, step_);
  const double there = size(step_);
  if (has_force) pushed_ = force;
  if (!(there < at_u) && has_force) return;
  if (!std::isfinite(there)) return;
  std::swap(r_, step_);
  copy(*problem.predicted, trial_);
  axpy(-1.0, u, trial_);
  moved_ = size_of_first(trial_);
  copy(*problem.predicted, u);
  if (has_force && !norms_.are_relative()) reference_ = std::max(reference_, at_u);
}

// r_ of the free unknowns, trial_r_ of the prescribed ones.
void Newton::divide_residual(int step) {
  supports_->gather(r_);
  copy(r_, trial_r_);
  supports_->keep_prescribed(trial_r_);
  supports_->set_zero(r_);
  norms_.widen(trial_r_);
  if (step == 0) norms_.widen(r_);
}

void Newton::update_constraints(const Vector& u, bool in_balance) {
  if (active_ == nullptr) return;
  last_change_ = active_->update(u, r_, in_balance);
  if (!last_change_.empty()) constraints_changed();
}

// A constraint that waited for this balance may change; r_ is then the residual of all unknowns.
bool Newton::is_solution(const Problem& problem, int step, const Vector& u) {
  if (active_ == nullptr || !active_->waits_for_balance()) return true;
  problem.residual(u, r_);
  update_constraints(u, true);
  if (!last_change_.empty()) return false;
  divide_residual(step);
  return true;
}

void Newton::constraints_changed() {
  supports_ = active_->supports().shared();
  system_->hold(active_->constraints());
}

void Newton::iterate(const Problem& problem, Vector& u) {
  std::optional<Profile::Phase> phase(std::in_place, profile(), "residual");
  std::vector<double> norms;  // [step]
  double known = 0;           // forces of states in balance, of the loads, and those that prescribed values ask for
  for (int step = 0;; ++step) {
    const double part = problem.path != nullptr ? problem.path->part : problem.part;
    update_constraints(u, false);
    divide_residual(step);
    norms_.widen_by_flows(u, u);
    const double held = norms_.of(trial_r_);
    free_norm_ = norms_.of(r_);
    find_gap(problem, part, u);
    const bool gap = has_gap(problem, u), is_begun = step > 0 || problem.path == nullptr;
    // Reactions on the way may be larger by orders of magnitude, and are no measure of what is in balance.
    if (step == 0) known = std::max(reference_, free_norm_);
    reference_ = std::max(known, held);
    if (norms_.are_relative()) reference_ = 1;
    largest_force_ = std::max({largest_force_, size_of_first(trial_r_), size_of_first(r_)});
    if (step == 0 && pushed_ == 0) pushed_ = size_of_first(r_);
    const bool is_settled = !gap && is_begun && last_change_.empty();
    const bool is_solved =
        is_settled && (free_norm_ <= options_.relative * reference_ ||
                       (step > 0 && free_norm_ > 0.5 * norms.back() && only_rounding_is_left(problem, u)));
    norms.push_back(free_norm_);
    if (is_solved) {
      if (is_solution(problem, step, u)) return;
      continue;
    }
    if (step >= options_.max_steps)
      stop(problem, "the limit of steps was reached", "allow more with [newton] max_steps, or take more increments");
    if (problem.can_fail)
      if (const std::string why = hopeless(norms); !why.empty()) stop(problem, why, "take smaller increments");
    if (progress_) progress_(fmt::format("Newton step {}, residual {:.1e}", steps_.size() + 1, relative_residual()));
    phase.reset();
    const double before = reference_;
    if (!take_step(problem, step, gap, u)) return;
    if (reference_ > before) known = reference_;
    phase.emplace(profile(), "residual");
  }
}

// Norm of the residual that storing u makes: each product of a row has an error of its own.
double Newton::rounding_level(const Vector& u) {
  fill_start_vector(trial_);
  multiply(trial_, u, trial_);
  supports_->set_zero(trial_);
  system_->multiply(trial_, step_);
  supports_->set_zero(step_);
  return 0.5 * std::numeric_limits<double>::epsilon() * norms_.of(step_);
}

// Same criterion as for a direct solution (DirectSolver::judge): the last step hardly moved u, and the residual is no
// more than storing u causes.
bool Newton::only_rounding_is_left(const Problem& problem, const Vector& u) {
  const double moved = norm2(step_) / norm2(u);
  if (!(moved <= options_.rounding_error)) return false;
  const double rounding = rounding_level(u);
  const double most = options_.at_rest ? INFINITY : largest_residual_of_rounding * reference_;
  if (!(free_norm_ <= std::min(residual_of_rounding * rounding, most))) return false;
  remark_ = fmt::format("{}, and the last step of Newton's method moved the solution by {:.1e} of it: {}",
                        rounding_text(rounding / reference_), moved, problem.place);
  return true;
}

// One that each state takes again counts once, whatever its numbers.
void Newton::keep_fallbacks() {
  const auto kind = [](const std::string& text) { return text.substr(0, text.find(" (")); };
  for (const std::string& text : report_.fallbacks)
    if (std::ranges::find(fallbacks_, kind(text), kind) == fallbacks_.end()) fallbacks_.push_back(text);
}

double Newton::add_force_of(const Vector& gap, Vector& r) {
  system_->multiply(gap, trial_);
  supports_->gather(trial_);
  supports_->set_zero(trial_);
  norms_.widen(trial_);
  axpy(1.0, trial_, r);
  return norms_.of(trial_);
}

// Rounding is mended by the next step, and the residual of the equations is what counts.
void Newton::solve_linear_system(const Problem& problem, double relative, const Vector& b, Vector& x) {
  auto phase = profile().phase("solve");
  fill(0.0, x);
  try {
    report_ = system_->solve(b, x, LinearTolerance{relative, 1e-2, problem.ends_when_indefinite});
  } catch (const Error& error) {  // of the first system of all: the model can move
    if (error.exit() != Exit::model || steps_.empty()) throw;
    stop(problem, "the tangent has no inverse: " + error.message(), "");
  }
  keep_fallbacks();
  met_indefinite_ = met_indefinite_ || report_.met_indefinite;
  if (!report_.converged())
    stop(problem, fmt::format("the linear solver ({}) stopped: {}", report_.method, name_of(report_.reason)),
         advice_for(report_.reason));
  supports_->set_linear(x);
}

bool Newton::take_step(const Problem& problem, int step, bool gap, Vector& u) {
  std::optional<Profile::Phase> phase(std::in_place, profile(), "assembly");
  if (!options_.keeps_tangent) system_->linearise(u);
  phase.emplace(profile(), "residual");
  if (options_.at_rest && !gap && free_norm_ <= residual_of_rounding * rounding_level(u)) return false;
  double asked = 0;  // of the free unknowns by the gap
  copy(r_, trial_r_);
  if (gap) asked = add_force_of(gap_, trial_r_);
  if (gap && norms_.are_relative()) free_norm_ = norms_.of(r_);
  axpby(0.0, trial_r_, -1.0, trial_r_);
  reference_ = std::max(reference_, asked);
  phase.reset();
  const double size = std::max(free_norm_, asked);
  const double relative =
      std::max(options_.least_linear, linear_tolerance(step, reference_ > 0 ? size / reference_ : 0));
  if (step == 0 && problem.path != nullptr) fill(0.0, step_);  // in balance
  else solve_linear_system(problem, relative, trial_r_, step_);
  axpy(1.0, gap_, step_);
  if (problem.path != nullptr) follow_path(problem, relative, u);
  else search(problem, step, asked, u);
  return true;
}

// The residual is linear in the part. The equations are those at the part again afterwards.
void Newton::find_rate(const Problem& problem, const Vector& u) {
  PathConstraint& path = *problem.path;
  if (!path.rate_varies) return copy(path.rate, trial_r_);
  const double part = path.part;
  path.part = part + 1;
  problem.residual(u, trial_r_);
  path.part = part;
  problem.residual(u, trial_);
  axpy(-1.0, trial_, trial_r_);
}

// step_ is Newton's at fixed loads; the loads change so that u stays on the path.
void Newton::follow_path(const Problem& problem, double relative, Vector& u) {
  PathConstraint& path = *problem.path;
  if (along_.empty()) along_ = equations_->zeros();
  find_rate(problem, u);
  supports_->gather(trial_r_);
  supports_->set_zero(trial_r_);
  if (max_abs(path.held) > 0) add_force_of(path.held, trial_r_);
  axpby(0.0, trial_r_, -1.0, trial_r_);
  solve_linear_system(problem, relative, trial_r_, along_);
  axpy(1.0, path.held, along_);
  const std::optional<double> change = path.change(u, step_, along_);
  if (!change) stop(problem, "no point of the path has the distance of the increment", "take smaller increments");
  axpy(*change, along_, step_);
  axpy(1.0, step_, u);
  path.part += *change;
  problem.residual(u, r_);
  const double norm = norms_.of(r_);
  if (!std::isfinite(norm)) stop_without_number(problem);
  steps_.push_back({problem.increment, norm, reference_ > 0 ? norm / reference_ : 0, 1});
}

// Armijo's rule for ||residual of the free unknowns|| plus what is left of the gap, measured as force. Where forces
// have an energy, its slope along the step may shrink instead (Matthies and Strang, Int. J. Num. Meth. Eng. 14,
// 1979): where a body begins to yield it leads on, though the residual grows for a while. Points on the yield surface
// may have the elastic tangent: then the step is too short, the energy still falls at its end as steeply as before, and
// the next step has the tangent of a body that yields. Forms with internal variables and without an energy are judged
// by that slope in the first step of an increment only.
void Newton::search(const Problem& problem, int step, double asked, Vector& u) {
  auto phase = profile().phase("line search");
  if (norms_.are_relative()) {
    norms_.widen_by_flows(u, step_);
    free_norm_ = norms_.of(r_);
  }
  const double before = free_norm_ + asked;
  const bool has_slope = asked == 0 && (equations_->facts().symmetric || (step == 0 && equations_->facts().has_states));
  const double slope = has_slope ? dot(trial_r_, step_) : 0;  // trial_r_ is -r
  bool has_number = false;
  for (double length = 1, now = 0; length >= shortest_step; length = shorter(length, slope, now)) {
    copy(u, trial_);
    axpy(length, step_, trial_);
    problem.residual(trial_, r_);
    copy(r_, trial_r_);
    supports_->gather(trial_r_);
    supports_->set_zero(trial_r_);
    const double sum = norms_.of(trial_r_), norm = std::isfinite(sum) ? sum : INFINITY;
    const bool smaller = norm + (1 - length) * asked <= (1 - sufficient_decrease * length) * before;
    has_number = has_number || std::isfinite(norm);
    now = slope != 0 && std::isfinite(norm) ? dot(trial_r_, step_) : INFINITY;
    const bool falls = now < 0 && -now <= (1 + steeper_by_rounding) * slope;
    const bool flatter = falls || std::abs(now) <= sufficient_flattening * std::abs(slope);
    const bool is_enough = options_.keeps_tangent || problem.full_steps;
    if (!smaller && !flatter && !(is_enough && std::isfinite(norm))) continue;
    keep_motion(step, asked, length);
    std::swap(u, trial_);
    steps_.push_back({problem.increment, norm, reference_ > 0 ? norm / reference_ : 0, length});
    return;
  }
  if (!has_number) stop_without_number(problem);
  copy(trial_r_, r_);
  stop(problem, "no step along Newton's direction reduces the residual",
       "take more increments ([newton] increments), smaller loads, or check the form (ritz element check)");
}

void Newton::keep_motion(int step, double asked, double length) {
  const double size = size_of_first(step_);
  if (step == 0 && asked == 0 && first_flexibility_ == 0 && pushed_ > 0) first_flexibility_ = size / pushed_;
  moved_ += length * size;
}

double Newton::relative_flexibility() const {
  const double reference = norms_.are_relative() ? largest_force_ : reference_;
  const bool is_known = options_.follows_loads && !in_time_ && first_flexibility_ > 0 && pushed_ > 1e-6 * reference;
  return is_known ? moved_ / pushed_ / first_flexibility_ : 0;
}

void Newton::stop_without_number(const Problem& problem) const {
  stop(problem, "the material or another form gives no number at " + not_finite_in(*equations_, r_),
       "cells turn inside out or a law leaves its range there: take smaller increments, or a finer mesh");
}

void Newton::stop(const Problem& problem, const std::string& reason, const std::string& advice) const {
  std::string history;
  for (std::size_t i = steps_.size() > 5 ? steps_.size() - 5 : 0; i < steps_.size(); ++i)
    history += fmt::format("{}{:.1e} (step {:.3g})", history.empty() ? "" : ", ", steps_[i].relative, steps_[i].length);
  const std::string where = fmt::format("Newton's method did not converge in {}: {}", problem.place, reason);
  std::string after = fmt::format("after {} steps the relative residual is {:.2e}{}", steps_.size(),
                                  relative_residual(), history.empty() ? "" : "; the last ones were " + history);
  if (max_abs(r_) > 0 && std::isfinite(norm2(r_))) after += "; it is largest at " + place_of_largest(*equations_, r_);
  if (!last_change_.empty()) after += "; in the last step " + last_change_;
  if (!(relative_flexibility() > near_limit)) throw Error(ErrorKind::newton_not_converged, where, after, advice);
  throw Error(
      ErrorKind::newton_not_converged, where + "; a limit load may be reached",
      fmt::format("it moves {:.1e} times as far for the force as in the first step; {}", relative_flexibility(), after),
      "lower the loads (small increments show what is carried last), prescribe displacements in place of "
      "forces, or give the material hardening");
}

}  // namespace ritz
