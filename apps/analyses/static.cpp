#include "apps/analyses/case_analysis.hpp"
#include "apps/analyses/gradient.hpp"
#include "apps/analyses/static_batch.hpp"
#include "apps/cases/shared_model.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// Members of a sweep with the same matrix wait for each other.
class StaticAnalysis final : public CaseAnalysis {
 public:
  explicit StaticAnalysis(const LinearSolverOptions& linear) : options_{.linear = linear} {}

  const LinearSolverOptions* linear() const override { return &options_.linear; }
  Differentiable differentiable() const override { return {.linear = &options_}; }
  void check(const Model& model) const override { ritz::check(model, options_); }

  Forecast forecast(Run& run, const CaseModel& read, const Prepared& prepared) const override {
    const SweepPlan* const plan = run.shared().plan.get();
    const int together = plan == nullptr ? 1
                                         : std::min(plan->most_alike(read.load_cases.load_tables),
                                                    members_that_fit(read.space(), batch_limit(*plan)));
    return ritz::forecast(read.model, options_, prepared, together);
  }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    if (read.gradient) {
      solve_with_gradient(run, read, options_, std::move(observer), prepared);
      return {};
    }
    StaticBatch* const batch = run.step().is_of_steps() ? nullptr : run.shared().batch;
    if (batch != nullptr && read.model.means.empty() && prepared.fields == nullptr) {
      batch->add(run, *prepared.equations, read.supports, options_.linear, std::move(observer));
      return {};
    }
    const StaticSolution s = ritz::solve(read.model, options_, observer, prepared);
    if (run.step().is_last()) return {};
    return state_at_rest(prepared, s.u);
  }

 private:
  Static options_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> static_analysis(Run&, CaseModel&, CaseSolvers& solvers) {
  return std::make_unique<StaticAnalysis>(solvers.linear());
}

}  // namespace ritz
