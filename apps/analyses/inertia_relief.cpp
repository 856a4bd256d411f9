#include "fem/analysis/inertia_relief.hpp"

#include "apps/analyses/case_analysis.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

class InertiaReliefAnalysis final : public CaseAnalysis {
 public:
  explicit InertiaReliefAnalysis(const LinearSolverOptions& linear) : options_{.linear = linear} {}

  std::string beyond_linear_statics() const override { return "[inertia_relief]"; }
  const LinearSolverOptions* linear() const override { return &options_.linear; }
  ModelDemands demands() const override { return {.held = false, .loaded = true}; }
  void check(const Model& model) const override { ritz::check(model, options_); }
  Rates rates() const override { return Rates::beside; }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, options_, prepared);
  }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    const ReliefSolution s = ritz::solve(read.model, options_, observer, prepared);
    run.log().line("inertia relief: {} rigid motions are free; loads ({:.6g}) N accelerate by ({:.6g}) m/s^2",
                   s.motions, fmt::join(without_rounding(s.state.applied, largest_of(s.state.applied)), ", "),
                   fmt::join(without_rounding(s.acceleration, largest_of(s.acceleration)), ", "));
    run.results().facts()["rigid_acceleration"] = fmt::format("{:.10g}", fmt::join(s.acceleration, " "));
    return run.step().is_last() ? State{} : state_at_rest(prepared, s.state.u);
  }

 private:
  InertiaRelief options_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> inertia_relief_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.relieved) return nullptr;
  run.input().table("inertia_relief",
                    "statics of a free body: its inertia balances the loads (docs/vibration.md#inertia-relief)");
  const auto excludes = [&](const char* table) {
    run.input().add_error(Error(ErrorKind::modal_options, fmt::format("[inertia_relief] in a case with {}", table),
                                "it is one linear static solution",
                                fmt::format("make another case, without {}", table)));
  };
  if (read.time) excludes("[time]");
  if (solvers.newton().follows_a_path()) excludes("a load path in [newton]");
  return std::make_unique<InertiaReliefAnalysis>(solvers.linear());
}

}  // namespace ritz
