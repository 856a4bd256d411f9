#include "apps/ritz/deck_keywords.hpp"

#include "io/files/text_case.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace {

// CalculiX ignores blanks in keywords.
std::string joined(const std::string& keyword) {
  std::string word;
  std::ranges::copy_if(keyword, std::back_inserter(word), [](char c) { return c != ' '; });
  return word;
}

const std::map<std::string, std::set<std::string>>& parameters_by_keyword() {
  static const std::map<std::string, std::set<std::string>> known{
      {"MATERIAL", {"NAME"}},
      {"ELASTIC", {"TYPE"}},
      {"DENSITY", {}},
      {"CONDUCTIVITY", {"TYPE"}},
      {"SPECIFIC HEAT", {}},
      {"EXPANSION", {"TYPE", "ZERO"}},
      {"PLASTIC", {"HARDENING"}},
      {"CREEP", {"LAW"}},
      {"HYPERELASTIC", {"NEO HOOKE", "MOONEY-RIVLIN", "YEOH", "ARRUDA-BOYCE", "OGDEN", "N"}},
      {"ORIENTATION", {"NAME", "SYSTEM", "DEFINITION"}},
      {"SOLID SECTION", {"ELSET", "MATERIAL", "ORIENTATION"}},
      {"SHELL SECTION",
       {"ELSET", "MATERIAL", "ORIENTATION", "COMPOSITE", "LAYUP", "OFFSET", "SECTION INTEGRATION", "TEMPERATURE",
        "POISSON"}},
      {"BEAM SECTION", {"ELSET", "MATERIAL", "SECTION", "OFFSET1", "OFFSET2", "TEMPERATURE", "POISSON"}},
      {"BOUNDARY", {"OP", "TYPE"}},
      {"STEP", {"NAME", "INC", "INCF", "NLGEOM", "PERTURBATION", "AMPLITUDE", "UNSYMM", "EXTRAPOLATION"}},
      {"STATIC", {"SOLVER", "DIRECT", "TIME RESET", "TOTAL TIME AT START"}},
      {"VISCO", {"CETOL", "CREEP", "DIRECT", "SOLVER"}},
      {"FREQUENCY", {"SOLVER", "STORAGE", "GLOBAL", "EIGENSOLVER", "NORMALIZATION"}},
      {"HEAT TRANSFER", {"STEADY STATE", "SOLVER", "DIRECT", "DELTMX", "END"}},
      {"CLOAD", {"OP", "LOAD CASE"}},
      {"DLOAD", {"OP", "LOAD CASE"}},
      {"DSLOAD", {"OP", "LOAD CASE", "FOLLOWER"}},
      {"DFLUX", {"OP"}},
      {"DSFLUX", {"OP"}},
      {"SFILM", {"OP"}},
      {"SRADIATE", {"OP"}},
      {"FILM", {"OP"}},
      {"RADIATE", {"OP"}},
      {"INITIAL CONDITIONS", {"TYPE"}},
      {"TEMPERATURE", {"OP"}}};
  return known;
}

}  // namespace

bool is_harmless(const std::string& keyword) {
  static const std::set<std::string> words{
      // mesh and blocks
      "NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "HEADING", "PART", "ENDPART", "ASSEMBLY", "INSTANCE",
      "ENDINSTANCE", "ENDASSEMBLY", "ENDSTEP", "ENDLOADCASE", "PREPRINT", "NOPRINT", "DISPLAYBODY",
      // output
      "NODEFILE", "ELFILE", "NODEPRINT", "ELPRINT", "NODEOUTPUT", "ELEMENTOUTPUT", "CONTACTFILE", "CONTACTPRINT",
      "CONTACTOUTPUT", "SECTIONPRINT", "FACEPRINT", "OUTPUT", "FILEFORMAT", "RESTART", "MONITOR", "NODERESPONSE",
      "ENERGYOUTPUT", "ENERGYFILE", "ENERGYPRINT", "MODALOUTPUT", "MODALFILE", "MODALPRINT", "INTEGRATEDOUTPUT",
      "INCREMENTATIONOUTPUT", "FILTER", "PRINT",
      // increments and iterations, which a linear case does not have
      "TIMEPOINTS", "CONTROLS", "DIAGNOSTICS", "SOLUTIONTECHNIQUE", "SOLVERCONTROLS",
      // data of other cards, which are reported where they are used
      "TRANSFORM", "AMPLITUDE", "SURFACEINTERACTION", "SURFACEBEHAVIOR", "FRICTION", "GAPCONDUCTANCE", "DEPVAR",
      "DAMPING"};
  return words.contains(joined(keyword));
}

std::string unknown_parameters(const DeckCard& card) {
  const auto known = parameters_by_keyword().find(card.keyword);
  if (known == parameters_by_keyword().end()) return {};
  std::vector<std::string> unknown;
  for (const auto& [name, value] : card.parameters)
    if (!known->second.contains(name) && name != "INPUT") unknown.push_back(name);
  return fmt::format("{}", fmt::join(unknown, ", "));
}

const char* reason_without(const std::string& keyword) {
  for (const auto& [word, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"CONTACT", "contact is not in Ritz yet"},
           {"TIE", "it is not translated: write a [[tie]] (docs/joining.md)"},
           {"MOHR COULOMB", "it is not translated: write law = \"mohr_coulomb\" (docs/materials.md)"},
           {"CAP PLASTICITY", "it is not translated: write law = \"cap\" (docs/materials.md)"},
           {"CAP HARDENING", "it is not translated: write law = \"cap\" (docs/materials.md)"},
           {"RATE DEPENDENT", "it is not translated: write law = \"j2_rate\" with its rate (docs/materials.md)"},
           {"USER MATERIAL", "it is not translated: write umat = \"FILE.f\" (docs/materials.md)"},
           {"VISCOELASTIC", "it is not translated: write law = \"prony\" with [newton] durations (docs/materials.md)"},
           {"HYPERFOAM", "it is not translated: write law = \"hyperfoam\" (docs/materials.md)"},
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
           {"PHYSICAL CONSTANTS", "write [model] absolute_zero where there is radiation (docs/heat.md)"},
           {"BUCKLE", "buckling is not in Ritz yet"},
           {"RIKS", "arc length methods are not in Ritz yet"}})
    if (keyword.find(word) != std::string::npos) return why;
  return "Ritz does not know this card";
}

std::string integration_of(const std::string& type) {
  static const std::map<std::string, std::string> integrations{{"C3D20R", "reduced"},
                                                               {"CPS8R", "reduced"},
                                                               {"CPE8R", "reduced"},
                                                               {"CAX8R", "reduced"},
                                                               {"C3D8R", "reduced"},
                                                               {"C3D20", "full"},
                                                               {"CPS8", "full"},
                                                               {"CPE8", "full"},
                                                               {"CAX8", "full"},
                                                               {"C3D8", "full"},
                                                               {"CPS4", "full"},
                                                               {"CPE4", "full"},
                                                               {"C3D8I", "incompatible_modes"},
                                                               {"CAX4", "full"}};
  const auto found = integrations.find(type);
  return found == integrations.end() ? std::string{} : found->second;
}

std::string reason_against(const std::string& type, const DeckFacts& facts) {
  const DeckPhysics physics = facts.physics;
  static const std::set<std::string> solids{"C3D4", "C3D8", "C3D10", "C3D15", "C3D20", "CPS3", "CPS4", "CPS6", "CPS8",
                                            "CPE3", "CPE4", "CPE6",  "CPE8",  "CAX3",  "CAX4", "CAX6", "CAX8"};
  static const std::set<std::string> conductors{"DC3D4", "DC3D8", "DC3D10", "DC3D15", "DC3D20", "DC2D3", "DC2D4",
                                                "DC2D6", "DC2D8", "DCAX3",  "DCAX4",  "DCAX6",  "DCAX8"};
  static const std::set<std::string> structures{"S3", "S3R", "S4", "S4R", "B31", "T3D2"};
  if (type.empty() || (physics == DeckPhysics::frame ? structures : solids).contains(type)) return {};
  if (physics == DeckPhysics::heat && conductors.contains(type)) return {};
  if (physics == DeckPhysics::frame && solids.contains(type))
    return fmt::format("{}: solids next to shells and beams are not in Ritz yet", type);
  const std::string head = type.substr(0, type.size() - 1), integration = integration_of(type);
  const bool of_small = type == "C3D8R" && facts.is_nonlinear(), of_large = type == "C3D8I" && facts.large;
  const bool is_static = !facts.is_heat() && facts.modes == 0;
  if (of_small || of_large || ((type == "C3D8R" || type == "C3D8I") && !is_static))
    return fmt::format(
        "{} is translated in static analyses{} with small displacements alone: write {} for the plain element, or "
        "[[material]] integration (docs/materials.md)",
        type, type == "C3D8R" ? " of linear materials" : "", head);
  if (!integration.empty() && facts.integrations.size() == 1) return {};
  if (!integration.empty())
    for (const auto& [other, of_type] : facts.integrations)
      if (other != integration)
        return fmt::format(
            "{} stands next to {}, which is integrated in another way: a translated case has one rule for all, "
            "[[material]] integration",
            type, of_type);
  if (type.ends_with("R") && solids.contains(head))
    return fmt::format(
        "{} is integrated with fewer points than the cells of Ritz, so results differ: write {} if these are wanted",
        type, head);
  if (type == "C3D6" || type == "DC3D6")
    return fmt::format("{} is integrated with two points, the wedge of Ritz with more, so results differ", type);
  if (type.ends_with("I") && solids.contains(head))
    return fmt::format(
        "{} has incompatible modes of its layer of hexahedra: write {} for the plain element, or [[material]] "
        "integration (docs/materials.md)",
        type, head);
  return fmt::format("elements of type {} are not translated", type);
}

std::string family_of(const std::string& keyword) {
  if (keyword == "DLOAD" || keyword == "DSLOAD") return "DLOAD";
  if (keyword == "DFLUX" || keyword == "DSFLUX") return "DFLUX";
  return keyword;
}

}  // namespace ritz
