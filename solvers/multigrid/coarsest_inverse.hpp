// The dense inverse of a hierarchy's coarsest matrix: made on the host for CPUs, on the device elsewhere.
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

// Inverse of a symmetric matrix, row-major; unknowns without stiffness (zero rows) get the inverse of 1. Pivots are
// kept above 1e-14 of the largest diagonal entry.
Vector coarsest_inverse(const Device& device, const BlockMatrixView<double>& A, Index nonzeros);

}  // namespace ritz
