#include "fem/analysis/evolution.hpp"

#include "device/process/stop_request.hpp"
#include "fem/ranks/divided_equations.hpp"
#include "fem/analysis/load_samples.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr double shortest_part = 1e-12;  // of the whole time: a shorter step is none

// Masses at reference points and adjoints are of one field.
const Operator& one_field(const Equations& equations) { return dynamic_cast<const Operator&>(equations); }
const Constraints& one_field(const Supports& supports) { return dynamic_cast<const Constraints&>(supports); }

Attached attached_to(const TransientModel& model) {
  if (model.attached.empty()) return {};
  return attached_to(one_field(model.equations).space(), model.attached, one_field(model.supports));
}

}  // namespace

Evolution::Evolution(const TransientModel& model, Transient options, const Observer& observer, std::string method,
                     int error_order)
    : equations_(model.equations),
      rates_(model.rates),
      supports_(model.supports),
      options_(std::move(options)),
      observer_(observer),
      linear_(equations_.linear() && !equations_.matrix_varies_in_time() && !equations_.has_state()),
      state_(std::move(options_.begin)),
      begin_(state_.time),
      system_(tangent_system(equations_, supports_, linear_options(), model.whole)),
      newton_(equations_, supports_, *system_, newton_options(), observer.progress),
      attached_(attached_to(model)),
      judges_(options_.fixed_step == 0),
      method_(std::move(method)),
      second_order_(model.second_order),
      control_({.error_order = error_order, .largest = options_.largest_step}),
      samples_(options_.fixed_step > 0 ? nullptr : model.samples) {
  divide_like(equations_, rates_);
  std::ranges::sort(options_.output);
  // Times that differ by rounding are one, and those next to the end are the end.
  const double rounding = 1e-9 * options_.end;
  const auto same =
      std::ranges::unique(options_.output, [rounding](double one, double next) { return next - one <= rounding; });
  options_.output.erase(same.begin(), same.end());
  std::erase_if(options_.output, [&](double t) { return t <= begin_ || t >= options_.end - rounding; });
  options_.output.push_back(options_.end);
}

TransientResult Evolution::solve() {
  if (state_.steps == 0) {
    keep();
    start();
    if (options_.shows_begin) tell();
  } else {
    auto phase = profile().phase("assembly");
    set_time(state_.time, state_.time - state_.dt);
    equations_.set_state(state_.points);
    dt_in_use_ = state_.dt;
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

LinearSolverOptions Evolution::linear_options() const {
  LinearSolverOptions linear = options_.linear;
  linear.one_of_many = linear_;  // stages and steps share a matrix
  linear.slow_multigrid = !state_.turned.empty();
  if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
  return linear;
}

NewtonOptions Evolution::newton_options() const {
  NewtonOptions newton = options_.newton;
  newton.at_rest = true;
  newton.keeps_tangent = linear_;
  newton.rounding_error = std::max(newton.rounding_error, 1e-8);
  // A stage ends where its residual does: half of what is asked for, so that one linear solve is enough.
  newton.least_linear = std::min(newton.least_linear, 0.5 * newton.relative);
  if (linear_) newton.max_steps = 10;
  return newton;
}

SolveReport Evolution::summary() const {
  const SolveReport& last = newton_.last_solve();
  SolveReport report;
  report.method = fmt::format("{} ({})", method_, last.method.empty() ? "nothing to solve" : last.method);
  report.preconditioner = last.preconditioner;
  report.choice = last.choice;
  report.reason = StopReason::converged;
  report.iterations = static_cast<int>(state_.steps);
  report.true_relative_residual = state_.residual;
  report.fallbacks = newton_.fallbacks();
  if (!state_.turned.empty()) report.fallbacks.insert(report.fallbacks.begin(), state_.turned);
  return report;
}

void Evolution::set_time(double t, double since) {
  equations_.set_time({t, t - since});
  rates_.set_time({t, t - since});
  if (supports_.varies_in_time()) supports_.set_time(t);
}

void Evolution::check_residual_at_begin(const Vector& r) const {
  if (std::isfinite(norm2(r))) return;
  throw Error(
      Exit::model,
      fmt::format("the residual at {} is not finite at the begin, t = {:g}", not_finite_in(equations_, r), begin_),
      "a load, a coefficient or the form itself overflows there", "check the values of the case file and the form");
}

void Evolution::set_points_at_begin() {
  if (state_.points.empty()) equations_.reset_state();
  else equations_.set_state(state_.points);
}

void Evolution::set_first_size() {
  state_.control.size = options_.fixed_step > 0   ? options_.fixed_step
                        : options_.first_step > 0 ? options_.first_step
                                                  : 1e-3 * (options_.end - begin_);
  if (options_.largest_step > 0) state_.control.size = std::min(state_.control.size, options_.largest_step);
}

void Evolution::keep() {
  state_.place = fmt::format("t = {:g} of {:g}", state_.time, options_.end);
  if (observer_.keep) observer_.keep(state_);
}

// No longer than loads go on as they do.
TimeStep Evolution::next_step_towards(double target) const {
  const double t = state_.time, size = state_.control.size, end = std::min(target, t + size),
               reach = samples_ == nullptr ? end : samples_->reach(t, end);
  return next_step(t, reach < end ? reach : target, size, dt_in_use_);
}

// One accepted step towards the target.
void Evolution::advance(double target) {
  begin_step();
  begin_system();
  while (true) {
    const TimeStep step = next_step_towards(target);
    check_length(step);
    double error = 0;
    bool accepted = true;
    try {
      error = take(step);
      if (judges_) accepted = control_.accept(error, step.dt, state_.control);
    } catch (const Error& failure) {
      if (failure.exit() != Exit::not_converged || options_.fixed_step > 0) throw;
      failure_ = failure;
      accepted = false;
      control_.fail(step.dt, state_.control);
    }
    state_.turned = system_->turned().empty() ? state_.turned : system_->turned();
    if (accepted) {
      failure_.reset();
      accept(step);
      ++state_.steps;
      state_.time = step.end;
      state_.dt = step.dt;
      state_.points = equations_.state();
      const double largest = std::max(state_.residual * state_.reference, residual_in_step_);
      state_.reference = std::max(state_.reference, newton_.reference());
      state_.residual = state_.reference > 0 ? largest / state_.reference : 0;
    }
    if (observer_.step)
      observer_.step({.number = accepted ? state_.steps : state_.steps + 1,
                      .time = step.end,
                      .dt = step.dt,
                      .error = error,
                      .accepted = accepted,
                      .energy = second_order_ ? &state_.energy : nullptr});
    if (accepted) return;
    ++state_.rejected;
    return_to_begin();
  }
}

// A nonlinear system starts again in each step, so that what it keeps does not depend on where a run was resumed.
void Evolution::begin_system() {
  if (linear_) return;
  system_->begin(fmt::format(" from t = {:g} on", state_.time));
}

void Evolution::check_length(const TimeStep& step) const {
  const double shortest = shortest_part * (options_.end - begin_);
  if (step.dt > shortest && state_.time + step.dt > state_.time) return;
  const std::string why = failure_ ? fmt::format("{} ({})", failure_->message(), failure_->why())
                                   : "the estimated error of every longer step exceeds the tolerance";
  throw Error(Exit::not_converged,
              fmt::format("the step in time became too short at t = {:.9g}: {:.3g} of {:.9g}", state_.time, step.dt,
                          options_.end - begin_),
              why,
              failure_ ? "look at what happens there: values that jump or overflow, a form without a solution (ritz "
                         "element check); or a larger [newton] tolerance"
                       : "look at what happens there, such as a value that jumps; a larger [time] tolerance, or fixed "
                         "steps ([time] step)");
}

void Evolution::use(double factor, double dt) {
  dt_in_use_ = dt;
  if (factor == factor_) return;
  set_factors(factor);
  if (!linear_) return;
  auto phase = profile().phase("assembly");
  system_->begin(fmt::format(" from t = {:g} on", state_.time));
  system_->linearise(Vector());
}

void Evolution::set_factors(double factor) {
  factor_ = factor;
  equations_.set_factor_of_rates(factor);
  if (attached_.any()) system_->set_beside(attached_, factor);
}

void Evolution::balance(const Residual& residual, const Vector& prescribed, const std::string& place, Vector& u) {
  if (linear_) supports_.set_values(u);
  newton_.solve(
      {.residual = residual, .prescribed = prescribed, .increment = static_cast<int>(state_.steps) + 1, .place = place},
      u);
  ++state_.solves;
}

std::string Evolution::place_of(const TimeStep& step) const {
  return fmt::format("the step from t = {:.9g} to {:.9g}", state_.time, step.end);
}

void Evolution::filter(Vector& f, Vector& x) {
  supports_.gather(f);
  supports_.set_zero(f);
  fill(0.0, x);
  const SolveReport report = system_->solve(f, x, LinearTolerance{1e-3, 1e-2});
  if (!report.converged())
    throw Error(Exit::not_converged,
                fmt::format("the linear solver ({}) stopped in the estimate of the error: {}", report.method,
                            name_of(report.reason)),
                report.where, advice_for(report.reason));
  supports_.set_linear(x);
}

std::pair<Evolution::Stage, std::vector<Evolution::Taken>> Evolution::retrace(const State& from,
                                                                              std::span<const TimeStep> steps) {
  state_ = from;
  judges_ = false;
  if (state_.steps == 0) {
    start();
  } else {
    set_time(state_.time, state_.time - state_.dt);
    dt_in_use_ = state_.dt;
    resume();
  }
  std::pair<Stage, std::vector<Taken>> result{present(), {}};
  for (const TimeStep& step : steps) {
    throw_if_stop_requested();
    traced_ = &result.second.emplace_back(Taken{step, {}}).stages;
    begin_step();
    begin_system();
    take(step);
    accept(step);
    ++state_.steps;
    state_.time = step.end;
    state_.dt = step.dt;
  }
  traced_ = nullptr;
  return result;
}

void Evolution::trace(Stage stage) {
  if (traced_ != nullptr) traced_->push_back(std::move(stage));
}

Vector Evolution::transposed_action(const Equations& of, const Vector& u, const Vector& x) {
  Vector y = equations_.zeros();
  if (of.symmetric()) {
    of.action(u, x, y);
    return y;
  }
  std::optional<TransposedTangent>& transposed = &of == &rates_ ? transposed_rates_ : transposed_;
  if (!transposed) transposed.emplace(one_field(of), options_.linear);
  transposed->multiply(u, x, y);
  return y;
}

Vector Evolution::solve_transposed(const Vector& u, const Vector& g) {
  Vector b = equations_.zeros(), x = equations_.zeros();
  copy(g, b);
  supports_.gather(b);
  supports_.set_zero(b);
  if (equations_.symmetric()) {
    if (!linear_) system_->linearise(u);
    throw_unless_converged(system_->solve(b, x));
  } else {
    if (!transposed_) transposed_.emplace(one_field(equations_), options_.linear);
    throw_unless_converged(transposed_->solve(u, one_field(supports_), b, x));
  }
  supports_.set_linear(x);
  return x;
}

void Evolution::add_prescribed(Vector g, std::vector<double>& by_prescribed) const {
  supports_.gather(g);
  supports_.keep_prescribed(g);
  const std::vector<double> values = g.host();
  for (std::size_t i = 0; i < values.size(); ++i) by_prescribed[i] += values[i];
}

Vector Evolution::on_device(const std::vector<double>& values) const {
  return Vector(equations_.device(), std::span<const double>(values), "vectors");
}

void Evolution::tell() {
  if (observer_.show) observer_.show(view());
}

}  // namespace ritz
