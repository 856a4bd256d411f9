// Free vibration of bodies with materials, or of structures with sections: a case of ritz-modal.
#pragma once

#include "apps/cases/case_model.hpp"

namespace ritz {

CaseModel read_vibration(Run& run);

}  // namespace ritz
