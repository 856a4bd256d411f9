// Heat conduction as a case says it: materials, sources, fluxes, powers, convection, prescribed temperatures.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Errors of the case are added to run.input().
CaseModel read_heat(Run& run);

}  // namespace ritz
