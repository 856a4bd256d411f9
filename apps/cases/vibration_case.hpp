// Free vibration as a case says it: of bodies with materials, or of structures with sections.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Errors of the case are added to run.input(). The run must outlive the model.
CaseModel read_vibration(Run& run);

}  // namespace ritz
