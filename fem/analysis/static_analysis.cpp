#include "fem/analysis/attached.hpp"
#include "fem/analysis/rigid_motions.hpp"
#include "fem/analysis/setup.hpp"

#include "device/host_memory.hpp"
#include "device/memory_shortage.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// Results take no more than what the solver leaves behind: what it had goes back before fields are computed.
StaticSolutions solve_columns_of(const Setup& setup, const LoadVectors& loads, const LinearSolverOptions& options,
                                 const Observer& observer, SystemCache* cache) {
  StaticSolutions solutions = solve_static(setup.any_equations(), loads, options, observer, cache);
  if (cache == nullptr) {
    setup.any_equations().device().memory().trim();
    return_freed_host_memory();
  }
  return solutions;
}

void report_solution(const Observer& observer, const StaticSolution& s, double tolerance,
                     std::vector<double> factors = {}) {
  if (observer.record) observer.record(s.report);
  if (observer.show) observer.show(view_of(s, tolerance, std::move(factors)));
}

// Rigid motions that means alone hold do no work on the body.
void require_rigid_on_means(const Model& model, const Setup& setup) {
  if (!setup.stops().empty()) require_rigid(setup.equations(), setup.supports().floating(), model.means.front().origin);
}

// Do loads act, or values that are not zero, outside of the load cases? Combinations need their solution, too.
bool acts_outside(const Model& model, const Constraints& common) {
  const auto is_load = [](const Integral& i) { return !i.form.has_matrix || i.form.codimension > 0; };
  return std::ranges::any_of(model.equations, is_load) || !common.all_zero();
}

}  // namespace

void check(const Model& model, const Static&) {
  if (!model.linear)
    throw Error(ErrorKind::analysis, "linear statics of a model with nonlinear equations",
                "their matrix depends on the solution", "take a nonlinear analysis");
  if (!model.load_cases.empty())
    throw Error(ErrorKind::analysis, "one static solution of a model with load cases",
                "each of them is a state of its own", "take an analysis of load cases, or omit them");
}

void check(const Model& model, const LoadCases& analysis) {
  require_linear_load_cases(model);
  if (model.load_cases.empty())
    throw Error(ErrorKind::analysis, "an analysis of load cases, and the model has none", {},
                "add some, or take Static");
  for (const LoadCombination& each : analysis.combinations)
    if (each.factors.size() != model.load_cases.size())
      throw Error(ErrorKind::analysis,
                  fmt::format("combination '{}' has {} factors for {} load cases", each.name, each.factors.size(),
                              model.load_cases.size()),
                  {}, "give a factor for each, 0 for those that take no part");
}

SolutionView view_of(const StaticSolution& solution, double tolerance, std::vector<double> factors) {
  return {.u = solution.u,
          .reaction = solution.reaction,
          .residual = solution.residual,
          .tolerance = tolerance,
          .applied = solution.applied,
          .load_size = solution.load_size,
          .factors = std::move(factors),
          .mean_loads = solution.mean_loads,
          .notice = solution.notice};
}

StaticSolution solve(const Model& model, const Static& analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  const LinearSolverOptions linear = promised(analysis.linear, model);
  const Setup setup(model, prepared, Setup::Held::required);
  require_rigid_on_means(model, setup);
  const LoadVectors loads{.cases = {{.supports = &setup.any_supports()}},
                          .ground = setup.on_ground(),
                          .means = model.means,
                          .stops = setup.stops()};
  StaticSolution s =
      std::move(solve_columns_of(setup, loads, linear, {.progress = observer.progress}, prepared.cache).cases.front());
  report_solution(observer, s, analysis.linear.relative);
  return s;
}

std::vector<SolveReport> solve(const Model& model, const LoadCases& analysis, const Observer& observer,
                               const Prepared& prepared) {
  check(model, analysis);
  const Setup setup(model, prepared, Setup::Held::required);
  require_rigid_on_means(model, setup);
  const std::size_t count = model.load_cases.size();
  LoadVectors loads{.combinations = analysis.combinations,
                    .common = &setup.any_supports(),
                    .ground = setup.on_ground(),
                    .means = model.means,
                    .stops = setup.stops(),
                    .known = analysis.begin.columns};
  for (std::size_t i = 0; i < count; ++i)
    loads.cases.push_back({.name = model.load_cases[i].name,
                           .loads = model.load_cases[i].loads,
                           .supports = &setup.any_supports_of(i),
                           .loads_of_fields = model.load_cases[i].loads_of_fields});
  StaticSolutions solutions =
      solve_columns_of(setup, loads, promised(analysis.linear, model), observer, prepared.cache);
  std::vector<SolveReport> reports;
  const auto show = [&](const StaticSolution& s, std::vector<double> factors) {
    reports.push_back(s.report);
    report_solution(observer, s, analysis.linear.relative, std::move(factors));
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (observer.enter) observer.enter(loads.cases[i].name, false);
    solutions.cases[i].bring_back();
    std::vector<double> factors(count, 0.0);
    factors[i] = 1;
    show(solutions.cases[i], std::move(factors));
    solutions.release(i);
  }
  ErrorList errors;  // one that fails keeps no other from being shown
  for (std::size_t i = 0; i < loads.combinations.size(); ++i) {
    if (observer.enter) observer.enter(loads.combinations[i].name, true);
    try {
      std::optional<StaticSolution> solution;
      const auto attempt = [&] { solution = solutions.combination(i); };
      if (memory_shortage(analysis.linear.ranks, attempt)) {
        if (observer.spare) observer.spare();
        attempt();
      }
      show(*solution, loads.combinations[i].factors);
    } catch (const Error& error) {
      if (error.exit() != Exit::not_converged && error.exit() != Exit::resources) throw;
      errors.add(error);
    }
  }
  errors.throw_if_any();
  return reports;
}

Forecast forecast(const Model& model, const Static& analysis, const Prepared& prepared, int together) {
  const AnalysisNeeds needs{.columns = together,
                            .supports = together,
                            .reuses = prepared.cache != nullptr,
                            .beside = attached_needs(model.space, std::ssize(model.means))};
  return forecast_of(model, model.equations, analysis.linear, needs);
}

Forecast forecast(const Model& model, const LoadCases& analysis, const Prepared& prepared) {
  const ModelSupports own(model);
  const ModelSupports& supports = prepared.supports != nullptr ? *prepared.supports : own;
  const std::vector<ModelLoadCase>& cases = model.load_cases;
  AnalysisNeeds needs{.columns = static_cast<int>(cases.size()),
                      .supports = static_cast<int>(supports.all().size()),
                      .results = static_cast<int>(cases.size() + analysis.combinations.size()),
                      .combines = !analysis.combinations.empty(),
                      .reuses = prepared.cache != nullptr,
                      .beside = attached_needs(model.space, std::ssize(model.means))};
  needs.own_loads =
      static_cast<int>(std::ranges::count_if(cases, [](const ModelLoadCase& each) { return !each.loads.empty(); }));
  if (needs.combines && acts_outside(model, supports.common())) ++needs.columns;
  return forecast_of(model, model.equations, analysis.linear, needs);
}

}  // namespace ritz
