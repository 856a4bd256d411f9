#include "apps/ritz/deck_keywords.hpp"

#include <initializer_list>
#include <utility>

namespace ritz {

const char* reason_without(const std::string& keyword) {
  for (const auto& [word, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"CONTACT", "contact is not in Ritz yet"},
           {"FRICTION", "contact is not in Ritz yet"},
           {"TIE", "it is not translated: write a [[tie]] (docs/joining.md)"},
           {"PLASTIC", "plasticity is in ritz-solve: form = \"von_mises_plasticity\""},
           {"HYPERELASTIC", "rubber is a form by its energy in ritz-solve"},
           {"EQUATION", "it is not translated: write an [[equation]] (docs/joining.md)"},
           {"MPC", "it is not translated: [[equation]] and [[rigid]] relate nodes (docs/joining.md)"},
           {"COUPLING",
            "it is not translated: write a [[rigid]], or a [[force]] with 'at' and 'moment' (docs/joining.md)"},
           {"RIGID BODY", "it is not translated: write a [[rigid]] (docs/joining.md)"},
           {"DYNAMIC", "the case is static; [time] would follow the motion (docs/motion.md)"},
           {"LOAD CASE",
            "the loads of all load cases of the step are added up: give each a [[load_case]] (docs/load-cases.md)"},
           {"TRANSFORM",
            "the case has no supports and forces along its axes: write [[displacement]] with 'direction' or "
            "'cylindrical' (docs/joining.md)"},
           {"INITIAL CONDITIONS", "initial stresses are not in Ritz, and other states at the begin are not translated"},
           {"PHYSICAL CONSTANTS", "write [model] absolute_zero where there is radiation (docs/heat.md)"},
           {"BUCKLE", "buckling is not in Ritz yet"},
           {"AMPLITUDE", "loads are taken at their full value"},
           {"TEMPERATURE", "it is not translated: write a [thermal] with this temperature (docs/thermal.md)"}})
    if (keyword.find(word) != std::string::npos) return why;
  return "not read";
}

std::string family_of(const std::string& keyword) {
  if (keyword == "DLOAD" || keyword == "DSLOAD") return "DLOAD";
  if (keyword == "DFLUX" || keyword == "DSFLUX") return "DFLUX";
  return keyword;
}

}  // namespace ritz
