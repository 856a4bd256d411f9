#include "apps/analyses/case_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

bool has_internal_variables(const Model& model) {
  return std::ranges::any_of(model.equations, [](const Integral& each) { return !each.form.state_start.empty(); });
}

// Nonlinear statics: where equations are not linear, or [newton] asks for a load path.
class NonlinearAnalysis final : public CaseAnalysis {
 public:
  explicit NonlinearAnalysis(Nonlinear options) : options_(std::move(options)) {}

  std::string beyond_linear_statics() const override { return "a load path or nonlinear equations"; }
  const LinearSolverOptions* linear() const override { return &options_.linear; }
  Differentiable differentiable() const override { return {.nonlinear = &options_}; }
  void check(const Model& model) const override { ritz::check(model, options_); }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, options_, prepared);
  }
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override {
    return newton_vector_needs(fields.equations->layout().total());
  }
  void begin(const CaseModel&, StepBegin begin) override {
    step_ = begin.step;
    options_.time.begin = step_.begin;
    options_ = begun_at(std::move(begin.from), std::move(options_));
    options_.continues = !step_.is_last();
    if (begin.resumed) options_.begin = *std::move(begin.resumed);
  }

  void follow(Log& log, Observer& observer) const override {
    observer.step = [&log, in_time = options_.time.is_given()](const AnalysisStep& step) {
      log.end_progress();
      const std::string place = step.count > 0 ? fmt::format(" of {}", step.count)
                                : in_time      ? fmt::format(", t = {:.6g}", step.time)
                                               : fmt::format(", {:.4g} of the loads", step.time);
      log.line("increment {}{}: {} steps so far, relative residual {:.2e}", step.number, place, step.solves,
               step.residual);
    };
    if (!step_.is_of_steps() || options_.time.is_given()) return;
    observer.show = [step = step_, stages = double(options_.path.size()), show = observer.show](SolutionView s) {
      if (s.time) s.time = step.begin + step.duration * (*s.time / stages);
      show(s);
    };
  }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    if (options_.shows_increments && !step_.is_of_steps())  // steps of other analyses have no such column
      observer.show = [&results = run.results(), show = observer.show](const SolutionView& view) {
        results.carry_number("load_factor", view.part);
        show(view);
      };
    const bool whole_stages = options_.increments == 0 && options_.sizes.largest >= 1 && !options_.time.is_given();
    NonlinearSolution s = ritz::solve(read.model, std::move(options_), observer, prepared);
    for (std::size_t i = 0; i < s.steps.size(); ++i)
      run.log().detail("Newton step {}: increment {}, length {:.3g}, relative residual {:.2e}", i + 1,
                       s.steps[i].increment, s.steps[i].length, s.steps[i].relative);
    run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", s.residual);
    run.results().facts()["newton_steps"] = fmt::format("{}", s.steps.size());
    run.results().facts()["increments"] = fmt::format("{}", s.increments);
    run.results().facts()["load_factor"] = fmt::format("{:.10g}", s.part);
    if (s.increments > 1 || s.failures > 0)
      run.log().line("{} increments{}{}", s.increments,
                     s.failures > 0 ? fmt::format(", {} longer ones failed", s.failures) : "",
                     s.rejections > 0 ? fmt::format(", {} repeated for their error in time", s.rejections) : "");
    if (whole_stages && has_internal_variables(read.model))
      run.log().notice(
          fmt::format("materials remember the path of the loads, which was followed in {} increments: "
                      "[newton] largest_increment = 0.05 shows how much that matters",
                      s.increments));
    if (!s.notice.empty()) run.log().notice(s.notice);
    return std::move(s.end);
  }

 private:
  Nonlinear options_;
  CaseStep step_;
};

}  // namespace

namespace {

// Results within a path take the part of what acts for all of it, which holds where nothing acted before.
void require_results_of_parts(Run& run, const Model& model, const Nonlinear& newton) {
  if (!run.step().continues() || (!newton.shows_increments && newton.path.back() == 1)) return;
  const bool depend =
      model.structural || !model.exchanges.empty() || std::ranges::any_of(model.equations, [](const Integral& each) {
        return !each.form.has_matrix && each.form.derived > 0;
      });
  if (!depend) return;
  run.input()
      .table("newton", "")
      .error(ErrorKind::step, newton.shows_increments ? "write" : "path",
             fmt::format("results within the path of step '{}'", run.step().name),
             "beams, thermal strain and exchanged heat need the loads of the step before there",
             "write the last increment alone, at the part 1, or take a step for each state");
}

// The durations of a step's path are the duration of the step, or nothing.
void require_time_of_step(Run& run, const Nonlinear& newton) {
  const CaseStep& step = run.step();
  const double all = newton.time.end();
  if (!newton.time.is_given() || !step.is_of_steps() || all == 0) return;
  if (std::abs(all - step.duration) <= 1e-9 * all) return;
  run.input()
      .table("newton", "")
      .error(ErrorKind::step, "durations",
             fmt::format("the path of step '{}' takes {:g} s, and the step {:g}", step.name, all, step.duration),
             "a step without [time] has a duration on the time line of the run",
             fmt::format("write duration = {:g} in the step", all));
}

// A step ends under all of its loads, at a time that is known.
void require_loads_of_steps(Run& run, const Nonlinear& newton) {
  if (!newton.has_arc_length() || !run.step().is_of_steps()) return;
  run.input()
      .table("newton", "")
      .error(ErrorKind::load_path, "control", fmt::format("the arc length in the step '{}'", run.step().name),
             "its path may end before all loads act", "make a case of it without steps");
}

}  // namespace

std::unique_ptr<CaseAnalysis> nonlinear_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (read.model.linear && !solvers.newton().follows_a_path()) return nullptr;
  require_loads_of_steps(run, solvers.newton());
  require_time_of_step(run, solvers.newton());
  require_results_of_parts(run, read.model, solvers.newton());
  return std::make_unique<NonlinearAnalysis>(solvers.newton());
}

}  // namespace ritz
