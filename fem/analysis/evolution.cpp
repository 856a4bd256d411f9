#include "fem/analysis/evolution.hpp"

#include "device/process/stop_request.hpp"
#include "fem/analysis/load_samples.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr double shortest_part = 1e-12;  // of the whole time: a shorter step is none

}  // namespace

Evolution::Evolution(const TransientModel& model, Transient options, const Observer& observer, std::string method,
                     int error_order)
    : equations_(model.equations.shared()),
      rates_(model.rates.shared()),
      supports_(model.supports.shared()),
      options_(std::move(options)),
      observer_(observer),
      linear_(equations_->facts().linear && !equations_->facts().matrix_varies_in_time &&
              !equations_->facts().has_states),
      state_(std::move(options_.begin)),
      begin_(state_.time),
      judges_(options_.fixed_step == 0),
      method_(std::move(method)),
      second_order_(model.second_order),
      control_({.error_order = error_order, .largest = options_.largest_step}),
      samples_(options_.fixed_step > 0 ? nullptr : model.samples) {
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
    equations_->states().set(state_.points);
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

SolveReport Evolution::summary() const {
  SolveReport report;
  report.method = method_;
  report.reason = StopReason::converged;
  report.iterations = static_cast<int>(state_.steps);
  report.true_relative_residual = state_.residual;
  add_solves(report);
  return report;
}

void Evolution::set_time(double t, double since) {
  equations_->inputs().set_time({t, t - since});
  rates_->inputs().set_time({t, t - since});
  if (supports_->varies_in_time()) supports_->set_time(t);
}

void Evolution::check_residual_at_begin(const Vector& r) const {
  if (std::isfinite(norm2(r))) return;
  throw Error(
      ErrorKind::not_finite,
      fmt::format("the residual at {} is not finite at the begin, t = {:g}", not_finite_in(*equations_, r), begin_),
      "a load, a coefficient or the form itself overflows there", "check the values of the case file and the form");
}

void Evolution::set_points_at_begin() {
  if (state_.points.empty()) equations_->states().reset();
  else equations_->states().set(state_.points);
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
    finish_try();
    if (accepted) {
      failure_.reset();
      accept(step);
      ++state_.steps;
      state_.time = step.end;
      state_.dt = step.dt;
      state_.points = equations_->states().values();
      const double largest = std::max(state_.residual * state_.reference, residual_in_step_);
      state_.reference = std::max(state_.reference, reference_in_step_);
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

void Evolution::check_length(const TimeStep& step) const {
  const double shortest = shortest_part * (options_.end - begin_);
  if (step.dt > shortest && state_.time + step.dt > state_.time) return;
  const std::string why = failure_ ? fmt::format("{} ({})", failure_->message(), failure_->why())
                                   : "the estimated error of every longer step exceeds the tolerance";
  throw Error(ErrorKind::not_converged,
              fmt::format("the step in time became too short at t = {:.9g}: {:.3g} of {:.9g}", state_.time, step.dt,
                          options_.end - begin_),
              why,
              failure_ ? "look at what happens there: values that jump or overflow, a form without a solution (ritz "
                         "element check); or a larger [newton] tolerance"
                       : "look at what happens there, such as a value that jumps; a larger [time] tolerance, or fixed "
                         "steps ([time] step)");
}

// Results are those of the state that was committed, after which no time has passed: laws would creep once more.
void Evolution::tell() {
  if (!observer_.show) return;
  const SolutionView shown = view();
  const Time time = equations_->time();
  if (equations_->facts().has_states) equations_->inputs().set_time({.t = time.t});
  observer_.show(shown);
  if (equations_->facts().has_states) equations_->inputs().set_time(time);
}

}  // namespace ritz
