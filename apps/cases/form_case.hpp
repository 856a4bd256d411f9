// The equations of any form that is known by name, of Ritz or of a plugin, as a case says them.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Errors of the case are added to run.input(). The run must outlive the model.
CaseModel read_form(Run& run);

}  // namespace ritz
