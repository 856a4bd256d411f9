// Lumped masses of rotations of beams and shells. Private to fem/analysis.
#pragma once

#include "fem/operator/operator.hpp"

#include <vector>

namespace ritz {

// [unknown] of displacements and rotations, zero for the former. A node of a cell has its part of the rotary inertia of
// the section, and m h^2 / 39 where its part of the mass is m and h^2 the length squared, or the area. For a beam that
// is m L^2 / 78 of all of its mass: the scaled diagonal of the consistent matrix (Cook, Malkus, Plesha and Witt,
// Concepts and Applications of Finite Element Analysis, 4th ed. 2002, section 11.3). It vanishes as cells get smaller,
// and lets steps be about as long as displacements allow. Throws Error: Exit::model for beams with an offset.
std::vector<double> lumped_rotations(const Operator& masses);

}  // namespace ritz
