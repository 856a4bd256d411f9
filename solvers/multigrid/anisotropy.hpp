// Ratio of the couplings of nodes in different directions, from a matrix and the positions of its nodes.
#pragma once

#include "solvers/multigrid/level_matrix.hpp"

namespace ritz {

// The fraction of nodes, in a sample of some thousand, around which couplings are anisotropic. With d = x_j - x_i the
// tensors K = -sum_j a_ij d d^T and H = sum_j d d^T describe the conduction and the distances of nodes; the eigenvalues
// of H^-1 K are the couplings per direction. A node counts if their arithmetic mean is `factor` times their harmonic
// mean or more: 2.6 where one of three is nine times the others. Neighbours of prescribed unknowns do not count. Blocks
// of a body have their trace for a_ij, as aggregation_kernels.hpp says; coordinates: [row][dimension].
// Over ranks the coordinates are those of [owned | ghosts], and the fraction is that of all ranks.
double anisotropic_share(const LevelMatrix& A, const Vector& coordinates, int dimension, double factor);

}  // namespace ritz
