#include "apps/analyses/analyses.hpp"

#include "apps/analyses/forecast.hpp"
#include "apps/analyses/gradient.hpp"
#include "apps/analyses/modal_analysis.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/analyses/newton.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/analyses/static_batch.hpp"
#include "apps/cases/transient_analysis.hpp"
#include "apps/results/checkpoint_states.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/ranks/divided_system.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>

namespace ritz {
namespace {

LinearSolverOptions solver_of(Run& run, const CaseModel& read) {
  LinearSolverOptions solver = run.solver(read.promise(), read.model.tolerance);
  if (read.model.ill_conditioned && solver.method == LinearMethod::automatic) solver.method = LinearMethod::direct;
  solver.one_of_many =
      pay_for_a_matrix(read.load_cases.cases.size(), read.load_cases.combinations.size()) || run.shared().sweeps;
  return solver;
}

// The analysis begins with the state of the run that is resumed, or with the initial values of an evolution.
void set_begin(Run& run, const CaseModel& read, Analysis& analysis) {
  const std::optional<CheckpointState>& resumed = run.results().resumed();
  std::visit(
      [&](auto& a) {
        if constexpr (requires { a.begin; })
          if (resumed) a.begin = state_of(*resumed);
      },
      analysis);
  if (auto* evolution = std::get_if<Transient>(&analysis); evolution != nullptr && !resumed) {
    evolution->begin.u = read.time->initial(read.space());
    if (read.time->velocity) evolution->begin.v = read.time->velocity(read.space());
  }
}

// Members of a sweep share operators, and what linear systems leave for the next.
Prepared prepared_for(Run& run, const CaseModel& read) {
  return {.supports = read.supports.get(), .cache = run.shared().sweeps ? &run.shared().reuse : nullptr};
}

void make_operators(Run& run, const Model& model, const Analysis& analysis, Prepared& prepared) {
  if (std::holds_alternative<Modal>(analysis)) {
    prepared.equations = &make_operator(run, *model.space, model.equations);
    prepared.rates = &make_operator(run, *model.space, model.inertia);
    return;
  }
  const auto solver = std::visit(
      [](const auto& a) -> const LinearSolverOptions* {
        if constexpr (requires { a.linear; }) return &a.linear;
        return nullptr;
      },
      analysis);
  const bool evolves = std::holds_alternative<Transient>(analysis);
  prepared.equations = &make_operator(run, *model.space, evolves ? with_rates(model) : model.equations, solver);
}

// Loads of size zero are legal, and seldom meant.
void report_zero(Run& run, const Vector& u, const std::string& load_case) {
  if (!std::ranges::all_of(u.host(), [](double value) { return value == 0; })) return;
  const std::string notice =
      load_case.empty() ? std::string("the solution is zero everywhere: what acts on the model is zero")
                        : fmt::format("the solution of '{}' is zero everywhere: what acts in it is zero", load_case);
  run.log().notice(notice);
}

Observer observer_of(Run& run, const std::shared_ptr<const CaseModel>& read, const Operator& equations,
                     const Analysis& analysis) {
  const auto written = std::make_shared<int>(run.results().resumed() ? run.results().resumed()->steps : 0);
  const bool is_static = !std::holds_alternative<Modal>(analysis) && !std::holds_alternative<Transient>(analysis);
  const auto part = std::make_shared<std::string>();  // load case or combination
  Observer observer{.show =
                        [&run, read, &equations, written, is_static, part](const SolutionView& s) {
                          if (is_static) report_zero(run, s.u, *part);
                          read->show(*read, equations, s);
                          if (read->tell) read->tell(s);
                          ++*written;
                        },
                    .record = [&run, unknowns = read->space().unknown_count()](
                                  const SolveReport& report) { run.results().record(report, unknowns); },
                    .enter =
                        [&run, part](const std::string& name, bool combination) {
                          *part = name;
                          if (combination) run.results().begin_combination(name);
                          else run.results().begin_load_case(name);
                        },
                    .keep = [&run, written](const State& s) { run.results().keep(checkpoint_of(s, *written)); },
                    .progress = run.progress(),
                    .spare = [&run] { run.results().give_back(); }};
  if (std::holds_alternative<Nonlinear>(analysis)) observer.step = increments_in_log(run.log());
  if (const auto* evolution = std::get_if<Transient>(&analysis)) follow_time(run.log(), *evolution, observer);
  return observer;
}

// The report of an analysis, beside the solutions that were shown.
void conclude(Run&, const CaseModel&, const StaticSolution&) {}
void conclude(Run&, const CaseModel&, const std::vector<SolveReport>&) {}
void conclude(Run& run, const CaseModel&, const NonlinearSolution& s) { report_newton(run, s); }
void conclude(Run& run, const CaseModel& read, const TransientResult& result) {
  if (read.time->velocity) return report_motion(run, result.state, read.time->options.spectral_radius);
  report_evolution(run, result.state, *read.time->options.method);
}
void conclude(Run&, const CaseModel& read, VibrationModes modes) { read.show_modes(read, std::move(modes)); }

// Throws Error(Exit::environment) for what several ranks do not solve together, before anything is solved or written.
void require_divisible(Run& run, const CaseModel& read, const Analysis& analysis) {
  const Ranks* const ranks = run.options().ranks;
  if (ranks == nullptr || run.options().describe) return;
  if (!run.input().sound()) return;  // what is wrong comes first
  const Model& model = read.model;
  std::vector<Integral> equations = std::holds_alternative<Transient>(analysis) ? with_rates(model) : model.equations;
  if (std::holds_alternative<Modal>(analysis))
    equations.insert(equations.end(), model.inertia.begin(), model.inertia.end());
  const auto options = std::visit(
      [](const auto& a) {
        if constexpr (requires { a.linear; }) return a.linear;
        else return LinearSolverOptions();
      },
      analysis);
  check_divisible(Operator(*model.space, std::move(equations)), options, *ranks);
}

}  // namespace

Analysis read_analysis(Run& run, CaseModel& read) {
  if (read.modes) return read_modal(run, read);
  const LinearSolverOptions solver = solver_of(run, read);
  Nonlinear newton = read_newton(run.input(), solver);
  if (read.time) return read_evolution(run.input(), read, newton);
  if (!read.model.linear || newton.follows_a_path()) return newton;
  if (read.load_cases.cases.empty()) return Static{.linear = solver};
  return LoadCases{.linear = solver, .combinations = read.load_cases.combinations};
}

void run_case(Run& run, CaseModel given) {
  for (const Field& field : given.model_fields) given.nodal_results.push_back({field.name, field.components});
  run.results().carry(given.model_fields);
  Analysis analysis = read_analysis(run, given);
  require_divisible(run, given, analysis);
  if (given.gradient) {
    check_gradient(run, given, analysis);
    SplitFields fields = gradient_results(given);
    std::ranges::move(fields.nodal, std::back_inserter(given.nodal_results));
    std::ranges::move(fields.cells, std::back_inserter(given.cell_results));
  }
  auto read = std::make_shared<const CaseModel>(std::move(given));
  const Model& model = read->model;
  try {
    std::visit([&](const auto& a) { check(model, a); }, analysis);
  } catch (const Error& error) { run.input().add_error(error); }
  Prepared prepared = prepared_for(run, *read);
  forecast(run, *read, analysis, prepared);
  const bool is_static = !std::holds_alternative<Modal>(analysis) && !read->time;
  finish_model(run, *read,
               {.held = is_static || (read->time && read->time->options.from_equilibrium), .loaded = is_static},
               {read->nodal_results, read->cell_results});

  set_begin(run, *read, analysis);
  make_operators(run, model, analysis, prepared);
  if (std::holds_alternative<LoadCases>(analysis) && !read->load_cases.common.empty())
    run.log().line("in every load case, and once in every combination: {}", fmt::join(read->load_cases.common, ", "));
  Observer observer = observer_of(run, read, *prepared.equations, analysis);
  const auto* linear = std::get_if<Static>(&analysis);
  if (read->gradient)
    return solve_with_gradient(run, *read, analysis, std::move(observer), prepared,
                               [&](const TransientResult& result) { conclude(run, *read, result); });
  if (run.shared().batch != nullptr && linear != nullptr && model.means.empty())
    return run.shared().batch->add(run, *prepared.equations, read->supports, linear->linear, std::move(observer));
  std::visit([&](auto& a) { conclude(run, *read, solve(model, std::move(a), observer, prepared)); }, analysis);
}

}  // namespace ritz
