// Forecast of memory and time of a run, printed by --check in a line and by --estimate as tables, before anything is
// solved.
#pragma once

#include "apps/analyses/analyses.hpp"

namespace ritz {

// Does nothing without --check or --estimate.
void forecast(Run& run, const CaseModel& read, const Analysis& analysis, const Prepared& prepared);

}  // namespace ritz
