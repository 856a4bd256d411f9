#include "apps/analyses/analyses.hpp"

#include "apps/analyses/forecast.hpp"
#include "apps/analyses/gradient.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/results/checkpoint_states.hpp"
#include "apps/results/derived_fields.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/operator/task_plans.hpp"
#include "fem/space/dependent_unknowns.hpp"
#include "fem/ranks/own_fields.hpp"
#include "fem/ranks/divisible.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace ritz {

std::vector<Integral> integrals_of(const Model& model, const CaseAnalysis& analysis) {
  using Rates = CaseAnalysis::Rates;
  if (analysis.rates() == Rates::among) return with_rates(model);
  std::vector<Integral> all = model.equations;
  if (analysis.rates() == Rates::beside) all.insert(all.end(), model.inertia.begin(), model.inertia.end());
  return all;
}

Index CaseAnalysis::host_of_shown(Run& run, const CaseModel& read, const Forecast& foreseen) const {
  return foreseen.host_of_columns +
         host_of_results(run.results(), read.space(), integrals_of(read.model, *this), foreseen.results);
}

namespace {

// In the order in which a case is asked for them. A new analysis is one more row.
constexpr ReadAnalysis* rows[] = {
    harmonic_analysis,     random_analysis,    spectrum_analysis, history_analysis,        complex_analysis,
    substructure_analysis, modal_analysis,     buckling_analysis, inertia_relief_analysis, transient_analysis,
    nonlinear_analysis,    load_case_analysis, static_analysis};

// Members of a sweep share operators, and what linear systems leave for the next.
Prepared prepared_for(Run& run, const CaseModel& read) {
  return {.supports = read.supports.get(), .cache = run.shared().sweeps ? &run.shared().reuse : nullptr};
}

void make_operators(Run& run, const Model& model, const CaseAnalysis& analysis, Prepared& prepared) {
  if (analysis.rates() != CaseAnalysis::Rates::beside) {
    prepared.equations = &make_operator(run, model.space, integrals_of(model, analysis), analysis.linear());
    return;
  }
  prepared.equations = &make_operator(run, model.space, model.equations);
  prepared.rates = &make_operator(run, model.space, model.inertia);
}

// Operators and supports of a model that has fields; none where the case is wrong, to whose errors theirs are added.
std::unique_ptr<FieldsOfModel> make_fields(Run& run, const Model& model, const CaseAnalysis& analysis) {
  Case& input = run.input();
  if (!model.has_fields() || run.options().survey || run.options().describe || !input.sound()) return nullptr;
  auto phase = run.phase("space");
  try {
    auto fields = std::make_unique<FieldsOfModel>(fields_of(model, analysis.rates()));
    if (analysis.demands().held) check_held(*fields);
    return fields;
  } catch (const Errors& errors) {
    for (const Error& error : errors.list()) input.add_error(error);
  } catch (const Error& error) { input.add_error(error); }
  return nullptr;
}

// Loads of size zero are legal, and seldom meant.
void report_zero(Run& run, const Vector& u, const std::string& load_case) {
  if (!std::ranges::all_of(u.host(), [](double value) { return value == 0; })) return;
  const std::string notice =
      load_case.empty() ? std::string("the solution is zero everywhere: what acts on the model is zero")
                        : fmt::format("the solution of '{}' is zero everywhere: what acts in it is zero", load_case);
  run.log().notice(notice);
}

// A step of the run, read and checked.
struct RunStep {
  CaseStep step;
  std::shared_ptr<const CaseModel> read;
  std::unique_ptr<CaseAnalysis> analysis;
  Prepared prepared;
  std::unique_ptr<FieldsOfModel> fields;
};

// How far the run is: for its checkpoints.
struct RunProgress {
  int written = 0;  // results
  StepProgress step;
};

void keep(Run& run, const RunProgress& progress, const State& state) {
  CheckpointState checkpoint = checkpoint_of(state, progress.written);
  put(progress.step, checkpoint);
  run.results().keep(std::move(checkpoint));
}

Observer observer_of(Run& run, const RunStep& step, RunProgress& progress) {
  const auto& [place, read, analysis, prepared, fields] = step;
  const Index unknowns =
      prepared.fields != nullptr ? prepared.fields->equations->layout().total() : read->space().unknown_count();
  const auto part = std::make_shared<std::string>();  // load case or combination
  Observer observer{
      .show =
          [&run, read, prepared, &progress, loaded = analysis->demands().loaded, part](const SolutionView& s) {
            if (loaded) report_zero(run, s.u, *part);
            if (prepared.fields != nullptr) read->show_fields(run, *prepared.fields, s);
            else read->show(run, *read, *prepared.equations, s);
            for (const MovedRegion& each : read->moved)
              each.report(run, s, layout_of(read->model.spaces()).part(s.u, each.field).host());
            if (run.step().writes_fields) ++progress.written;
          },
      .record = [&run, unknowns](const SolveReport& report) { run.results().record(report, unknowns); },
      .enter =
          [&run, part](const std::string& name, bool combination) {
            *part = name;
            if (combination) run.results().begin_combination(name);
            else run.results().begin_load_case(name);
          },
      .keep =
          [&run, &progress](const State& s) {
            progress.step.is_within = true;
            keep(run, progress, s);
          },
      .progress = run.progress(),
      .spare = [&run] { run.results().give_back(); }};
  analysis->follow(run.log(), observer);
  return observer;
}

// Throws Error: Exit::environment for what several ranks do not solve together, before anything is solved or written.
void require_divisible(Run& run, const CaseModel& read, const CaseAnalysis& analysis) {
  const Ranks* const ranks = run.options().ranks;
  if (ranks == nullptr || run.options().describe) return;
  if (!run.input().sound()) return;  // what is wrong comes first
  const LinearSolverOptions* const linear = analysis.linear();
  if (!read.model.has_fields())
    check_divisible(Operator(read.space(), integrals_of(read.model, analysis), ElementLists::when_needed),
                    linear != nullptr ? *linear : LinearSolverOptions(), *ranks);
}

void require_divisible(Run& run, const FieldsOfModel& fields) {
  const Ranks* const ranks = run.options().ranks;
  if (ranks != nullptr) check_divisible(*fields.equations, *ranks);
}

}  // namespace

std::unique_ptr<CaseAnalysis> read_analysis(Run& run, CaseModel& read) {
  CaseSolvers solvers(run, read);
  for (ReadAnalysis* row : rows)
    if (std::unique_ptr<CaseAnalysis> analysis = row(run, read, solvers)) return analysis;
  throw Error(ErrorKind::internal, "a case without an analysis", "linear statics are the last row of the table",
              "please report it with the case file");
}

namespace {

RunStep read_step(Run& run, const CaseStep& place, CaseReader* reader) {
  run.enter(place);
  RunStep step{.step = place};
  CaseModel given = reader(run);
  for (const Field& field : given.model_fields) given.nodal_results.push_back({field.name, field.components});
  step.analysis = read_analysis(run, given);
  require_divisible(run, given, *step.analysis);
  if (given.gradient) {
    check_gradient(run, given, *step.analysis);
    SplitFields fields = gradient_results(given);
    std::ranges::move(fields.nodal, std::back_inserter(given.nodal_results));
    std::ranges::move(fields.cells, std::back_inserter(given.cell_results));
  }
  step.read = std::make_shared<const CaseModel>(std::move(given));
  const Model& model = step.read->model;
  try {
    step.analysis->check(model);
  } catch (const Error& error) { run.input().add_error(error); }
  step.prepared = prepared_for(run, *step.read);
  step.fields = make_fields(run, model, *step.analysis);
  step.prepared.fields = step.fields.get();
  if (step.fields) require_divisible(run, *step.fields);
  return step;
}

// The space knows what the constraints of one step join: from here on those of this one.
void couple_nodes(const CaseModel& read) {
  if (!read.supports || read.model.has_fields()) return;
  const Constraints& supports = read.supports->common();
  const DependentUnknowns* dependent = supports.dependent();
  read.space().couple(dependent != nullptr ? dependent->couplings(supports.host_mask()) : nullptr);
}

// A run of several steps takes what the largest takes.
void keep_larger(RunForecast of_before, std::vector<RunForecast>& foreseen) {
  const auto same = std::ranges::find(foreseen, of_before.path, &RunForecast::path);
  if (same == foreseen.end()) return foreseen.push_back(std::move(of_before));
  const std::int64_t host = std::max(same->host_peak, of_before.host_peak);
  const bool fits = same->fits && of_before.fits;
  if (of_before.device_peak > same->device_peak) *same = std::move(of_before);
  same->host_peak = host;
  same->fits = fits;
}

// One HDF5 file has the same fields in all of its steps.
void require_same_fields(Run& run, const std::vector<RunStep>& steps) {
  if (!run.results().writes_hdf5()) return;
  const auto names = [](const RunStep& step) {
    std::set<std::string> all;
    for (const std::vector<Field>* fields : {&step.read->nodal_results, &step.read->cell_results})
      for (const Field& each : *fields) all.insert(each.name);
    return all;
  };
  const RunStep* first = nullptr;
  for (const RunStep& step : steps) {
    if (!step.step.writes_fields) continue;
    if (first == nullptr) first = &step;
    if (names(step) == names(*first)) continue;
    run.input()
        .table("output", "")
        .error(ErrorKind::step, "format",
               fmt::format("the format vtkhdf, and the steps '{}' and '{}' have other fields", first->step.name,
                           step.step.name),
               "one HDF5 file has the same fields in all of its steps",
               "use format = \"vtu\", or fields = \"none\" in one");
    return;
  }
}

// Reads, forecasts and checks all steps, and ends the run where no more is asked for.
std::vector<RunStep> read_all(Run& run, CaseReader* reader) {
  std::vector<RunStep> steps;
  std::vector<Field> nodal, cells;
  const auto add = [](const std::vector<Field>& from, std::vector<Field>& to) {
    for (const Field& each : from)
      if (std::ranges::find(to, each.name, &Field::name) == to.end()) to.push_back(each);
  };
  double begin = 0;
  std::vector<RunForecast>& foreseen = run.report().forecast;
  for (CaseStep& place : steps_of(run.input(), run.options().survey.has_value())) {
    place.begin = begin;
    if (place.is_of_steps()) run.log().line("reading step '{}'", place.name);
    steps.push_back(read_step(run, place, reader));
    const auto& [step, read, analysis, prepared, fields] = steps.back();
    begin = analysis->end_of(place);
    if (place.continues()) couple_nodes(*read);
    std::vector<RunForecast> before = std::exchange(foreseen, {});
    forecast(run, *read, *analysis, prepared);
    for (RunForecast& each : before) keep_larger(std::move(each), foreseen);
    check_model(run, *read, analysis->demands());
    add(read->nodal_results, nodal);
    add(read->cell_results, cells);
  }
  require_same_fields(run, steps);
  run.checked({nodal, cells});
  return steps;
}

// Loads and prescribed values of a step that does not go through time are those at its end.
void set_time_at_end(const RunStep& step) {
  if (!step.step.is_of_steps() || step.read->time) return;
  const double end = step.analysis->end_of(step.step);
  if (step.fields) {
    step.fields->equations->inputs().set_time({end, 0});
    if (step.fields->supports->varies_in_time()) step.fields->supports->set_time(end);
    return;
  }
  step.prepared.equations->inputs().set_time({end, 0});
  if (step.prepared.rates != nullptr) step.prepared.rates->inputs().set_time({end, 0});
  for (Constraints* each : step.read->supports->all())
    if (each->varies_in_time()) each->set_time(end);
}

// Reports those of several fields, whose operators are not among the equations that the run shares.
void report_steps_down(Run& run, const FieldsOperator& equations) {
  const auto report = [&](TaskPlans& plans) {
    for (const std::string& each : plans.take_steps_down()) run.results().step_down(each);
  };
  report(equations.plans());
  for (int field = 0; field < equations.field_count(); ++field)
    if (const Operator* const one = equations.of_field(field)) report(one->plans());
}

State solve_step(Run& run, RunStep& step, StepBegin begin, RunProgress& progress) {
  const Model& model = step.read->model;
  run.enter(step.step);
  run.results().carry(step.read->model_fields);
  if (step.step.is_of_steps())
    run.results().begin_step(step.step.name, step.step.writes_fields, step.analysis->end_of(step.step));
  if (step.step.continues()) couple_nodes(*step.read);
  step.analysis->begin(*step.read, std::move(begin));
  if (!step.fields) make_operators(run, model, *step.analysis, step.prepared);
  set_time_at_end(step);
  State end = step.analysis->solve(run, *step.read, observer_of(run, step, progress), step.prepared);
  if (step.fields) report_steps_down(run, *step.fields->equations);
  return end;
}

// The equations of the next step may have other parts.
void carry_points(const RunStep& step, const RunStep& next, State& end) {
  if (end.points.empty() || step.fields || next.fields) return;
  const Operator coming(next.read->space(), integrals_of(next.read->model, *next.analysis));
  end.points = carried(*step.prepared.equations, end.points, coming);
}

}  // namespace

void run_case(Run& run, CaseReader* reader) {
  std::vector<RunStep> steps = read_all(run, reader);
  RunProgress progress;
  std::optional<State> within;
  if (const std::optional<CheckpointState>& resumed = run.results().resumed()) {
    progress = {resumed->steps, step_progress_of(*resumed)};
    if (progress.step.is_within) within = state_of(*resumed);
    for (LoadCaseOutcome& each : progress.step.done) run.results().take_step(each);
  }
  std::shared_ptr<const CaseModel> first;  // of fields: results of all steps are on cells of its spaces
  for (RunStep& step : steps) {
    if (step.step.number < progress.step.number) continue;
    if (first == nullptr && step.fields) first = step.read;
    if (step.step.continues() && !within)
      keep(run, progress, {.place = fmt::format("step '{}'", progress.step.done.back().name)});
    State end = solve_step(run, step, {step.step, progress.step.from, std::exchange(within, {})}, progress);
    if (step.step.is_last()) return;
    carry_points(step, steps[step.step.number + 1], end);
    progress.step = {step.step.number + 1, false, std::move(end), run.report().steps};
    step = {.step = step.step};
    run.shared().forget_equations();
  }
}

}  // namespace ritz
