#include "apps/analyses/case_analysis.hpp"
#include "apps/analyses/gradient.hpp"
#include "apps/cases/motion.hpp"
#include "apps/cases/time_input.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <utility>

namespace ritz {
namespace {

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

// The evolution that the case asks for, with the solvers of [newton].
Transient read_evolution(Case& input, const CaseModel& read, const Nonlinear& newton) {
  if (newton.follows_a_path())
    input.add_error(Error(ErrorKind::time_options, "[newton] increments or path with [time]", "loads follow the time",
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

// Steps and the balance, in the log and among the facts.
void report_evolution(Run& run, const State& state, const DiagonallyImplicitMethod& method) {
  const TransientBalance& sums = state.balance;
  run.log().line("time: {} steps to t = {:g} by {}{}; relative residual {:.1e}", state.steps, state.time, method.name,
                 state.rejected > 0 ? fmt::format(", {} more were too long and taken again", state.rejected) : "",
                 state.residual);
  const std::string unit = run.report().program == "ritz-heat" ? units_of(run.report()).of(" J") : "";
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

class TransientAnalysis final : public CaseAnalysis {
 public:
  TransientAnalysis(Transient options, bool moves) : options_(std::move(options)), moves_(moves) {}

  std::string beyond_linear_statics() const override { return "[time]"; }
  const LinearSolverOptions* linear() const override { return &options_.linear; }
  Differentiable differentiable() const override { return {.evolution = &options_}; }
  ModelDemands demands() const override { return {.held = options_.from_equilibrium}; }
  void check(const Model& model) const override { ritz::check(model, options_); }
  Rates rates() const override { return Rates::among; }

  Forecast forecast(Run& run, const CaseModel& read, const Prepared& prepared) const override {
    if (run.options().estimate)
      run.log().line("times are those of {:.0f} steps{}", expected_steps(options_),
                     options_.fixed_step > 0 ? "" : ", a guess: the control of the error chooses them");
    return ritz::forecast(read.model, options_, prepared);
  }

  MemoryNeeds beside_system(const FieldsOfModel& fields) const override {
    const Index unknowns = fields.equations->layout().total();
    return newton_vector_needs(unknowns) + transient_vector_needs(unknowns, moves_);
  }

  double end_of(const CaseStep&) const override { return options_.end; }

  void begin(const CaseModel& read, StepBegin begin) override {
    if (begin.resumed) {
      options_.shows_begin = begin.from.u.empty();
      options_.begin = *std::move(begin.resumed);
      return;
    }
    if (!begin.from.u.empty()) {
      begin.from.time = begin.step.begin;
      options_ = begun_at(std::move(begin.from), std::move(options_));
      return;
    }
    options_.begin.u = read.time->initial(read.model);
    if (read.time->velocity) options_.begin.v = read.time->velocity(read.model);
  }

  void follow(Log& log, Observer& observer) const override {
    const auto number = std::make_shared<Index>(0);
    observer.step = [&log, number, live = LiveLine(log, options_.end)](const AnalysisStep& step) mutable {
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

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    TransientResult result = read.gradient ? solve_with_gradient(run, read, options_, std::move(observer), prepared)
                                           : ritz::solve(read.model, std::move(options_), observer, prepared);
    const Transient& asked = read.time->options;
    if (read.time->velocity) report_motion(run, result.state, asked);
    else report_evolution(run, result.state, *asked.method);
    return std::move(result.state);
  }

 private:
  Transient options_;
  const bool moves_;  // by its inertia
};

}  // namespace

std::unique_ptr<CaseAnalysis> transient_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.time) return nullptr;
  return std::make_unique<TransientAnalysis>(read_evolution(run.input(), read, solvers.newton()),
                                             static_cast<bool>(read.time->velocity));
}

}  // namespace ritz
