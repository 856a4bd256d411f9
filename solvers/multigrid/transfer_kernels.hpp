// Kernels that make the prolongator to the next coarser level, smoothed or between nested nodes, and the restriction.
// Block sizes: C unknowns per node of the finer level, K near-null-space vectors = unknowns per node of the coarser
// one; (C, K) is one of (1, 1), (2, 2), (2, 3), (3, 6), (3, 3), (4, 4), (5, 5), (6, 6).
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"

namespace ritz {

// P = (I - omega D^-1 A_F) T, D the diagonal of A, A_F without weak couplings for scalars, and for vectors that have an
// extension. Rows that couple more than 128 aggregates stay in their own: other vectors with that of T.
struct ProlongatorInput {
  BlockMatrixView<double> A;
  const double* inverse_diagonal;  // [node][C]
  double omega;
  const std::int32_t* aggregate;  // [node], negative: none
  const double* T;                // [node][C][K]
  GraphView strong;               // strong connections, only where the pattern is made
  // How an aggregate moves nodes beside it (NearNullKernels::rigid_extension); null: all couplings are kept.
  const double* near_null = nullptr;  // [node][C][K]
  const double* extension = nullptr;  // [aggregate of one of the rows][K][K]
};

// The functions `..._again` make values for a known pattern; false when it lacks a place.
struct TransferKernels {
  void (*smooth_prolongator)(const Device&, const ProlongatorInput&, Index aggregates, int K, BlockMatrix& P);
  bool (*smooth_prolongator_again)(const Device&, const ProlongatorInput&, const BlockMatrixView<double>& P,
                                   double* values);
  // Interpolation between nested nodes, blocks C x C: on their diagonals the weights of the parents (null: the mean of
  // the row), 0 where the near-null space of either side is zero (prescribed unknowns). near_null: [node][C][K].
  void (*sum_of_parents)(const Device&, const BlockMatrixView<double>& P, const double* weights,
                         const double* near_null, const double* coarse_near_null, int K, double* values);
  // values = what single precision keeps of them
  void (*round_to_single)(const Device&, Index n, double* values);
  void (*transpose)(const Device&, const BlockMatrix& P, BlockMatrix& R);
  void (*transpose_again)(const Device&, const BlockMatrixView<double>& P, const BlockMatrixView<double>& R,
                          double* values);
};

}  // namespace ritz
