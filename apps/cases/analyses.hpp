// The analyses that a case may ask for, whatever its physics: the forecast, the checks, the solution, and its results.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Statics: linear with load cases, where equations are linear and no load path is asked for; else Newton's method
// ([newton]). Members of a sweep that are linear wait for each other (apps/cases/static_batch.hpp).
void solve_case(Run& run, CaseModel read);

// Free vibration ([modal]) of a model with inertia.
void find_modes(Run& run, CaseModel read);

}  // namespace ritz
