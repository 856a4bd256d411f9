#include "apps/cases/load_cases.hpp"

#include "apps/analyses/case_analysis.hpp"
#include "apps/analyses/gradient.hpp"

#include <fmt/ranges.h>
#include <utility>

namespace ritz {
namespace {

class LoadCaseAnalysis final : public CaseAnalysis {
 public:
  LoadCaseAnalysis(LoadCases options, Index count) : options_(std::move(options)), count_(count) {}

  const LinearSolverOptions* linear() const override { return &options_.linear; }
  Differentiable differentiable() const override { return {.load_cases = &options_}; }
  void check(const Model& model) const override { ritz::check(model, options_); }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, options_, prepared);
  }
  // Solutions, reactions and loads of all cases stay until the last combination.
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override {
    return MemoryNeeds().array<double>("vectors", fields.equations->layout().total(), 3 * count_);
  }
  void begin(const CaseModel&, StepBegin begin) override {
    if (begin.resumed) options_.begin = *std::move(begin.resumed);
  }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    if (!read.load_cases.common.empty())
      run.log().line("in every load case, and once in every combination: {}", fmt::join(read.load_cases.common, ", "));
    if (read.gradient) solve_with_gradient(run, read, options_, std::move(observer), prepared);
    else ritz::solve(read.model, options_, observer, prepared);
    return {};
  }

 private:
  LoadCases options_;
  Index count_;  // of load cases
};

}  // namespace

std::unique_ptr<CaseAnalysis> load_case_analysis(Run&, CaseModel& read, CaseSolvers& solvers) {
  if (read.load_cases.cases.empty()) return nullptr;
  return std::make_unique<LoadCaseAnalysis>(
      LoadCases{.linear = solvers.linear(), .combinations = read.load_cases.combinations},
      std::ssize(read.load_cases.cases));
}

}  // namespace ritz
