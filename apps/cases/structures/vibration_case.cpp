#include "apps/cases/structures/vibration_case.hpp"

#include "apps/cases/elastic_case.hpp"
#include "apps/cases/structures/structure_case.hpp"

namespace ritz {

CaseModel read_vibration(Run& run) {
  const char* about = "sections of a structure: beams, bars, springs, shells; without any, bodies with materials";
  CaseModel read =
      run.input().tables("section", about).empty() ? read_elastic_vibration(run) : read_structure_vibration(run);
  read.modes = true;
  return read;
}

bool has_preload(Case& input) {
  return input.table("modal", "number, method and output of the modes")
      .flag("preload", "modes about the static equilibrium under the loads of the case, with the stress of that state",
            false);
}

}  // namespace ritz
