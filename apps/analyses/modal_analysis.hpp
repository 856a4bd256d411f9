// [modal] of a case: modes of free vibration, whatever its physics.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/analysis.hpp"

namespace ritz {

// Sets how the modes are shown, and the names of the results.
Modal read_modal(Run& run, CaseModel& read);

// Free vibration of bodies with materials, or of structures with sections.
CaseModel read_vibration(Run& run);

}  // namespace ritz
