#include "apps/cases/structures/vibration_case.hpp"

#include "apps/cases/elastic_case.hpp"
#include "apps/cases/structures/structure_case.hpp"

namespace ritz {

CaseModel read_vibration(Run& run) {
  const char* about = "sections of a structure: beams, bars, springs, shells; without any, bodies with materials";
  return run.input().tables("section", about).empty() ? read_elastic_vibration(run) : read_structure_vibration(run);
}

}  // namespace ritz
