// Modes as a table in the log, facts in the report, and fields in files.
#pragma once

#include "apps/results/results.hpp"
#include "fem/analysis/vibration.hpp"

#include <string>

namespace ritz {

struct ModeShapes {
  bool unit_maximum = false;  // else unit modal mass
  int phases = 0;             // of an animation
  double factor = 0;          // of an animation; 0: a tenth of the size
};

std::string mode_name(std::size_t mode);          // "mode_1" for 0
int mode_components(const FunctionSpace& space);  // without the rotations of beams and shells
void print_table(Results& results, const VibrationModes& modes);
// `tolerance`: that the residuals were to reach.
void record(Results& results, const VibrationModes& modes, Index unknowns, double mass, double tolerance);
// Displacements, without the rotations of beams and shells.
void write_modes(Results& results, const FunctionSpace& space, const VibrationModes& modes, const ModeShapes& shapes);

}  // namespace ritz
