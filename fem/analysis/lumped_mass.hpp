// Masses at the nodes in place of a mass matrix, for explicit steps: sums of its rows on cells of order 1; on those of
// order 2, whose sums may be negative, its diagonal times the factor that keeps the mass of a form on equal cells
// (Hinton, Rock and Zienkiewicz, Earthq. Eng. Struct. Dyn. 4, 1976, 245-249).
#pragma once

#include "fem/operator/operator.hpp"

#include <cstdint>
#include <span>

namespace ritz {

// [unknown] Throws Error: Exit::model: cells of order 3 and more, rotations, masses that are not positive where
// unknowns are not prescribed.
Vector lumped_mass(const Operator& masses, std::span<const std::uint8_t> prescribed = {});

}  // namespace ritz
