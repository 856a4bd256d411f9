#include "apps/analyses/analyses.hpp"

#include "apps/analyses/forecast.hpp"
#include "apps/analyses/gradient.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/results/checkpoint_states.hpp"
#include "apps/results/derived_fields.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/ranks/fields_of_rank.hpp"
#include "fem/ranks/divided_system.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
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
constexpr ReadAnalysis* rows[] = {modal_analysis, transient_analysis, nonlinear_analysis, load_case_analysis,
                                  static_analysis};

// Members of a sweep share operators, and what linear systems leave for the next.
Prepared prepared_for(Run& run, const CaseModel& read) {
  return {.supports = read.supports.get(), .cache = run.shared().sweeps ? &run.shared().reuse : nullptr};
}

void make_operators(Run& run, const Model& model, const CaseAnalysis& analysis, Prepared& prepared) {
  if (analysis.rates() != CaseAnalysis::Rates::beside) {
    prepared.equations = &make_operator(run, *model.space, integrals_of(model, analysis), analysis.linear());
    return;
  }
  prepared.equations = &make_operator(run, *model.space, model.equations);
  prepared.rates = &make_operator(run, *model.space, model.inertia);
}

// Operators and supports of a model that has fields; none where the case is wrong, to whose errors theirs are added.
std::optional<FieldsOfModel> make_fields(Run& run, const Model& model, const CaseAnalysis& analysis) {
  Case& input = run.input();
  if (!model.has_fields() || run.options().survey || run.options().describe || !input.sound()) return std::nullopt;
  auto phase = run.phase("space");
  try {
    return fields_of(model, analysis.rates());
  } catch (const Errors& errors) {
    for (const Error& error : errors.list()) input.add_error(error);
  } catch (const Error& error) { input.add_error(error); }
  return std::nullopt;
}

// Loads of size zero are legal, and seldom meant.
void report_zero(Run& run, const Vector& u, const std::string& load_case) {
  if (!std::ranges::all_of(u.host(), [](double value) { return value == 0; })) return;
  const std::string notice =
      load_case.empty() ? std::string("the solution is zero everywhere: what acts on the model is zero")
                        : fmt::format("the solution of '{}' is zero everywhere: what acts in it is zero", load_case);
  run.log().notice(notice);
}

Observer observer_of(Run& run, const std::shared_ptr<const CaseModel>& read, const Prepared& prepared,
                     const CaseAnalysis& analysis) {
  const Index unknowns =
      prepared.fields != nullptr ? prepared.fields->equations->layout().total() : read->space().unknown_count();
  const auto written = std::make_shared<int>(run.results().resumed() ? run.results().resumed()->steps : 0);
  const auto part = std::make_shared<std::string>();  // load case or combination
  Observer observer{
      .show =
          [&run, read, prepared, written, loaded = analysis.demands().loaded, part](const SolutionView& s) {
            if (loaded) report_zero(run, s.u, *part);
            if (prepared.fields != nullptr) read->show_fields(*prepared.fields, s);
            else read->show(*read, *prepared.equations, s);
            if (read->tell) read->tell(s);
            ++*written;
          },
      .record = [&run, unknowns](const SolveReport& report) { run.results().record(report, unknowns); },
      .enter =
          [&run, part](const std::string& name, bool combination) {
            *part = name;
            if (combination) run.results().begin_combination(name);
            else run.results().begin_load_case(name);
          },
      .keep = [&run, written](const State& s) { run.results().keep(checkpoint_of(s, *written)); },
      .progress = run.progress(),
      .spare = [&run] { run.results().give_back(); }};
  analysis.follow(run.log(), observer);
  return observer;
}

// Throws Error(Exit::environment) for what several ranks do not solve together, before anything is solved or written.
void require_divisible(Run& run, const CaseModel& read, const CaseAnalysis& analysis) {
  const Ranks* const ranks = run.options().ranks;
  if (ranks == nullptr || run.options().describe) return;
  if (!run.input().sound()) return;  // what is wrong comes first
  const LinearSolverOptions* const linear = analysis.linear();
  if (!read.model.has_fields())
    check_divisible(Operator(read.space(), integrals_of(read.model, analysis)),
                    linear != nullptr ? *linear : LinearSolverOptions(), *ranks);
}

void require_divisible(Run& run, const FieldsOfModel& fields, const CaseAnalysis& analysis) {
  const Ranks* const ranks = run.options().ranks;
  if (ranks != nullptr) check_divisible(fields, analysis.rates(), *ranks);
}

}  // namespace

std::unique_ptr<CaseAnalysis> read_analysis(Run& run, CaseModel& read) {
  CaseSolvers solvers(run, read);
  for (ReadAnalysis* row : rows)
    if (std::unique_ptr<CaseAnalysis> analysis = row(run, read, solvers)) return analysis;
  throw Error(Exit::internal, "a case without an analysis", "linear statics are the last row of the table",
              "please report it with the case file");
}

void run_case(Run& run, CaseModel given) {
  for (const Field& field : given.model_fields) given.nodal_results.push_back({field.name, field.components});
  run.results().carry(given.model_fields);
  const std::unique_ptr<CaseAnalysis> analysis = read_analysis(run, given);
  require_divisible(run, given, *analysis);
  if (given.gradient) {
    check_gradient(run, given, *analysis);
    SplitFields fields = gradient_results(given);
    std::ranges::move(fields.nodal, std::back_inserter(given.nodal_results));
    std::ranges::move(fields.cells, std::back_inserter(given.cell_results));
  }
  const auto read = std::make_shared<const CaseModel>(std::move(given));
  const Model& model = read->model;
  try {
    analysis->check(model);
  } catch (const Error& error) { run.input().add_error(error); }
  Prepared prepared = prepared_for(run, *read);
  const std::optional<FieldsOfModel> fields = make_fields(run, model, *analysis);
  if (fields) prepared.fields = &*fields;
  if (fields) require_divisible(run, *fields, *analysis);
  forecast(run, *read, *analysis, prepared);
  finish_model(run, *read, analysis->demands(), {read->nodal_results, read->cell_results});

  const std::optional<CheckpointState>& resumed = run.results().resumed();
  analysis->begin(*read, resumed ? std::optional(state_of(*resumed)) : std::nullopt);
  if (!fields) make_operators(run, model, *analysis, prepared);
  analysis->solve(run, *read, observer_of(run, read, prepared, *analysis), prepared);
}

}  // namespace ritz
