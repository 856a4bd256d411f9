// The analyses that a case may ask for, whatever its physics: the forecast, the checks, the solution, and its results.
#pragma once

#include "apps/analyses/case_analysis.hpp"

namespace ritz {

// The analysis that the case asks for, with its keys.
std::unique_ptr<CaseAnalysis> read_analysis(Run& run, CaseModel& read);

// The steps of a case one after the other, or the case as its one step. Each is modes, where they are asked for; an
// evolution with [time]; linear statics, with load cases, where equations are linear and no load path is asked for;
// else Newton's method ([newton]). All steps are read, checked and forecast before the first is solved. Members of a
// sweep that are linear wait for each other (apps/analyses/static_batch.hpp).
using CaseReader = CaseModel(Run&);
void run_case(Run& run, CaseReader* reader);

}  // namespace ritz
