#include "apps/cases/structures/vibration_case.hpp"

#include "apps/cases/elastic_case.hpp"
#include "apps/cases/structures/structure_case.hpp"

namespace ritz {

CaseModel read_vibration(Run& run) {
  const char* about = "sections of a structure: beams, bars, springs, shells; without any, bodies with materials";
  return run.input().tables("section", about).empty() ? read_elastic_vibration(run) : read_structure_vibration(run);
}

bool has_preload(Run& run) {
  const Case::Table t = run.input().table("modal", "number, method and output of the modes");
  const bool preload =
      t.flag("preload", "modes about the static equilibrium under the loads of the case, with the stress of that state",
             false);
  if (!preload || !run.step().continues()) return preload;
  t.error("preload", "a preload in a step after the first", "its modes are about the state of the step before",
          "omit it");
  return false;
}

}  // namespace ritz
