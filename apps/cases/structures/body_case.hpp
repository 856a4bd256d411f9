// Solids, beams, bars and shells in one case: materials of volumes, sections of lines and surfaces, one table of each
// load and support for all of them.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Reads a case with [[material]]s and [[section]]s, whose mesh has volumes among lines and surfaces in space. Errors of
// the case are added to run.input().
CaseModel read_body(Run& run);
CaseModel read_body_vibration(Run& run);  // its free vibration

}  // namespace ritz
