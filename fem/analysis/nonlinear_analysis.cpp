#include "fem/analysis/active_constraints.hpp"
#include "fem/analysis/of_all_unknowns.hpp"
#include "fem/analysis/setup.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// Creep and relaxation would be left out without a word.
void require_no_rates(const Model& model) {
  for (const Integral& each : model.equations)
    if (!each.form.law.kernel.empty() && each.form.reads_time)
      throw Error(ErrorKind::law_kinematics, fmt::format("the law '{}' in increments of load", each.form.name),
                  "it creeps or relaxes in time, which these increments do not have",
                  "solve it in steps of time, or take an elastic law");
}

}  // namespace

void check(const Model& model, const Nonlinear&) {
  require_no_rates(model);
  require_no_prescribed_means(model, "nonlinear equations");
  if (model.load_cases.empty()) return;
  require_linear_load_cases(model);
  throw Error(ErrorKind::nonlinear_load_cases, "load cases along a path of [newton]",
              "each load case is one state, under all of its loads", "omit [newton], or the load cases");
}

NonlinearSolution solve(const Model& model, Nonlinear analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  if (analysis.linear.ranks != nullptr) require_no_inequalities(model, "several processes");
  Ranks* const ranks = model.has_fields() ? std::exchange(analysis.linear.ranks, nullptr) : nullptr;
  const Setup setup(model, prepared, Setup::Held::required, Setup::Rates::none, ranks);
  if (analysis.begin.u.empty() && model.start != 0) analysis.begin = uniform_state(model, model.start);
  analysis.linear = promised(analysis.linear, model);
  if (!model.has_fields()) analysis.ground = &setup.supports().on_ground();
  const std::unique_ptr<ActiveConstraints> active =
      has_inequalities(model) ? std::make_unique<ActiveConstraints>(model) : nullptr;
  analysis.active = active.get();
  const Observer checking = within_ranges(model, observer);
  const FieldsOfRank* const rank = setup.rank();
  // Free strains of laws are functions of t, which is the part of the loads here.
  if (setup.any_equations().facts().matrix_varies_in_time) {
    if (analysis.has_arc_length())
      throw Error(ErrorKind::load_path, "the arc length in a model whose laws have thermal strain",
                  "the strain grows with the part of the loads, which the arc length takes for forces alone",
                  "control the loads, or heat the body in a step before");
    analysis.enter = [&](double part) { setup.any_equations().inputs().set_time({.t = part}); };
  }
  if (rank == nullptr) return solve_nonlinear(setup.any_equations(), setup.any_supports(), analysis, checking);
  analysis.begin = own_state(*rank, std::move(analysis.begin));
  NonlinearSolution s = solve(*rank, std::move(analysis), of_all_unknowns(*rank, checking));
  s.u = rank->gathered(s.u);
  s.reaction = gathered(*rank, s.reaction);
  return s;
}

NonlinearSolution solve(const FieldsOfRank& rank, Nonlinear analysis, const Observer& observer) {
  analysis.whole = &rank.whole();
  return solve_nonlinear(rank.equations(), rank.supports(), analysis, observer);
}

Forecast forecast(const Model& model, const Nonlinear& analysis, const Prepared&) {
  const int stages = std::max(analysis.increment_count(), static_cast<int>(analysis.path.size()));
  LinearSolverOptions linear = analysis.linear;
  linear.one_of_many = false;  // each tangent is another one
  return forecast_of(model, model.equations, linear,
                     {.stages = stages, .shows_stages = analysis.shows_increments && stages > 1});
}

}  // namespace ritz
