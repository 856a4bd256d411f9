#include "apps/cases/transient_analysis.hpp"

#include "apps/cases/initial_values.hpp"
#include "fem/analysis/analysis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace ritz {
namespace {

constexpr double most_outputs = 1e6;

// Multiples of an interval up to the end, and times by name.
std::vector<double> output_times(const Case::Table& time, double end) {
  std::vector<double> times;
  const double interval = time.number("output", "[s], results at multiples of this time; by default at the end alone",
                                      {.fallback = 0, .minimum = 0});
  if (interval > 0 && end / interval > most_outputs)
    time.error("output", fmt::format("{:g} up to {:g} makes {:.0f} results", interval, end, end / interval), {},
               "make it longer");
  else if (interval > 0)
    for (int i = 1; i * interval < end * (1 - 1e-9); ++i) times.push_back(i * interval);
  if (!time.has("output_at")) return times;
  for (const double t : time.vector("output_at", "[s], times of further results", {.above = 0})) {
    if (t > end)
      time.error("output_at", fmt::format("{:g} is after the end, {:g}", t, end), {}, "make the end later, or omit it");
    times.push_back(t);
  }
  return times;
}

// "t = 12.3 of 60, step 41, dt 0.4, expected end in 35 s": from what the last steps took.
class LiveLine {
 public:
  LiveLine(Log& log, double end) : log_(&log), end_(end) {}

  void show(const AnalysisStep& step) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - before_).count();
    before_ = now;
    per_step_ = per_step_ == 0 ? seconds : 0.8 * per_step_ + 0.2 * seconds;
    const double left = per_step_ * std::ceil((end_ - step.time) / step.dt);
    log_->progress(fmt::format("t = {:.6g} of {:g}, step {}, dt {:.3g}{}, expected end in {}", step.time, end_,
                               step.number, step.dt, step.accepted ? "" : " was too long",
                               left < 1 ? "less than 1 s" : fmt::format("{:.0f} s", left)));
  }

 private:
  Log* log_;
  double end_, per_step_ = 0;
  std::chrono::steady_clock::time_point before_ = std::chrono::steady_clock::now();
};

}  // namespace

bool goes_through_time(Run& run) {
  if (!run.input().root().has("time")) return false;
  run.input().allow_time();
  return true;
}

Transient read_steps(const Case::Table& time, TimeOrder order) {
  Transient options;
  options.end = time.number("end", "[s], the time at which the analysis ends; it begins at 0", {.above = 0});
  options.output = output_times(time, options.end);
  if (order == TimeOrder::first)
    options.method = &time_method_named(time.choice(
        "method", "of the steps: of order 2, or of order 1 and without overshoot", time_method_names(), tr_bdf2.name));
  else
    options.spectral_radius = time.number(
        "spectral_radius",
        "rho_infinity of the generalised-alpha method: how much of the fastest motions a step leaves. 1 damps nothing "
        "(Newmark's average acceleration), 0 most",
        {.fallback = options.spectral_radius, .minimum = 0, .maximum = 1, .out_of_bounds = Exit::model});
  const bool fixed = time.has("step");
  options.fixed_step =
      fixed ? time.number("step", "[s], fixed length of the steps; shorter where a result is due", {.above = 0}) : 0;
  for (const char* key : {"tolerance", "first_step", "largest_step"})
    if (fixed && time.has(key))
      time.refuse(key, fmt::format("'{}' was given with a fixed step", key),
                  "steps of a fixed length are not controlled", "omit one of them");
  if (fixed) return options;
  options.tolerance = time.number(
      "tolerance",
      order == TimeOrder::first
          ? "of the error of a step at any node, relative to the range of the unknown"
          : "of the error of a step in the displacement, its mean over the mass, relative to the largest one",
      {.fallback = 1e-3, .above = 0, .below = 1});
  options.first_step =
      time.number("first_step", "[s], 0: a thousandth of the whole time", {.fallback = 0, .minimum = 0});
  options.largest_step = time.number("largest_step", "[s], 0: no limit", {.fallback = 0, .minimum = 0});
  return options;
}

TransientInput read_time(Run& run, const std::string& key, const std::string& field, int components) {
  TransientInput input;
  input.options =
      read_steps(run.input().table("time", "the steps of an evolution in time, and its results"), TimeOrder::first);
  ReadInitialValues begin = read_initial(run, key, field, components);
  input.initial = std::move(begin.values);
  input.begins_by_position = begin.depend_on_position;
  return input;
}

Transient read_evolution(Case& input, const CaseModel& read, const Nonlinear& newton) {
  if (newton.follows_a_path())
    input.add_error(Error(Exit::model, "[newton] increments or path with [time]", "loads follow the time",
                          "write the loads as formulas of t"));
  Transient options = read.time->options;
  options.linear = newton.linear;
  options.instants = input.row_times();
  options.newton = {.relative = is_linear_in_time(read.model) ? newton.linear.relative : newton.relative,
                    .rounding_error = newton.rounding_error,
                    .max_steps = newton.max_steps,
                    .least_linear = newton.linear.relative};
  return options;
}

void follow_time(Log& log, const Transient& evolution, Observer& observer) {
  const auto number = std::make_shared<Index>(0);
  observer.step = [&log, number, live = LiveLine(log, evolution.end)](const AnalysisStep& step) mutable {
    live.show(step);
    log.detail("step {}: t = {:.9g}, dt {:.6g}, error {:.3g} of the tolerance{}", step.number, step.time, step.dt,
               step.error, step.accepted ? "" : ": too long");
    *number = step.number;
  };
  observer.show = [&log, number, show = observer.show](const SolutionView& s) {
    log.end_progress();
    log.line("t = {:g}, step {}", *s.time, *number);
    show(s);
  };
  observer.record = [&log, record = observer.record](const SolveReport& report) {
    log.end_progress();
    record(report);
  };
}

void report_evolution(Run& run, const State& state, const DiagonallyImplicitMethod& method) {
  const TransientBalance& sums = state.balance;
  run.log().line("time: {} steps to t = {:g} by {}{}; relative residual {:.1e}", state.steps, state.time, method.name,
                 state.rejected > 0 ? fmt::format(", {} more were too long and taken again", state.rejected) : "",
                 state.residual);
  const char* unit = run.report().program == "ritz-heat" ? " J" : "";
  run.log().line(
      "balance: stored {:.6g}{} = {:.6g}{} by loads and boundaries + {:.6g}{} by prescribed values; defect {:.1e}",
      fmt::join(sums.stored, " "), unit, fmt::join(sums.supplied, " "), unit, fmt::join(sums.prescribed, " "), unit,
      sums.defect());
  run.results().facts()["time_steps"] = fmt::format("{}", state.steps);
  run.results().facts()["rejected_steps"] = fmt::format("{}", state.rejected);
  run.results().facts()["stored"] = fmt::format("{:.10g}", fmt::join(sums.stored, " "));
  run.results().facts()["supplied"] = fmt::format("{:.10g}", fmt::join(sums.supplied, " "));
  run.results().facts()["by_prescribed_values"] = fmt::format("{:.10g}", fmt::join(sums.prescribed, " "));
  run.results().facts()["balance_defect"] = fmt::format("{:.3e}", sums.defect());
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", state.residual);
}

}  // namespace ritz
