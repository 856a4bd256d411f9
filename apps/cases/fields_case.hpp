// Cases of ritz-solve: of one field at nodes (apps/cases/form_case.hpp), or of a form of several fields, or one of
// facets or edges: its materials, loads, prescribed values and initial values of each field.
//
//   run_case(run, read_form_case);
#pragma once

#include "apps/cases/form_case.hpp"

namespace ritz {

// Errors of the case are added to run.input().
CaseModel read_fields(Run& run, const FormOfCase& form);

CaseModel read_form_case(Run& run);  // of one field or of several

}  // namespace ritz
