#include "fem/analysis/nonlinear_solution.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

void show(const Nonlinear& options, const Observer& observer, int increment, const Vector& u,
          const std::vector<double>& reaction, double residual) {
  if (!observer.show) return;
  std::optional<double> time;
  if (options.shows_increments) time = double(increment) / options.increments;
  observer.show({.u = u,
                 .reaction = reaction,
                 .residual = residual,
                 .tolerance = options.relative,
                 .part = options.part_of_loads(increment),
                 .time = time});
}

// A path of increments, each of which Newton's method brings into balance.
class Path {
 public:
  Path(const Equations& equations, const Supports& supports, const Nonlinear& options, const Observer& observer)
      : equations_(equations),
        supports_(supports),
        options_(options),
        observer_(observer),
        u_(equations.zeros()),
        prescribed_(equations.zeros()),
        start_(equations.zeros()) {
    auto phase = profile().phase("assembly");
    begin_at(options_.from);
    if (options.halvings > 0) begin_ = equations.zeros();
    turned_ = options_.begin.turned.empty() ? options_.from.turned : options_.begin.turned;
    const LinearSolverOptions linear = linear_options();
    system_ = tangent_system(equations, supports, linear, options.whole);
    if (options.ground != nullptr) system_->set_ground(*options.ground);
    const NewtonOptions newton{.relative = options.relative,
                               .rounding_error = options.rounding_error,
                               .max_steps = options.max_steps,
                               .least_linear = linear.relative,
                               .follows_loads = true};
    newton_.emplace(equations, supports, *system_, newton, observer.progress);
    supports.set_values(prescribed_);
    if (options.enter) options.enter(0);
    whole_residual(u_, start_);
    if (!std::isfinite(norm2(start_)))
      throw Error(
          Exit::model,
          fmt::format("the residual at {} is not finite where the unknown is {}", not_finite_in(equations, start_),
                      options_.from.u.empty() ? "zero" : "that of the step before"),
          "a load, a coefficient or the form itself overflows there", "check the values of the case file and the form");
    leave_to_supports(options_.from.r);
  }

  // Steps share no matrix. A run that has changed to a matrix keeps it.
  LinearSolverOptions linear_options() const {
    LinearSolverOptions linear = options_.linear;
    linear.one_of_many = false;
    linear.slow_multigrid = !turned_.empty();
    if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
    return linear;
  }

  NonlinearSolution solve() {
    newton_->set_reference(options_.from.reference);
    if (!options_.begin.u.empty()) resume(options_.begin);
    const int count = options_.increment_count();
    for (int i = increment_ + 1; i <= count; ++i) {
      increment_ = i;
      system_->begin(fmt::format(" from increment {} on", i));
      advance(options_.part_of_loads(i - 1), options_.part_of_loads(i), options_.halvings);
      system_->begin();  // solvers go before anything else needs their memory
      if (i == count || options_.shows_increments) find_reaction();
      if (equations_.has_state()) equations_.commit(u_);
      if (i < count) tell(i);
    }
    return end();
  }

 private:
  // From one part of the loads to another; where Newton's method fails, in two halves.
  void advance(double from, double to, int halvings) {
    fraction_ = to;
    if (options_.enter) options_.enter(to);
    if (halvings == 0) return balance();
    copy(u_, begin_);
    try {
      balance();
    } catch (const Error& error) {
      if (error.exit() != Exit::not_converged) throw;
      if (observer_.progress)
        observer_.progress(fmt::format("increment {} is halved: {}", increment_, error.message()));
      copy(begin_, u_);
      const double middle = 0.5 * (from + to);
      advance(from, middle, halvings - 1);
      if (equations_.has_state()) equations_.commit(u_);
      advance(middle, to, halvings - 1);
    }
  }

  void begin_at(const State& from) {
    if (from.points.empty()) equations_.reset_state();
    else equations_.set_state(from.points);
    if (from.u.empty()) return;
    u_ = Vector(equations_.device(), std::span<const double>(from.u), "vectors");
    Vector without = equations_.zeros();
    copy(u_, without);
    supports_.set_values(without, 0);
    excess_ = equations_.zeros();
    copy(u_, excess_);
    axpy(-1.0, without, excess_);
  }

  // Forces that the present supports exert at the begin are in balance there. Those of supports that are gone are not.
  void leave_to_supports(const std::vector<double>& residual_before) {
    if (residual_before.empty()) return;
    Vector held(equations_.device(), std::span<const double>(residual_before), "vectors");
    supports_.keep_constrained(held);
    axpy(-1.0, held, start_);
  }

  // Uses the state at the beginning of the increment: the committed one may give other forces if time matters.
  void find_reaction() {
    auto phase = profile().phase("reactions");
    Vector r = equations_.zeros();
    residual(u_, r);
    if (options_.continues && increment_ == options_.increment_count()) residual_at_end_ = r.host();
    supports_.keep_constrained(r);
    reaction_ = equations_.forces_for_results(r);
  }

  // After each increment but the last.
  void tell(int increment) const {
    const int count = options_.increment_count();
    if (observer_.step)
      observer_.step({.number = increment,
                      .count = count,
                      .solves = static_cast<Index>(newton_->steps().size()),
                      .residual = newton_->relative_residual()});
    if (options_.shows_increments) show(options_, observer_, increment, u_, reaction_, newton_->relative_residual());
    if (!observer_.keep) return;
    auto phase = profile().phase("reactions");
    observer_.keep({.place = fmt::format("increment {} of {}", increment, count),
                    .u = u_.host(),
                    .points = equations_.state(),
                    .turned = turned_,
                    .increment = increment,
                    .reference = newton_->reference(),
                    .newton = newton_->steps()});
  }

  NonlinearSolution end() {
    NonlinearSolution s;
    s.steps = newton_->steps();
    s.residual = newton_->relative_residual();
    s.reference = newton_->reference();
    s.last_solve = newton_->last_solve();
    s.last_solve.fallbacks = newton_->fallbacks();
    s.turned = turned_;
    s.remark = newton_->remark();
    if (options_.continues)
      s.end = {.u = u_.host(),
               .points = equations_.state(),
               .turned = turned_,
               .reference = s.reference,
               .r = std::move(residual_at_end_)};
    s.u = std::move(u_);
    s.reaction = std::move(reaction_);
    return s;
  }

  void resume(const State& state) {
    increment_ = state.increment;
    u_ = Vector(equations_.device(), std::span<const double>(state.u), "vectors");
    newton_->set_reference(state.reference);
    newton_->set_steps(state.newton);
    if (!state.points.empty()) equations_.set_state(state.points);
  }

  void whole_residual(const Vector& u, Vector& r) const {
    equations_.residual(u, r);
    if (options_.forces != nullptr) axpy(-1.0, *options_.forces, r);
  }

  // The residual that is to vanish in this increment: r(u) less the part of that at the begin, the loads, that is yet
  // to come.
  void residual(const Vector& u, Vector& r) const {
    whole_residual(u, r);
    if (fraction_ != 1) axpy(fraction_ - 1, start_, r);
  }

  void balance() {
    newton_->solve({.residual = [this](const Vector& u, Vector& r) { residual(u, r); },
                    .prescribed = prescribed_,
                    .part = fraction_,
                    .increment = increment_,
                    .place = fmt::format("increment {} of {}", increment_, options_.increment_count()),
                    .excess = excess_.empty() ? nullptr : &excess_},
                   u_);
    if (turned_.empty()) turned_ = system_->turned();
  }

  Profile& profile() const { return equations_.device().profile(); }

  const Equations& equations_;
  const Supports& supports_;
  Nonlinear options_;
  const Observer& observer_;
  std::vector<double> reaction_, residual_at_end_;
  Vector begin_;   // u at the begin of an increment that may be halved
  Vector excess_;  // of the state at the begin of the path beyond its constraints; empty: at rest
  Vector u_, prescribed_, start_;
  std::unique_ptr<TangentSystem> system_;
  std::optional<Newton> newton_;
  std::string turned_;
  double fraction_ = 1;
  int increment_ = 0;
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

double Nonlinear::part_of_loads(int increment) const {
  if (increment == 0) return 0;
  const auto stage = static_cast<std::size_t>((increment - 1) / increments);
  const double from = stage == 0 ? 0 : path[stage - 1];
  return from + (path[stage] - from) * (double(increment - static_cast<int>(stage) * increments) / increments);
}

NonlinearSolution solve_nonlinear(const Equations& equations, const Supports& supports, const Nonlinear& options,
                                  const Observer& observer) {
  NonlinearSolution s = Path(equations, supports, options, observer).solve();  // its vectors go before results come
  if (observer.record) observer.record(s.summary());
  show(options, observer, options.increment_count(), s.u, s.reaction, s.residual);
  return s;
}

}  // namespace ritz
