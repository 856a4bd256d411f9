// Kernels for the near-null space of a level: made on the first, handed to the next ones through aggregates or nested
// nodes. C unknowns per node of the finer level, K near-null-space vectors; near_null: [node][C][K].
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

struct NearNullKernels {
  // Rigid motions of a body, from coordinates [node][dimension]: constants for C = 1; translations and rotations about
  // the origin of `centre`, lengths divided by `size`, for C = dimension, and for C = 6 (three displacements, then
  // three rotations) where there are coordinates. Zero in rows of A that couple to nothing (prescribed unknowns).
  void (*rigid_motions)(const Device&, const BlockMatrixView<double>& A, const double* coordinates, int dimension,
                        const double* centre, double size, int K, double* near_null);
  // T (one block per node, in the column of its aggregate) and the coarse near-null space, by Gram-Schmidt over each
  // aggregate: B = T B_coarse, T^T T = I. Columns that depend on the others become zero. For scalars T = B and B_coarse
  // is constant: which couplings are strong, and sums of weak ones, presume that A maps constants nearly to zero.
  void (*tentative)(const Device&, const std::int32_t* aggregate, Index nodes, Index aggregates, int C, int K,
                    const double* near_null, double* T, double* coarse_near_null);
  // [aggregate][K][K] X with B_j = (B_j X) B_coarse for nodes j beside the aggregate, which moves them along rigidly.
  // The first vectors are `translations`. Columns are zero where B_coarse has none, or a rotation about the axis of a
  // slender aggregate.
  void (*rigid_extension)(const Device&, Index aggregates, int K, int translations, const double* coarse_near_null,
                          double* extension);
  // to[j] = from[at[j]], `size` numbers each
  void (*take)(const Device&, Index n, const std::int32_t* at, int size, const double* from, double* to);
  // Whether the rows of A that couple to nothing (prescribed unknowns) are still those where P, made for other values,
  // has entries that are all zero.
  bool (*suits)(const Device&, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P);
};

}  // namespace ritz
