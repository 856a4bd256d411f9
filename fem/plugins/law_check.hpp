// Checks of a law of materials at one point of a CPU, for laws by name, of C++ and of user subroutines alike: along
// paths of displacement gradients at random its moduli are the derivatives of its stress, and symmetric where it claims
// that; turning the body, or an isotropic material, turns the stress; and closed paths of strain from rest return no
// work, as the second law of thermodynamics demands where the energy is least at rest.
//
//   for (const LawFinding& each : check_law(cpu, NeoHooke{1e6, 0.3}, true)) ...
#pragma once

#include "fem/plugins/law_at_point.hpp"

namespace ritz {

struct LawCheckOptions {
  double strain = 0.01;    // of the paths
  double duration = 1;     // [s] of each, for laws that depend on time
  double temperature = 0;  // for laws that depend on it
  int paths = 4, steps = 12;
};

struct LawFinding {
  std::string name;       // of the fact
  double worst, allowed;  // relative
  bool holds() const { return worst <= allowed; }
};

// Throws Error: Exit::model as LawAtPoint does.
std::vector<LawFinding> check_law(const Device& cpu, const MaterialLaw& law, bool large,
                                  const LawCheckOptions& options = {});

}  // namespace ritz
