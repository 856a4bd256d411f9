// Small-strain elasticity of solids, plane and axisymmetric bodies as a case says it: materials, loads, prescribed
// displacements.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

// Errors of the case are added to run.input().
CaseModel read_elasticity(Run& run);
// For free vibration: with inertia, and without loads.
CaseModel read_elastic_vibration(Run& run);

}  // namespace ritz
