#include "fem/analysis/nonlinear_solution.hpp"

#include "device/process/stop_request.hpp"
#include "fem/analysis/balance.hpp"
#include "fem/analysis/rate_control.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Limits; those of the arc length in lengths of the first increment.
IncrementLimits limits_of(const Nonlinear& options) {
  const IncrementLimits& sizes = options.sizes;
  if (options.has_arc_length())
    return {.first = 1, .smallest = sizes.smallest / sizes.first, .largest = sizes.largest / sizes.first};
  if (options.increments == 0) return sizes;
  const double equal = 1.0 / options.increments;
  return {.first = equal, .smallest = std::ldexp(equal, -options.halvings), .largest = equal, .cut = 0.5};
}

void show(const Nonlinear& options, const Observer& observer, const NonlinearSolution& s) {
  if (!observer.show) return;
  std::optional<double> time;
  if (options.shows_increments)
    time = options.has_arc_length() ? double(s.increments) : options.time.is_given() ? s.time : s.at;
  observer.show({.u = s.u,
                 .reaction = s.reaction,
                 .residual = s.residual,
                 .tolerance = options.relative,
                 .mean_loads = s.mean_loads,
                 .part = s.part,
                 .time = time,
                 .energy = s.energy ? &*s.energy : nullptr});
}

// Increments one after the other, each of which Newton's method brings into balance.
class Path {
 public:
  Path(const Equations& equations, const Supports& supports, const Nonlinear& options, const Observer& observer)
      : options_(std::make_shared<const Nonlinear>(options)),
        observer_(observer),
        stages_(options.path, options.increments, options.time.durations),
        limits_(limits_of(options)),
        control_(options.time.laws, options.time.tolerance, equations.device()),
        balance_(equations, supports, options_, observer.progress) {
    now_.size = first_size(limits_);
    if (!options_->begin.u.empty()) resume(options_->begin);
  }

  NonlinearSolution solve() {
    if (options_->has_arc_length()) follow_arc();
    else follow_loads();
    return end();
  }

 private:
  void follow_loads() {
    while (now_.at < stages_.end()) {
      if (options_->time.is_given() && stages_.begins_stage(now_.at)) begin_stage();
      if (stages_.is_stop(now_.at)) begin_increment();
      const double before = now_.at;
      now_.at = advance();
      now_.change = now_.at - before;
      end_increment(now_.at == stages_.end());
    }
  }

  // Stages with time have other increments, and their rates begin there.
  void begin_stage() {
    now_.size = first_size(limits());
    control_.forget();
  }

  const IncrementLimits& limits() const {
    const bool chosen = options_->increments == 0 && stages_.takes_time(now_.at);
    return chosen ? options_->time.sizes : limits_;
  }

  Time time_at(double to) const {
    const double begin = options_->time.begin, t = begin + stages_.time(to);
    return {.t = t, .dt = t - (begin + stages_.time(now_.at))};
  }

  // Full steps first, where forces have an energy; then, where a body yields or nothing shorter is left, with the line
  // search; then a shorter increment. Returns where the path stands then.
  double advance() {
    const EquationFacts& facts = balance_.equations().facts();
    const bool has_energy = facts.symmetric || options_->loads_turn, searches = facts.has_states;
    balance_.remember();
    int cuts = 0;
    for (bool full = has_energy;;) {
      const double to = stages_.next(now_.at, now_.size.next), part = stages_.part(to), length = to - now_.at;
      const std::optional<IncrementSize> shorter = after_failure(length, limits());
      const std::optional<Vector> predicted = prediction(length);
      const Time time = time_at(to);
      try {
        balance_.go_to(part, {.place = place_of(part, time),
                              .increment = increment_,
                              .time = time,
                              .full_steps = full,
                              .can_fail = full || shorter,
                              .ends_when_indefinite = shorter && prefers_shorter(cuts),
                              .predicted = predicted ? &*predicted : nullptr});
        const std::optional<double> longest = longest_in_time(time, length);
        if (!longest) {
          full = has_energy;
          continue;
        }
        now_.is_unstable = now_.is_unstable || (cuts >= cuts_to_stable && balance_.newton().met_indefinite());
        now_.size = after_success(now_.size, length, balance_.newton().last_steps(), limits());
        now_.size.next = std::min(now_.size.next, *longest);
        return to;
      } catch (const Error& error) {
        const bool search_next = full && (searches || !shorter);
        if (search_next) {
          go_back_from(error);
        } else {
          try_again(error, shorter);
          ++cuts;
        }
        full = has_energy && !search_next;
      }
    }
  }

  // A large body whose tangent is not definite went too far: a shorter increment is cheaper than a factor in each step.
  // If shorter ones do not help, the body buckles or snaps, and each step takes a factor.
  bool prefers_shorter(int cuts) const {
    constexpr Index large = 10000;  // unknowns; factors of smaller systems take half a second
    return !now_.is_unstable && cuts < cuts_to_stable && balance_.equations().layout().size_over_all(0) >= large;
  }

  // The longest next increment, by the error of internal variables in time. Nothing: this one is too long for them, and
  // is to be repeated in a shorter one.
  std::optional<double> longest_in_time(const Time& time, double length) {
    if (!control_.is_active() || options_->increments > 0 || !(time.dt > 0)) return INFINITY;
    const RateControl::Points before = balance_.points(), after = balance_.points_after();
    const double error = control_.error(before, after, time.dt).value_or(0);
    const double next = std::max(length_factor(error) * length, limits().smallest);
    if (error > 1 && length > limits().smallest) {
      balance_.go_back();
      ++rejections_;
      now_.size = {.next = next, .successes = 0};
      return {};
    }
    roughest_ = std::max(roughest_, error);
    control_.accept(before, after, time.dt);
    return next;
  }

  // Arcs, until all of the loads act, or as much in the other direction.
  void follow_arc() {
    PathConstraint arc = balance_.path_constraint();
    while (!is_arc_at_end()) {
      begin_increment();
      advance(arc);
      now_.at = balance_.part();
      end_increment(is_arc_at_end());
    }
  }

  bool is_arc_at_end() const {
    return std::abs(balance_.part()) >= options_->path.back() || increment_ >= options_->max_increments;
  }

  void advance(PathConstraint& arc) {
    balance_.remember();
    for (;;) {
      const double size = now_.size.next;
      const std::optional<IncrementSize> shorter = after_failure(size, limits_);
      Balance::Try attempt{
          .place = fmt::format("increment {} of the arc length, from {:.4g} of the loads", increment_, balance_.part()),
          .increment = increment_,
          .full_steps = true,
          .can_fail = shorter.has_value()};
      try {
        arc.begin(balance_.before(), change_.empty() ? nullptr : &change_, now_.unit * size,
                  options_->sizes.first * size);
        balance_.go_along(arc, attempt);
        const double unit = arc.length() / size;
        if (balance_.part() > options_->path.back()) go_to_all(attempt);
        now_.unit = unit;
        now_.size = after_success(now_.size, size, balance_.newton().last_steps(), limits_);
        return;
      } catch (const Error& error) { try_again(error, shorter); }
    }
  }

  // From an arc that ends beyond all loads: back to these, by interpolation.
  void go_to_all(Balance::Try attempt) {
    const double all = options_->path.back(), beyond = balance_.part();
    Vector predicted = balance_.equations().zeros();
    copy(balance_.u(), predicted);
    balance_.go_back();
    const double share = (all - balance_.part()) / (beyond - balance_.part());
    axpby(1 - share, balance_.before(), share, predicted);
    attempt.predicted = &predicted;
    balance_.go_to(all, attempt);
  }

  void begin_increment() {
    throw_if_stop_requested();  // an increment whose extrapolation is exact solves no system
    ++increment_;
    balance_.release_solvers(fmt::format(" from increment {} on", increment_));
  }

  // The extrapolation of the last increment; nothing where there was none in this stage.
  std::optional<Vector> prediction(double length) const {
    if (change_.empty() || now_.change == 0 || stages_.begins_stage(now_.at)) return {};
    Vector predicted = balance_.equations().zeros();
    copy(balance_.before(), predicted);
    axpy(length / now_.change, change_, predicted);
    return predicted;
  }

  void go_back_from(const Error& error) {
    if (error.exit() != Exit::not_converged) throw;
    balance_.go_back();
  }

  // Returns to the begin of the increment, which is shorter then; or throws.
  void try_again(const Error& error, const std::optional<IncrementSize>& shorter) {
    go_back_from(error);
    if (!shorter) throw_last(error);
    ++failures_;
    if (observer_.progress)
      observer_.progress(fmt::format("increment {} is made shorter: {}", increment_, error.message()));
    now_.size = *shorter;
  }

  [[noreturn]] void throw_last(const Error& error) const {
    if (failures_ == 0) throw;
    const std::string found = fmt::format("{} longer increments failed before; {:.4g} of the loads are in balance",
                                          failures_, balance_.part());
    const bool asks_for_shorter = error.fix().starts_with("take ");  // they were
    throw Error(error.kind(), error.message(), fmt::format("{}; {}", error.why(), found),
                fmt::format("{}; where it snaps or carries no more, follow it by [newton] control = \"arc_length\" or "
                            "prescribe displacements",
                            error.fix().empty() || asks_for_shorter ? "lower the loads" : error.fix()));
  }

  std::string place_of(double part, const Time& time) const {
    if (stages_.count() > 0) return fmt::format("increment {} of {}", increment_, stages_.count());
    if (time.dt > 0)
      return fmt::format("increment {}, from t = {:.6g} to {:.6g}", increment_, time.t - time.dt, time.t);
    return fmt::format("increment {}, from {:.4g} to {:.4g} of the loads", increment_, balance_.part(), part);
  }

  void end_increment(bool is_last) {
    if (change_.empty()) change_ = balance_.equations().zeros();
    copy(balance_.u(), change_);
    axpy(-1.0, balance_.before(), change_);
    const bool is_stop = options_->has_arc_length() || stages_.is_stop(now_.at);
    if (is_stop) balance_.release_solvers();  // they go before anything else needs their memory
    if (is_last || (is_stop && options_->shows_increments)) find_reaction(is_last);
    balance_.commit();
    if (is_stop && !is_last) tell();
  }

  void find_reaction(bool is_last) {
    auto phase = profile().phase("reactions");
    std::vector<double> r = balance_.residual_of_equations();
    reaction_ = balance_.reaction(r);
    mean_loads_ = balance_.mean_loads(r);
    if (options_->continues && is_last) residual_at_end_ = std::move(r);
  }

  // After each increment but the last.
  void tell() {
    const Newton& newton = balance_.newton();
    if (observer_.step)
      observer_.step({.number = increment_,
                      .count = stages_.count(),
                      .time = options_->time.is_given() ? time() : balance_.part(),
                      .solves = static_cast<Index>(newton.steps().size()),
                      .residual = newton.relative_residual()});
    if (options_->shows_increments) {
      NonlinearSolution s = facts();
      s.u = balance_.equations().zeros();
      copy(balance_.u(), s.u);
      s.reaction = reaction_;
      s.mean_loads = mean_loads_;
      show(*options_, observer_, s);
    }
    if (!observer_.keep) return;
    auto phase = profile().phase("reactions");
    State state{.place = stages_.count() > 0 ? fmt::format("increment {} of {}", increment_, stages_.count())
                         : options_->time.is_given()
                             ? fmt::format("increment {}, t = {:.6g}", increment_, time())
                             : fmt::format("increment {}, {:.4g} of the loads", increment_, balance_.part()),
                .time = time(),
                .increment = increment_,
                .at = now_,
                .change = change_.host(),
                .rates = control_.rates()};
    balance_.save(state);
    observer_.keep(state);
  }

  NonlinearSolution facts() const {
    const Newton& newton = balance_.newton();
    return {.residual = newton.relative_residual(),
            .reference = newton.reference(),
            .part = balance_.part(),
            .at = now_.at,
            .time = time(),
            .increments = increment_,
            .failures = failures_,
            .rejections = rejections_,
            .energy = balance_.energies() != nullptr ? std::optional(*balance_.energies()) : std::nullopt};
  }

  double time() const { return options_->time.begin + stages_.time(now_.at); }

  NonlinearSolution end() {
    const Newton& newton = balance_.newton();
    NonlinearSolution s = facts();
    s.steps = newton.steps();
    s.last_solve = newton.last_solve();
    s.last_solve.fallbacks = newton.fallbacks();
    s.turned = balance_.turned();
    s.remark = newton.remark();
    if (balance_.part() != options_->path.back()) s.notice = why_before_all_loads();
    else if (roughest_ > 1) s.notice = why_rough();
    if (options_->continues) {
      balance_.save(s.end);
      s.end.newton.clear();
      s.end.r = std::move(residual_at_end_);
    }
    s.u = balance_.take_u();
    s.reaction = std::move(reaction_);
    s.mean_loads = std::move(mean_loads_);
    return s;
  }

  std::string why_before_all_loads() const {
    return fmt::format("the path ends at {:.4g} of the loads after {} increments{}", balance_.part(), increment_,
                       balance_.part() < 0 ? ": they have turned" : "; [newton] max_increments allows more");
  }

  std::string why_rough() const {
    return fmt::format(
        "internal variables change faster in time than the smallest increments follow: the largest error of one is "
        "{:.2g} "
        "of their largest value; [newton] smallest_increment allows shorter ones",
        roughest_ * options_->time.tolerance);
  }

  void resume(const State& state) {
    control_.set_rates(state.rates);
    increment_ = state.increment;
    now_ = state.at;
    if (now_.size.next <= 0) now_.size = first_size(limits_);  // the state is of no path: a guess, or another analysis
    if (!state.change.empty())
      change_ = Vector(balance_.equations().device(), std::span<const double>(state.change), "vectors");
    balance_.resume(state);
  }

  Profile& profile() const { return balance_.equations().device().profile(); }

  const std::shared_ptr<const Nonlinear> options_;
  const Observer& observer_;
  const LoadPath stages_;
  const IncrementLimits limits_;
  RateControl control_;
  double roughest_ = 0;  // of the errors in time of increments that were taken, over the tolerance
  Balance balance_;
  PathPlace now_;
  Vector change_;  // of u in the last increment; empty: there was none
  static constexpr int cuts_to_stable = 2;
  int increment_ = 0, failures_ = 0, rejections_ = 0;
  std::vector<double> reaction_, residual_at_end_, mean_loads_;
};

}  // namespace

SolveReport NonlinearSolution::summary() const {
  SolveReport report;
  report.method =
      fmt::format("Newton's method ({})", last_solve.method.empty() ? "nothing to solve" : last_solve.method);
  report.preconditioner = last_solve.preconditioner;
  report.reason = StopReason::converged;
  report.iterations = static_cast<int>(steps.size());
  report.true_relative_residual = residual;
  report.where = remark;
  report.fallbacks = last_solve.fallbacks;
  if (!turned.empty()) report.fallbacks.insert(report.fallbacks.begin(), turned);
  return report;
}

NonlinearSolution solve_nonlinear(const Equations& equations, const Supports& supports, const Nonlinear& options,
                                  const Observer& observer) {
  NonlinearSolution s = Path(equations, supports, options, observer).solve();  // its vectors go before results come
  if (observer.record) observer.record(s.summary());
  show(options, observer, s);
  return s;
}

}  // namespace ritz
