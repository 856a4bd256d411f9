// Kernels for the matrix of a level: the Galerkin product that makes it, and queries of its entries.
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

struct LevelMatrixKernels {
  // R A P of a symmetric A, R the transpose of P. `diagonal`: the blocks of P are.
  void (*galerkin)(const Device&, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                   const BlockMatrixView<double>& R, bool diagonal, BlockMatrix& coarse);
  bool galerkin_reads_lower_triangle;  // of A alone; else all of A, which need not be symmetric, nor square
  // The same once more for new values of A: `values` of a pattern that is known. False when the pattern lacks a place.
  bool (*galerkin_again)(const Device&, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                         const BlockMatrixView<double>& R, bool diagonal, const BlockMatrixView<double>& coarse,
                         double* values);
  // Scalar diagonal, inverted; 0 where it is 0 (a coarse unknown that nothing uses).
  void (*inverse_diagonal)(const Device&, const BlockMatrixView<double>& A, double* inverse);
  // [block row] largest ratio of a neighbour's diagonal entry to its own, over couplings that are not zero
  void (*jumps)(const Device&, const BlockMatrixView<double>& A, const double* inverse_diagonal, double* jumps);
};

}  // namespace ritz
