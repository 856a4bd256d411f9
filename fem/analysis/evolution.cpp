#include "fem/analysis/evolution.hpp"

#include "device/process/stop_request.hpp"
#include "fem/analysis/load_samples.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace ritz {
namespace {

constexpr double shortest_part = 1e-12;  // of the whole time: a shorter step is none

void keep(TimeProblem& problem, const Observer& observer) {
  problem.state.place = fmt::format("t = {:g} of {:g}", problem.state.time, problem.options.end);
  if (observer.keep) observer.keep(problem.state);
}

// Results are those of the state that was committed, after which no time has passed: laws would creep once more.
void show(const TimeProblem& problem, Integrator& integrator, const Observer& observer) {
  if (!observer.show) return;
  Equations& equations = *problem.equations;
  const SolutionView shown = integrator.view();
  const Time time = equations.time();
  if (equations.facts().has_states) equations.inputs().set_time({.t = time.t});
  observer.show(shown);
  if (equations.facts().has_states) equations.inputs().set_time(time);
}

// No longer than loads go on as they do.
TimeStep next_step_towards(double target, const TimeProblem& problem) {
  const LoadSamples* const samples = problem.options.fixed_step > 0 ? nullptr : problem.samples.get();
  const double t = problem.state.time, size = problem.state.control.size, end = std::min(target, t + size),
               reach = samples == nullptr ? end : samples->reach(t, end);
  return next_step(t, reach < end ? reach : target, size, problem.dt_in_use);
}

void check_length(const TimeStep& step, const TimeProblem& problem, const std::optional<Error>& failure) {
  const double t = problem.state.time, duration = problem.options.end - problem.begin;
  if (step.dt > shortest_part * duration && t + step.dt > t) return;
  throw Error(ErrorKind::not_converged,
              fmt::format("the step in time became too short at t = {:.9g}: {:.3g} of {:.9g}", t, step.dt, duration),
              failure ? fmt::format("{} ({})", failure->message(), failure->why())
                      : "the estimated error of every longer step exceeds the tolerance",
              failure ? "look at what happens there: values that jump or overflow, a form without a solution (ritz "
                        "element check); or a larger [newton] tolerance"
                      : "look at what happens there, such as a value that jumps; a larger [time] tolerance, or fixed "
                        "steps ([time] step)");
}

void finish_step(const TimeStep& step, TimeProblem& problem) {
  State& state = problem.state;
  ++state.steps;
  state.time = step.end;
  state.dt = step.dt;
  state.points = problem.equations->states().values();
  const double largest = std::max(state.residual * state.reference, problem.residual_in_step);
  state.reference = std::max(state.reference, problem.reference_in_step);
  state.residual = state.reference > 0 ? largest / state.reference : 0;
}

// One accepted step towards the target.
void advance(double target, const StepControl& control, TimeProblem& problem, Integrator& integrator,
             const Observer& observer) {
  State& state = problem.state;
  std::optional<Error> failure;  // of the last try
  integrator.begin_step();
  while (true) {
    const TimeStep step = next_step_towards(target, problem);
    check_length(step, problem, failure);
    double error = 0;
    bool accepted = true;
    try {
      error = integrator.take(step);
      if (problem.judges) accepted = control.accept(error, step.dt, state.control);
    } catch (const Error& thrown) {
      if (thrown.exit() != Exit::not_converged || problem.options.fixed_step > 0) throw;
      failure = thrown;
      accepted = false;
      control.fail(step.dt, state.control);
    }
    integrator.finish_try();
    if (accepted) {
      integrator.accept(step);
      finish_step(step, problem);
    }
    if (observer.step)
      observer.step({.number = accepted ? state.steps : state.steps + 1,
                     .time = step.end,
                     .dt = step.dt,
                     .error = error,
                     .accepted = accepted,
                     .energy = problem.second_order ? &state.energy : nullptr});
    if (accepted) return;
    ++state.rejected;
    integrator.return_to_begin();
  }
}

SolveReport summary(const TimeProblem& problem, const Integrator& integrator) {
  SolveReport report;
  report.method = integrator.name;
  report.reason = StopReason::converged;
  report.iterations = static_cast<int>(problem.state.steps);
  report.true_relative_residual = problem.state.residual;
  integrator.add_solves(report);
  return report;
}

}  // namespace

TransientResult evolve(TimeProblem& problem, Integrator& integrator, const Observer& observer) {
  const StepControl control({.error_order = integrator.error_order, .largest = problem.options.largest_step});
  State& state = problem.state;
  if (state.steps == 0) {
    keep(problem, observer);
    integrator.start();
    if (problem.options.shows_begin) show(problem, integrator, observer);
  } else {
    auto phase = problem.profile().phase("assembly");
    problem.set_time(state.time, state.time - state.dt);
    problem.equations->states().set(state.points);
    problem.dt_in_use = state.dt;
    integrator.resume();
  }
  for (const double target : problem.options.output) {
    while (state.time < target) {
      throw_if_stop_requested();
      advance(target, control, problem, integrator, observer);
      if (state.time == target) show(problem, integrator, observer);
      keep(problem, observer);
    }
  }
  return {state, summary(problem, integrator)};
}

}  // namespace ritz
