// An analysis that a case asks for: its options as the case has them, its check, forecast, solution and report. Each is
// a class in a file of this folder, of which a function in the table of apps/analyses/analyses.cpp makes one; nothing
// else knows which analyses there are.
//
//   const std::unique_ptr<CaseAnalysis> analysis = read_analysis(run, read);   analysis->check(read.model);
#pragma once

#include "apps/analyses/newton.hpp"
#include "apps/cases/case_model.hpp"
#include "apps/cases/model.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/fields_of_model.hpp"
#include "fem/analysis/forecast.hpp"
#include "fem/analysis/step.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// The options of an analysis whose derivatives the library knows; all null: they are not known.
struct Differentiable {
  const Static* linear = nullptr;
  const LoadCases* load_cases = nullptr;
  const Nonlinear* nonlinear = nullptr;  // from Python alone
  const Transient* evolution = nullptr;
};

// How a step begins.
struct StepBegin {
  CaseStep step = {};
  State from = {};                    // the end of the step before; without u: there is none
  std::optional<State> resumed = {};  // within the step, of the run that is resumed
};

class CaseAnalysis {
 public:
  using Rates = FieldsOfModel::Rates;
  virtual ~CaseAnalysis() = default;

  // The difference from linear statics, for messages: "[time]"; empty: none.
  virtual std::string beyond_linear_statics() const { return ""; }
  virtual const LinearSolverOptions* linear() const { return nullptr; }  // null: it has another solver
  virtual Differentiable differentiable() const { return {}; }
  virtual ModelDemands demands() const { return {.held = true, .loaded = true}; }
  // Throws Error: Exit::model where the analysis makes no sense for the model.
  virtual void check(const Model& model) const = 0;

  // The inertia or the capacity of the model, where the analysis takes one.
  virtual Rates rates() const { return Rates::none; }
  virtual Forecast forecast(Run& run, const CaseModel& read, const Prepared& prepared) const = 0;
  // Memory of the device in addition to that of one linear system, for a model that has fields.
  virtual MemoryNeeds beside_system(const FieldsOfModel& /*fields*/) const { return {}; }
  // [bytes] of results on the host, while they are written.
  virtual Index host_of_shown(Run& run, const CaseModel& read, const Forecast& foreseen) const;

  // On the time line of the run.
  virtual double end_of(const CaseStep& step) const { return step.begin + step.duration; }
  virtual void begin(const CaseModel& /*read*/, StepBegin /*begin*/) {}
  // Adds lines about its steps to the log.
  virtual void follow(Log& /*log*/, Observer& /*observer*/) const {}
  // Solves with the gradient where the case asks for one, and reports what solutions do not show. Returns the state at
  // the end where another step follows.
  virtual State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) = 0;
};

// The integrals of one field that the analysis evaluates.
std::vector<Integral> integrals_of(const Model& model, const CaseAnalysis& analysis);

// Returns null where the case does not ask for this analysis.
using ReadAnalysis = std::unique_ptr<CaseAnalysis>(Run& run, CaseModel& read, CaseSolvers& solvers);
ReadAnalysis harmonic_analysis, random_analysis, spectrum_analysis, history_analysis, complex_analysis,
    substructure_analysis, modal_analysis, buckling_analysis, inertia_relief_analysis, transient_analysis,
    nonlinear_analysis, load_case_analysis, static_analysis;

}  // namespace ritz
