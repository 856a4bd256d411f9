#include "fem/analysis/newton.hpp"

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
// from the second step on so far only that convergence stays quadratic (Dembo, Eisenstat and Steihaug, SIAM J. Numer.
// Anal. 19, 1982). The first step is exact: where nothing yields it is the only one.
double linear_tolerance(int step, double residual, double wanted) {  // both relative to the largest force
  constexpr double loosest_far = 1e-4, loosest_near = 1e-2;
  if (!(residual > 0)) return 0;
  return std::max(step > 0 ? std::min(loosest_far, 0.5 * residual) : 0.0,
                  std::min(loosest_near, 0.1 * wanted / residual));
}

constexpr double shortest_step = 1.0 / 1024, sufficient_decrease = 1e-4, sufficient_flattening = 0.8;
constexpr double steeper_by_rounding = 1e-6;
// How much farther than in the first step of all a body goes for a force near its limit load, and beyond it, where the
// mesh alone holds it.
constexpr double near_limit = 1e3, beyond_limit = 2e4;

}  // namespace

std::string not_finite_in(const Equations& equations, const Vector& r) {
  const Index bad = first_not_finite(r);
  return bad < 0 ? "a node of another rank" : equations.name_of(bad);
}

Newton::Newton(const Equations& equations, const Supports& supports, TangentSystem& system,
               const NewtonOptions& options, std::function<void(const std::string&)> progress)
    : equations_(equations),
      supports_(supports),
      system_(system),
      options_(options),
      progress_(std::move(progress)),
      r_(equations.zeros()),
      gap_(equations.zeros()),
      step_(equations.zeros()),
      trial_(equations.zeros()),
      trial_r_(equations.zeros()) {}

void Newton::find_gap(const Problem& problem, const Vector& u) {
  copy(u, gap_);
  supports_.set_values(gap_, problem.part);
  if (problem.excess != nullptr && problem.part != 1) axpy(1 - problem.part, *problem.excess, gap_);
  axpy(-1.0, u, gap_);
}

// Sums of dependent unknowns are rounded. Units of fields differ, so each gap is compared with its field.
bool Newton::has_gap(const Problem& problem, const Vector& u) const {
  const Layout& layout = equations_.layout();
  for (int k = 0; k < layout.count(); ++k) {
    const auto size = [&](const Vector& x) { return layout.count() == 1 ? max_abs(x) : max_abs(layout.part(x, k)); };
    double of_field = std::max(size(problem.prescribed), supports_.has_dependent() ? size(u) : 0.0);
    if (problem.excess != nullptr) of_field = std::max(of_field, size(*problem.excess));
    if (size(gap_) > 1e-14 * of_field) return true;
  }
  return false;
}

double Newton::size_of(const Vector& r) const {
  if (scales_.empty()) return norm2(r);
  double worst = 0;
  for (int k = 0; k < equations_.layout().count(); ++k) {
    const double size = norm2(equations_.layout().part(r, k)), scale = scales_[static_cast<std::size_t>(k)];
    if (!std::isfinite(size)) return size;
    if (size > 0) worst = std::max(worst, scale > 0 ? size / scale : 1.0);
  }
  return worst;
}

void Newton::widen_scales(const Vector& r, double share) {
  for (std::size_t k = 0; k < scales_.size(); ++k)
    scales_[k] = std::max(scales_[k], share * norm2(equations_.layout().part(r, static_cast<int>(k))));
}

// Terms in the equations of a field may cancel, as flows into a cell do: their size is what the tangent at u makes of x
// with random signs. It counts where nothing else acts on the field.
void Newton::widen_scales_by_flows(const Vector& u, const Vector& x) {
  constexpr double share = 0.01;
  if (scales_.empty()) return;
  std::vector<double> thrown = x.host();
  for (std::size_t i = 0; i < thrown.size(); ++i)
    if ((i * 0x9E3779B97F4A7C15u) >> 63 != 0) thrown[i] = -thrown[i];
  Vector flows = equations_.zeros();
  equations_.action(u, Vector(u.device(), std::span<const double>(thrown), "vectors"), flows);
  widen_scales(flows, share);
}

void Newton::solve(const Problem& problem, Vector& u) {
  const int fields = equations_.layout().count();
  if (fields > 1) scales_.assign(static_cast<std::size_t>(fields), 0.0);
  iterate(problem, u);
  if (equations_.has_state() && relative_flexibility() > beyond_limit)
    stop(problem, "the body has no stiffness left but that of its mesh", "");
}

void Newton::iterate(const Problem& problem, Vector& u) {
  std::optional<Profile::Phase> phase(std::in_place, profile(), "residual");
  problem.residual(u, r_);
  double before = INFINITY;  // residual of the last step
  for (int step = 0;; before = free_norm_, ++step) {
    supports_.gather(r_);
    copy(r_, trial_r_);
    supports_.keep_prescribed(trial_r_);
    supports_.set_zero(r_);
    widen_scales(trial_r_, 1);
    if (step == 0) widen_scales(r_, 1);
    widen_scales_by_flows(u, u);
    const double held = size_of(trial_r_);
    free_norm_ = size_of(r_);
    find_gap(problem, u);
    const bool gap = has_gap(problem, u);
    reference_ = std::max({reference_, held, step == 0 ? free_norm_ : 0.0});
    if (!scales_.empty()) reference_ = 1;
    if (step == 0) pushed_ = free_norm_, moved_ = 0;
    if (!gap && free_norm_ <= options_.relative * reference_) return;
    if (!gap && free_norm_ > 0.5 * before && only_rounding_is_left(problem, u)) return;
    if (step == options_.max_steps)
      stop(problem, "the limit of steps was reached", "allow more with [newton] max_steps, or take more increments");
    if (progress_) progress_(fmt::format("Newton step {}, residual {:.1e}", steps_.size() + 1, relative_residual()));
    phase.reset();
    if (!take_step(problem, step, gap, u)) return;
    phase.emplace(profile(), "residual");
  }
}

// Norm of the residual that storing u makes: each product of a row has an error of its own.
double Newton::rounding_level(const Vector& u) {
  fill_start_vector(trial_);
  multiply(trial_, u, trial_);
  supports_.set_zero(trial_);
  system_.multiply(trial_, step_);
  supports_.set_zero(step_);
  return 0.5 * std::numeric_limits<double>::epsilon() * size_of(step_);
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

bool Newton::take_step(const Problem& problem, int step, bool gap, Vector& u) {
  std::optional<Profile::Phase> phase(std::in_place, profile(), "assembly");
  if (!options_.keeps_tangent) system_.linearise(u);
  phase.emplace(profile(), "residual");
  if (options_.at_rest && !gap && free_norm_ <= residual_of_rounding * rounding_level(u)) return false;
  double asked = 0;  // of the free unknowns by the gap
  copy(r_, trial_r_);
  if (gap) {
    system_.multiply(gap_, trial_);
    supports_.gather(trial_);
    supports_.set_zero(trial_);
    widen_scales(trial_, 1);
    asked = size_of(trial_);
    if (!scales_.empty()) free_norm_ = size_of(r_);
    axpy(1.0, trial_, trial_r_);
  }
  axpby(0.0, trial_r_, -1.0, trial_r_);
  reference_ = std::max(reference_, asked);
  phase.emplace(profile(), "solve");
  const double size = std::max(free_norm_, asked);
  const double relative = std::max(options_.least_linear,
                                   linear_tolerance(step, reference_ > 0 ? size / reference_ : 0, options_.relative));
  fill(0.0, step_);
  // Rounding is mended by the next step, and the residual of the equations is what counts.
  report_ = system_.solve(trial_r_, step_, LinearTolerance{relative, 1e-2});
  phase.reset();
  keep_fallbacks();
  if (!report_.converged())
    stop(problem, fmt::format("the linear solver ({}) stopped: {}", report_.method, name_of(report_.reason)),
         advice_for(report_.reason));
  supports_.set_linear(step_);
  axpy(1.0, gap_, step_);
  search(problem, step, asked, u);
  return true;
}

// Armijo's rule for ||residual of the free unknowns|| plus what is left of the gap, measured as force. Where forces
// have an energy, its slope along the step may shrink instead (Matthies and Strang, Int. J. Num. Meth. Eng. 14,
// 1979): where a body begins to yield it leads on, though the residual grows for a while. Points on the yield surface
// may have the elastic tangent: then the step is too short, the energy still falls at its end as steeply as before, and
// the next step has the tangent of a body that yields. Forms with internal variables and without an energy are judged
// by that slope in the first step of an increment only.
void Newton::search(const Problem& problem, int step, double asked, Vector& u) {
  auto phase = profile().phase("line search");
  if (!scales_.empty()) {
    widen_scales_by_flows(u, step_);
    free_norm_ = size_of(r_);
  }
  const double before = free_norm_ + asked;
  const bool has_slope = asked == 0 && (equations_.symmetric() || (step == 0 && equations_.has_state()));
  const double slope = has_slope ? dot(trial_r_, step_) : 0;  // trial_r_ is -r
  for (double length = 1; length >= shortest_step; length /= 2) {
    copy(u, trial_);
    axpy(length, step_, trial_);
    problem.residual(trial_, r_);
    copy(r_, trial_r_);
    supports_.gather(trial_r_);
    supports_.set_zero(trial_r_);
    const double sum = size_of(trial_r_), norm = std::isfinite(sum) ? sum : INFINITY;
    const bool smaller = norm + (1 - length) * asked <= (1 - sufficient_decrease * length) * before;
    const double now = slope != 0 && std::isfinite(norm) ? dot(trial_r_, step_) : INFINITY;
    const bool falls = now < 0 && -now <= (1 + steeper_by_rounding) * slope;
    const bool flatter = falls || std::abs(now) <= sufficient_flattening * std::abs(slope);
    if (!smaller && !flatter && !(options_.keeps_tangent && std::isfinite(norm))) continue;
    keep_motion(step, asked, length);
    std::swap(u, trial_);
    steps_.push_back({problem.increment, norm, reference_ > 0 ? norm / reference_ : 0, length});
    return;
  }
  stop(problem, "no step along Newton's direction reduces the residual",
       "take more increments ([newton] increments), smaller loads, or check the form (ritz element check)");
}

void Newton::keep_motion(int step, double asked, double length) {
  const double size = norm2(step_);
  if (step == 0 && asked == 0 && first_flexibility_ == 0 && pushed_ > 0) first_flexibility_ = size / pushed_;
  moved_ += length * size;
}

double Newton::relative_flexibility() const {
  const bool is_known = options_.follows_loads && first_flexibility_ > 0 && pushed_ > 1e-6 * reference_;
  return is_known ? moved_ / pushed_ / first_flexibility_ : 0;
}

void Newton::stop(const Problem& problem, const std::string& reason, const std::string& advice) const {
  std::string history;
  for (std::size_t i = steps_.size() > 5 ? steps_.size() - 5 : 0; i < steps_.size(); ++i)
    history += fmt::format("{}{:.1e} (step {:.3g})", history.empty() ? "" : ", ", steps_[i].relative, steps_[i].length);
  const std::string where = fmt::format("Newton's method did not converge in {}: {}", problem.place, reason);
  const std::string after = fmt::format("after {} steps the relative residual is {:.2e}{}", steps_.size(),
                                        relative_residual(), history.empty() ? "" : "; the last ones were " + history);
  if (!(relative_flexibility() > near_limit)) throw Error(Exit::not_converged, where, after, advice);
  throw Error(
      Exit::not_converged, where + "; a limit load may be reached",
      fmt::format("it moves {:.1e} times as far for the force as in the first step; {}", relative_flexibility(), after),
      "lower the loads (small increments show what is carried last), prescribe displacements in place of "
      "forces, or give the material hardening");
}

}  // namespace ritz
