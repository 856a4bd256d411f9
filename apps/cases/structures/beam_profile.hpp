// Sections of beams by their shape: area, second moments, torsion constant and shear areas.
#pragma once

#include "io/case/case.hpp"

#include <map>
#include <string>

namespace ritz {

// Reads `profile` and its sizes; empty without the key. Names are those of Beam's parameters.
std::map<std::string, double> read_profile(const Case::Table& table, double poisson);

}  // namespace ritz
