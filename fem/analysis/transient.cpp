#include "fem/analysis/transient.hpp"

#include "device/stop_request.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace ritz {
namespace {

constexpr double shortest_part = 1e-12;  // of the whole time: a shorter step is none
constexpr int most_stages = DiagonallyImplicitMethod::most_stages;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class Evolution {
 public:
  Evolution(const TransientModel& model, Transient options, const Observer& observer)
      : equations_(model.equations),
        capacity_(model.capacity),
        first_capacity_(model.first_capacity),
        supports_(model.supports),
        space_(model.equations.space()),
        options_(std::move(options)),
        observer_(observer),
        linear_(std::ranges::all_of(equations_.integrals(), [](const Integral& i) { return i.form.linear; }) &&
                !equations_.matrix_varies_in_time() && !equations_.has_state()),
        control_({.error_order = options_.method->error_order, .largest = options_.largest_step}),
        state_(std::move(options_.begin)),
        begin_(state_.time),
        system_(equations_, linear_options(), LinearSystem::Keeps::solver),
        newton_(equations_, supports_, system_, newton_options(), observer.progress),
        u_(space_.zeros()),
        before_(space_.zeros()),
        prescribed_(space_.zeros()),
        known_(space_.zeros()),
        stored_(space_.zeros()),
        stored_before_(space_.zeros()),
        work_(space_.zeros()) {
    for (Vector& each : r_) each = space_.zeros();
    options_.output.push_back(options_.end);
    std::erase_if(options_.output, [&](double t) { return t <= begin_ || t > options_.end; });
    std::ranges::sort(options_.output);
    const auto same = std::ranges::unique(options_.output);
    options_.output.erase(same.begin(), same.end());
  }

  TransientResult solve() {
    if (state_.steps == 0) {
      keep();
      start();
    } else {
      resume();
    }
    for (const double target : options_.output) {
      while (state_.time < target) {
        throw_if_stop_requested();
        advance(target);
        if (state_.time == target) tell();
        keep();
      }
    }
    return {state_, summary()};
  }

 private:
  LinearSolverOptions linear_options() const {
    LinearSolverOptions linear = options_.linear;
    linear.one_of_many = linear_;  // stages and steps share a matrix
    linear.slow_multigrid = !state_.turned.empty();
    if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
    return linear;
  }
  NewtonOptions newton_options() const {
    NewtonOptions newton = options_.newton;
    newton.at_rest = true;
    newton.keeps_tangent = linear_;
    newton.rounding_error = std::max(newton.rounding_error, 1e-8);
    // A stage ends where its residual does: half of what is asked for, so that one linear solve is enough.
    newton.least_linear = std::min(newton.least_linear, 0.5 * newton.relative);
    if (linear_) newton.max_steps = 10;
    return newton;
  }

  SolveReport summary() const {
    const SolveReport& last = newton_.last_solve();
    SolveReport report;
    report.method =
        fmt::format("{} ({})", options_.method->name, last.method.empty() ? "nothing to solve" : last.method);
    report.preconditioner = last.preconditioner;
    report.choice = last.choice;
    report.reason = StopReason::converged;
    report.iterations = static_cast<int>(state_.steps);
    report.true_relative_residual = state_.residual;
    report.fallbacks = newton_.fallbacks();
    if (!state_.turned.empty()) report.fallbacks.insert(report.fallbacks.begin(), state_.turned);
    return report;
  }

  void set_time(double t, double since) {
    equations_.set_time({t, t - since});
    capacity_.set_time({t, t - since});
    if (supports_.varies_in_time()) supports_.set_time(t);
  }

  void start() {
    std::optional<Profile::Phase> phase(std::in_place, space_.device().profile(), "assembly");
    u_ = Vector(space_.device(), std::span<const double>(state_.u), "vectors");
    copy(u_, before_);
    set_time(begin_, begin_);
    supports_.set_values(u_);
    supports_.set_values(prescribed_);
    // Values that jump at the begin leave no rate to go on with: the first step is one of backward Euler.
    axpy(-1.0, u_, before_);
    jumps_ = max_abs(before_) > 1e-12 * max_abs(u_);
    equations_.reset_state();
    set_factors(0);
    equations_.residual(u_, r_[0]);
    if (const Index bad = first_not_finite(r_[0]); bad >= 0)
      throw Error(Exit::model,
                  fmt::format("the residual at {} is not finite at the begin, t = {:g}",
                              space_.name_of(static_cast<Node>(bad / space_.components())), begin_),
                  "a load, a coefficient or the form itself overflows there",
                  "check the values of the case file and the form");
    capacity_.residual(u_, stored_);
    const auto components = at(space_.components());
    state_.balance = {std::vector(components, 0.0), std::vector(components, 0.0), std::vector(components, 0.0),
                      std::vector(components, 0.0)};
    state_.lowest.assign(components, INFINITY);
    state_.highest.assign(components, -INFINITY);
    widen(u_.host(), state_.lowest, state_.highest);
    const double whole = options_.end - begin_;
    state_.control.size = options_.fixed_step > 0   ? options_.fixed_step
                          : options_.first_step > 0 ? options_.first_step
                                                    : 1e-3 * whole;
    if (options_.largest_step > 0) state_.control.size = std::min(state_.control.size, options_.largest_step);
    reaction_.assign(space_.forces_to_mesh(known_).size(), 0.0);  // known_ is zero
    phase.reset();
    tell();
  }

  void resume() {
    auto phase = space_.device().profile().phase("assembly");
    u_ = Vector(space_.device(), std::span<const double>(state_.u), "vectors");
    r_[0] = Vector(space_.device(), std::span<const double>(state_.r), "vectors");
    set_time(state_.time, state_.time - state_.dt);
    supports_.set_values(prescribed_);
    equations_.set_state(state_.points);
    dt_in_use_ = state_.dt;
    capacity_.residual(u_, stored_);
  }

  void keep() {
    state_.place = fmt::format("t = {:g} of {:g}", state_.time, options_.end);
    if (observer_.keep) observer_.keep(state_);
  }

  // One accepted step towards the target.
  void advance(double target) {
    copy(u_, before_);
    std::swap(stored_, stored_before_);
    begin_system();
    while (true) {
      const TimeStep step = next_step(state_.time, target, state_.control.size, dt_in_use_);
      check_length(step);
      const bool first = state_.steps == 0 && jumps_;
      const DiagonallyImplicitMethod& method = first ? backward_euler : *options_.method;
      double error = 0;
      bool accepted = true;
      try {
        use(method, step.dt);
        take(method, step);
        if (options_.fixed_step == 0) {
          error = estimate(method, first || state_.control.rejected);
          accepted = control_.accept(error, step.dt, state_.control);
        }
      } catch (const Error& failure) {
        if (failure.exit() != Exit::not_converged || options_.fixed_step > 0) throw;
        failure_ = failure;
        accepted = false;
        control_.fail(step.dt, state_.control);
      }
      state_.turned = system_.turned().empty() ? state_.turned : system_.turned();
      if (observer_.step)
        observer_.step(
            {.number = state_.steps + 1, .time = step.end, .dt = step.dt, .error = error, .accepted = accepted});
      if (!accepted) {
        ++state_.rejected;
        copy(before_, u_);
        continue;
      }
      failure_.reset();
      accept(method, step);
      return;
    }
  }

  // A nonlinear system starts anew in each step, so that what it keeps does not depend on where a run was resumed.
  void begin_system() {
    if (linear_) return;
    system_.begin(fmt::format(" from t = {:g} on", state_.time));
  }

  void check_length(const TimeStep& step) {
    const double shortest = shortest_part * (options_.end - begin_);
    if (step.dt > shortest && state_.time + step.dt > state_.time) return;
    const std::string why = failure_ ? fmt::format("{} ({})", failure_->message(), failure_->why())
                                     : "the estimated error of every longer step exceeds the tolerance";
    throw Error(Exit::not_converged,
                fmt::format("the step in time became too short at t = {:.9g}: {:.3g} of {:.9g}", state_.time, step.dt,
                            options_.end - begin_),
                why,
                failure_
                    ? "look at what happens there: values that jump or overflow, a form without a solution (ritz "
                      "element check); or a larger [newton] tolerance"
                    : "look at what happens there, such as a value that jumps; a larger [time] tolerance, or fixed "
                      "steps ([time] step)");
  }

  // The factor 1/(diagonal dt) of the capacity, and for linear equations the tangent with it.
  void use(const DiagonallyImplicitMethod& method, double dt) {
    dt_in_use_ = dt;
    const double factor = 1 / (method.diagonal * dt);
    if (factor == factor_) return;
    set_factors(factor);
    if (!linear_) return;
    auto phase = space_.device().profile().phase("assembly");
    system_.begin(fmt::format(" from t = {:g} on", state_.time));
    system_.linearise(Vector(), supports_);
  }
  void set_factors(double factor) {
    factor_ = factor;
    for (std::size_t i = first_capacity_; i < equations_.integrals().size(); ++i) equations_.set_factor(i, factor);
  }

  // All stages; u_ ends as the last, and stored_ as what it stores.
  void take(const DiagonallyImplicitMethod& method, const TimeStep& step) {
    // Forces in this step, to which its residuals are relative.
    newton_.set_reference(norm2(r_[0]));
    newton_.forget_steps();
    for (int i = 1; i < method.stages; ++i) {
      const auto stage = at(i);
      const double t = i == method.last() ? step.end : state_.time + method.time[stage] * (step.end - state_.time);
      set_time(t, state_.time);
      supports_.set_values(prescribed_);
      axpby(factor_, stored_before_, 0.0, known_);
      for (std::size_t j = 0; j < stage; ++j)
        if (const double weight = method.weight[stage][j]; weight != 0) axpy(-weight / method.diagonal, r_[j], known_);
      if (linear_) supports_.set_values(u_);
      newton_.solve({.residual =
                         [this](const Vector& u, Vector& r) {
                           equations_.residual(u, r);
                           axpy(-1.0, known_, r);
                         },
                     .prescribed = prescribed_,
                     .increment = static_cast<int>(state_.steps) + 1,
                     .place = fmt::format("the step from t = {:.9g} to {:.9g}", state_.time, step.end)},
                    u_);
      ++state_.solves;
      residual_in_step_ = std::max(i == 1 ? 0.0 : residual_in_step_, newton_.relative_residual());
      // What is left of the residual, without the capacity.
      Vector& r = r_[stage];
      capacity_.residual(u_, stored_);
      copy(newton_.free_residual(), r);
      axpy(1.0, newton_.held_residual(), r);
      axpy(1.0, known_, r);
      axpy(-factor_, stored_, r);
    }
  }

  // The local error of u at any node, over the tolerance: that of m, dt sum_i error_i r_i, through the tangent. A
  // second time through it where stiff parts of the begin would speak, which the method damps (Hairer and Wanner II,
  // IV.8).
  double estimate(const DiagonallyImplicitMethod& method, bool twice) {
    auto phase = space_.device().profile().phase("error estimate");
    if (!linear_ && newton_.steps().empty()) system_.linearise(u_, supports_);
    fill(0.0, known_);
    for (int i = 0; i < method.stages; ++i) axpy(-method.error[at(i)] / method.diagonal, r_[at(i)], known_);
    filter(known_);
    if (twice) {
      capacity_.action(u_, work_, known_);
      axpby(0.0, known_, factor_, known_);
      filter(known_);
    }
    const std::vector<double> error = work_.host(), u = u_.host();
    std::vector<double> lowest = state_.lowest, highest = state_.highest;
    widen(u, lowest, highest);
    double worst = 0;
    const auto components = at(space_.components());
    for (std::size_t i = 0; i < error.size(); ++i) {
      const std::size_t c = i % components;
      const double range = highest[c] - lowest[c];
      if (range <= 1e-10 * std::max(std::abs(highest[c]), std::abs(lowest[c]))) continue;  // it does not change
      const double ratio = std::abs(error[i]) / (options_.tolerance * range);
      if (!(ratio <= worst)) worst = ratio;  // or it is not finite
    }
    return worst;
  }

  // work_ = tangent^-1 of the free part of f.
  void filter(Vector& f) {
    supports_.gather(f);
    supports_.set_zero(f);
    fill(0.0, work_);
    const SolveReport report = system_.solve(f, work_, LinearTolerance{1e-3, 1e-2});
    if (!report.converged())
      throw Error(Exit::not_converged,
                  fmt::format("the linear solver ({}) stopped in the estimate of the error: {}", report.method,
                              name_of(report.reason)),
                  report.where, advice_for(report.reason));
    supports_.set_linear(work_);
  }

  void accept(const DiagonallyImplicitMethod& method, const TimeStep& step) {
    add_to_balance(method, step.dt);
    if (equations_.has_state()) equations_.commit(u_);
    std::swap(r_[0], r_[at(method.last())]);
    ++state_.steps;
    state_.time = step.end;
    state_.dt = step.dt;
    state_.u = u_.host();
    state_.r = r_[0].host();
    state_.points = equations_.state();
    widen(state_.u, state_.lowest, state_.highest);
    state_.residual = std::max(state_.residual, residual_in_step_);
  }

  // m_new - m_old + dt sum_i b_i r_i: what enters where values are prescribed, and nothing elsewhere.
  void add_to_balance(const DiagonallyImplicitMethod& method, double dt) {
    const auto& b = method.weight[at(method.last())];
    copy(stored_, work_);
    axpy(-1.0, stored_before_, work_);
    const std::vector<double> stored = work_.host();
    for (int i = 0; i < method.stages; ++i)
      if (b[at(i)] != 0) axpy(dt * b[at(i)], r_[at(i)], work_);
    supports_.gather(work_);
    const std::vector<double> unbalanced = work_.host();
    const auto components = at(space_.components());
    std::vector<double> change(components, 0), all(components, 0), held(components, 0), moved(components, 0);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const std::size_t c = i % components;
      change[c] += stored[i];
      all[c] += unbalanced[i];
      if (supports_.host_mask()[i] != 0) {
        held[c] += unbalanced[i];
        moved[c] += std::abs(unbalanced[i]);
      }
    }
    TransientBalance& sums = state_.balance;
    for (std::size_t c = 0; c < components; ++c) {
      const double supplied = change[c] - all[c];
      sums.stored[c] += change[c];
      sums.supplied[c] += supplied;
      sums.prescribed[c] += held[c];
      sums.moved[c] += moved[c] + std::abs(change[c]) + std::abs(supplied);
    }
    supports_.keep_prescribed(work_);
    axpby(0.0, work_, 1 / dt, work_);
    held_dirty_ = true;
  }

  void tell() {
    if (!observer_.show) return;
    if (held_dirty_) {
      auto phase = space_.device().profile().phase("reactions");
      reaction_ = space_.forces_to_mesh(work_);
      held_dirty_ = false;
    }
    observer_.show({.u = u_,
                    .reaction = reaction_,
                    .residual = state_.residual,
                    .tolerance = options_.newton.relative,
                    .time = state_.time});
  }

  void widen(const std::vector<double>& u, std::vector<double>& lowest, std::vector<double>& highest) const {
    const auto components = at(space_.components());
    for (std::size_t i = 0; i < u.size(); ++i) {
      lowest[i % components] = std::min(lowest[i % components], u[i]);
      highest[i % components] = std::max(highest[i % components], u[i]);
    }
  }

  Operator &equations_, &capacity_;
  const std::size_t first_capacity_;
  Constraints& supports_;
  const FunctionSpace& space_;
  Transient options_;
  const Observer& observer_;
  const bool linear_;  // one tangent for all steps of a length
  const StepControl control_;
  State state_;
  const double begin_;
  LinearSystem system_;
  Newton newton_;
  Vector u_, before_, prescribed_, known_;  // known_: right-hand side of a stage
  Vector stored_, stored_before_;           // m at the present stage, and at the begin of the step
  Vector work_;                             // between steps: what held prescribed values in the last one
  std::array<Vector, most_stages> r_;       // of each stage
  std::vector<double> reaction_;
  std::optional<Error> failure_;  // of the last try
  double factor_ = -1, dt_in_use_ = 0;
  double residual_in_step_ = 0;
  bool jumps_ = false, held_dirty_ = false;
};

}  // namespace

double TransientBalance::defect() const {
  double worst = 0;
  for (std::size_t c = 0; c < stored.size(); ++c)
    if (moved[c] > 0) worst = std::max(worst, std::abs(stored[c] - supplied[c] - prescribed[c]) / moved[c]);
  return worst;
}

TransientResult solve_transient(const TransientModel& model, Transient options, const Observer& observer) {
  TransientResult result = Evolution(model, std::move(options), observer).solve();
  if (observer.record) observer.record(result.summary);
  return result;
}

MemoryNeeds transient_vector_needs(const FunctionSpace& space) {
  constexpr Index vectors = 4 + most_stages;  // right-hand side, stored quantity at both ends, work; stages
  return MemoryNeeds().array<double>("vectors", space.unknown_count(), vectors);
}

}  // namespace ritz
