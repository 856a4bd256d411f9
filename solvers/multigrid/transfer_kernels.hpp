// Kernels that build the next coarser level: tentative prolongator, smoothed prolongator, transpose, Galerkin product.
// Block sizes: C unknowns per node of the finer level, K near-null-space vectors = unknowns per node of the coarser one;
// (C, K) is one of (1, 1), (2, 2), (2, 3), (3, 6), (3, 3), (6, 6).
#pragma once

#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/block_matrix.hpp"

namespace ritz {

// P = (I - omega D^-1 A_F) T, D the diagonal of A, A_F of scalars without weak couplings.
struct ProlongatorInput {
  BlockMatrixView<double> A;
  const double* inverse_diagonal;   // [node][C]
  double omega;
  const std::int32_t* aggregate;    // [node], negative: none
  const double* T;                  // [node][C][K]
  GraphView strong;                 // who is strongly connected; of scalars, and only where the pattern is made
};

struct TransferKernels {
  // Rigid motions of a body, from coordinates [node][dimension]: constants for C = 1; translations and rotations about
  // the origin of `centre`, lengths divided by `size`, for C = dimension, and for C = 6 (three displacements, then three
  // rotations) where there are coordinates. Zero in rows of A that couple to nothing
  // (prescribed unknowns). near_null: [node][C][K].
  void (*rigid_motions)(const Device&, const BlockMatrixView<double>& A, const double* coordinates, int dimension,
                        const double* centre, double size, int K, double* near_null);
  // T (one block per node, in the column of its aggregate) and the coarse near-null space, by Gram-Schmidt over each
  // aggregate: B = T B_coarse, T^T T = I. Columns that depend on the others become zero.
  void (*tentative)(const Device&, const std::int32_t* aggregate, Index nodes, Index aggregates, int C, int K,
                    const double* near_null, double* T, double* coarse_near_null);
  void (*smooth_prolongator)(const Device&, const ProlongatorInput&, Index aggregates, int K, BlockMatrix& P);
  void (*transpose)(const Device&, const BlockMatrix& P, BlockMatrix& R);
  // R A P
  void (*galerkin)(const Device&, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R,
                   BlockMatrix& coarse);
  // The same once more for new values of A: `values` of a pattern that is known. False when the pattern lacks a place.
  bool (*smooth_prolongator_again)(const Device&, const ProlongatorInput&, const BlockMatrixView<double>& P, double* values);
  void (*transpose_again)(const Device&, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R, double* values);
  bool (*galerkin_again)(const Device&, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                         const BlockMatrixView<double>& R, const BlockMatrixView<double>& coarse, double* values);
  // values = what single precision keeps of them
  void (*round_to_single)(const Device&, Index n, double* values);
  // Whether the rows of A that couple to nothing (prescribed unknowns) are still those where P, made for other values, has
  // entries that are all zero.
  bool (*suits)(const Device&, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P);
  // Interpolation between nested nodes, blocks C x C: on their diagonals 1 / (entries of the row), 0 where the near-null space of
  // either side is zero (prescribed unknowns). near_null: [node][C][K].
  void (*mean_of_parents)(const Device&, const BlockMatrixView<double>& P, const double* near_null, const double* coarse_near_null, int K,
                          double* values);
  // [block row] largest ratio of a neighbour's diagonal entry to its own, over couplings that are not zero
  void (*jumps)(const Device&, const BlockMatrixView<double>& A, const double* inverse_diagonal, double* jumps);
  // to[j] = from[at[j]], `size` numbers each
  void (*take)(const Device&, Index n, const std::int32_t* at, int size, const double* from, double* to);
  // Scalar diagonal, inverted; 0 where it is 0 (a coarse unknown that nothing uses).
  void (*inverse_diagonal)(const Device&, const BlockMatrixView<double>& A, double* inverse);
};

}  // namespace ritz
