// Statics of a case whose form has several fields: the forecast, the checks, the solution, and its results.
#pragma once

#include "apps/cases/mixed_case.hpp"

namespace ritz {

void run_mixed_case(Run& run, const MixedCase& read);

// A case of ritz-solve: of one field, by the analysis that it asks for, or of several.
void run_form_case(Run& run);

}  // namespace ritz
