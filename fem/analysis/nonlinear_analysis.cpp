#include "fem/analysis/active_constraints.hpp"
#include "fem/analysis/mean_supports.hpp"
#include "fem/analysis/of_all_unknowns.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/ranks/own_field.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

bool creeps_or_relaxes(const Integral& each) { return !each.form.law.kernel.empty() && each.form.reads_time; }

// Creep and relaxation would be left out without a word.
void require_no_rates(const Model& model) {
  for (const Integral& each : model.equations)
    if (creeps_or_relaxes(each))
      throw Error(ErrorKind::law_kinematics, fmt::format("the law '{}' in increments of load", each.form.name),
                  "it creeps or relaxes in time, which these increments do not have",
                  "give the path [newton] durations, solve it by [time], or take an elastic law");
}

bool has_functions_of_time(const Integral& each) {
  return std::ranges::any_of(each.form.given, &PointFunction::varies_in_time);
}

// Loads, supports or ties whose values depend on t.
bool has_loads_in_time(const Model& model) {
  const auto is_load = [](const Integral& each) {
    return has_functions_of_time(each) && (!each.form.has_matrix || each.is_load);
  };
  return std::ranges::any_of(model.equations, is_load) ||
         std::ranges::any_of(model.supports, [](const PrescribedValue& each) { return each.value.varies_in_time(); });
}

void check_time(const Model& model, const Nonlinear& analysis) {
  const std::vector<double>& durations = analysis.time.durations;
  if (!analysis.time.is_given()) return require_no_rates(model);
  const auto fail = [](const std::string& what, const char* why, const char* fix) {
    throw Error(ErrorKind::load_path, what, why, fix);
  };
  if (durations.size() != analysis.path.size())
    fail(fmt::format("{} durations of a path of {} stages", durations.size(), analysis.path.size()), "",
         "give one for each stage: path = [1, 1] with durations = [0, 3600] loads at once and then holds for an hour");
  if (const auto wrong =
          std::ranges::find_if(durations, [](double each) { return !(each >= 0) || !std::isfinite(each); });
      wrong != durations.end())
    fail(fmt::format("a stage of {:g} s", *wrong), "", "give 0 for what happens at once, or a positive number");
  if (analysis.has_arc_length())
    fail("durations along the arc length", "the loads are found there, and they do not depend on time",
         "control the loads, or omit the durations");
  if (has_loads_in_time(model) && std::ranges::any_of(analysis.path, [](double part) { return part != 1; }))
    fail("formulas of t and a path with another part of the loads than 1", "both change the loads in time",
         "put the course of the loads into the formulas, with parts of 1");
}

// Free strains of laws grow with t, which is the part of the loads where the path takes no time.
bool has_strains_in_time(const Model& model, const Equations& equations) {
  if (model.has_fields()) return equations.facts().matrix_varies_in_time;
  return std::ranges::any_of(model.equations, [](const Integral& each) {
    return each.form.has_matrix && !each.is_load && each.form.varies_in_time();
  });
}

// Numbers of the laws that creep or relax, for RateControl.
std::vector<int> laws_in_time(const Operator& equations) {
  std::vector<std::string> names;  // equal on all ranks
  for (const Integral& each : equations.integrals())
    if (creeps_or_relaxes(each) && std::ranges::find(names, each.form.name) == names.end())
      names.push_back(each.form.name);
  std::vector<int> result;
  for (const ElementGroup& group : equations.terms().groups())
    for (const int i : group.integrals) {
      const Integral& integral = equations.integrals()[static_cast<std::size_t>(i)];
      if (integral.form.state_start.empty()) continue;
      result.push_back(-1);
      if (!creeps_or_relaxes(integral)) continue;
      result.back() = static_cast<int>(std::ranges::find(names, integral.form.name) - names.begin());
    }
  return result;
}

// Makes the equations follow the path: loads that turn with the body by their part, free strains of laws, and with time
// everything that depends on it.
void enter_along(const Model& model, const Setup& setup, Nonlinear& analysis) {
  Equations& equations = setup.any_equations();
  Supports& supports = setup.any_supports();
  const bool in_time = analysis.time.is_given(), warms = !in_time && has_strains_in_time(model, equations);
  analysis.loads_turn = std::ranges::any_of(model.equations, &Integral::is_load);
  if (warms && has_loads_in_time(model))
    throw Error(ErrorKind::load_path, "formulas of t next to thermal strain of laws, along a path without time",
                "the strain grows with the part of the loads, which takes the place of t",
                "give the path [newton] durations, or numbers");
  if (warms && analysis.has_arc_length())
    throw Error(ErrorKind::load_path, "the arc length in a model whose laws have thermal strain",
                "the strain grows with the part of the loads, which the arc length takes for forces alone",
                "control the loads, or heat the body in a step before");
  if (!in_time && !warms && !analysis.loads_turn) return;
  analysis.enter = [&equations, &supports, in_time, warms, turn = analysis.loads_turn](double part, const Time& time) {
    if (turn) equations.inputs().set_part_of_loads(part);
    if (warms) equations.inputs().set_time({.t = part});
    if (!in_time) return;
    equations.inputs().set_time(time);
    if (supports.varies_in_time()) supports.set_time(time.t);
  };
}

}  // namespace

void check(const Model& model, const Nonlinear& analysis) {
  check_time(model, analysis);
  if (!model.means.empty() && has_inequalities(model))
    throw Error(ErrorKind::analysis, "a prescribed mean motion next to inequalities",
                "the tangent holds means with the constraints that are closed at the begin",
                "make the region rigid, or replace the stops and gaps by supports")
        .at(model.means.front().origin);
  if (model.load_cases.empty()) return;
  require_linear_load_cases(model);
  throw Error(ErrorKind::nonlinear_load_cases, "load cases along a path of [newton]",
              "each load case is one state, under all of its loads", "omit [newton], or the load cases");
}

NonlinearSolution solve(const Model& model, Nonlinear analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  if (analysis.linear.ranks != nullptr) require_no_inequalities(model, "several processes");
  const Setup setup(model, prepared, Setup::Held::required, Setup::Rates::none, &analysis.linear);
  analysis.linear.ranks = nullptr;
  if (analysis.begin.u.empty() && model.start != 0) analysis.begin = uniform_state(model, model.start);
  analysis.linear = promised(analysis.linear, model);
  if (!model.has_fields()) analysis.ground = setup.supports().on_ground();
  const std::shared_ptr<ActiveConstraints> active =
      has_inequalities(model) ? std::make_unique<ActiveConstraints>(model) : nullptr;
  analysis.active = active;
  Observer checking = within_ranges(model, observer);
  if (!analysis.may_reverse) checking = without_reversed_cells(model, checking);
  PartOfModel* const part = setup.part();
  if (active && setup.any_supports().varies_in_time())
    throw Error(ErrorKind::load_path, "prescribed values that depend on t, next to inequalities",
                "the active set has the supports of one time", "give numbers, and the path its parts");
  const std::shared_ptr<MeanSupports> means = mean_supports(model, setup);
  analysis.means = means;
  enter_along(model, setup, analysis);
  if (analysis.time.is_given() && !model.has_fields())
    analysis.time.laws = laws_in_time(dynamic_cast<const Operator&>(setup.any_equations()));
  const Supports& supports = means ? static_cast<const Supports&>(*means) : setup.any_supports();
  if (part == nullptr) return solve_nonlinear(setup.any_equations(), supports, analysis, checking);
  return solve_on_part(*part, std::move(analysis), checking);
}

NonlinearSolution solve_on_part(PartOfModel& part, Nonlinear analysis, const Observer& observer) {
  for (State* const each : {&analysis.from, &analysis.begin}) *each = own_state(part, std::move(*each));
  if (part.whole().one != nullptr) analysis.ground = part.whole().one->own(analysis.ground);
  Vector forces;
  if (analysis.forces != nullptr) {
    forces = part.own(*analysis.forces);
    analysis.forces = &forces;
  }
  NonlinearSolution s = solve(part, std::move(analysis), of_all_unknowns(part, observer));
  s.u = part.gathered(s.u);
  s.reaction = forces_of_all(part, s.reaction);
  s.end = state_of_all(part, std::move(s.end));
  return s;
}

NonlinearSolution solve(PartOfModel& part, Nonlinear analysis, const Observer& observer) {
  analysis.whole = &part.whole();
  const Supports& supports = analysis.means ? static_cast<const Supports&>(*analysis.means) : part.supports();
  return solve_nonlinear(part.equations(), supports, analysis, observer);
}

Forecast forecast(const Model& model, const Nonlinear& analysis, const Prepared&) {
  const int stages = std::max(analysis.increment_count(), static_cast<int>(analysis.path.size()));
  LinearSolverOptions linear = analysis.linear;
  linear.one_of_many = false;  // each tangent is another one
  return forecast_of(model, model.equations, linear,
                     {.stages = stages,
                      .shows_stages = analysis.shows_increments && stages > 1,
                      .beside = attached_needs(model.space, std::ssize(model.means))});
}

}  // namespace ritz
