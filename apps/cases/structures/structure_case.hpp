// Frames, trusses and shells as a case says them: sections, springs, supports, loads.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Errors of the case are added to run.input().
CaseModel read_structure(Run& run);
// For free vibration: with inertia, and without loads.
CaseModel read_structure_vibration(Run& run);

}  // namespace ritz
