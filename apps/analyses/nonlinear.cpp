#include "apps/analyses/case_analysis.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

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
  void begin(const CaseModel&, std::optional<State> resumed) override {
    if (resumed) options_.begin = *std::move(resumed);
  }

  void follow(Log& log, Observer& observer) const override {
    observer.step = [&log](const AnalysisStep& step) {
      log.end_progress();
      log.line("increment {} of {}: {} steps so far, relative residual {:.2e}", step.number, step.count, step.solves,
               step.residual);
    };
  }

  void solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    const NonlinearSolution s = ritz::solve(read.model, std::move(options_), observer, prepared);
    for (std::size_t i = 0; i < s.steps.size(); ++i)
      run.log().detail("Newton step {}: increment {}, length {:.3g}, relative residual {:.2e}", i + 1,
                       s.steps[i].increment, s.steps[i].length, s.steps[i].relative);
    run.report().facts["residual_certificate"] = fmt::format("{:.3e}", s.residual);
    run.report().facts["newton_steps"] = fmt::format("{}", s.steps.size());
  }

 private:
  Nonlinear options_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> nonlinear_analysis(Run&, CaseModel& read, CaseSolvers& solvers) {
  if (read.model.linear && !solvers.newton().follows_a_path()) return nullptr;
  return std::make_unique<NonlinearAnalysis>(solvers.newton());
}

}  // namespace ritz
