// The analyses that a case may ask for, whatever its physics: the forecast, the checks, the solution, and its results.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/analysis.hpp"

#include <variant>

namespace ritz {

// A new analysis is one more alternative: its keys in read_analysis(), its results in conclude().
using Analysis = std::variant<Static, LoadCases, Nonlinear, Transient, Modal>;

// The analysis that the case asks for, with its keys.
Analysis read_analysis(Run& run, CaseModel& read);

// Modes, where they are asked for; an evolution of a case with [time]; linear statics, with load cases, where equations
// are linear and no load path is asked for; else Newton's method ([newton]). Members of a sweep that are linear wait
// for each other (apps/analyses/static_batch.hpp).
void run_case(Run& run, CaseModel read);

}  // namespace ritz
