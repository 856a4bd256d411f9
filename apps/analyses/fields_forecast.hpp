// Forecast of a model that has fields. That of linear statics is complete; of other analyses it has one linear system
// and the vectors in addition, and says so.
#pragma once

#include "apps/analyses/case_analysis.hpp"

namespace ritz {

// To the log and the report, the path that is tried first before the others. Private to apps/analyses/forecast.cpp.
void forecast_fields(Run& run, const CaseAnalysis& analysis, const FieldsOfModel& fields);

}  // namespace ritz
