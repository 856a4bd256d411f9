// Unknowns that no element acts on: the rotations of a node where bars meet, or nodes that only name places. Their rows
// of the matrix are empty, so they are held at zero.
#pragma once

#include "fem/operator/mixed_integral.hpp"
#include "fem/space/constraints.hpp"

namespace ritz {

// [unknown] 1 where a form or an element with a matrix acts.
std::vector<std::uint8_t> touched_unknowns(const FunctionSpace& space, const std::vector<Integral>& integrals);

// Marks those of this field on which a form of several fields acts.
void touch(const FunctionSpace& space, const MixedIntegral& integral, std::vector<std::uint8_t>& touched);

// Prescribes zero for all others that are still free; returns how many these were.
Index hold_untouched(const std::vector<std::uint8_t>& touched, Constraints& constraints);

}  // namespace ritz
