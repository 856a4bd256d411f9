// The inverse of a dense matrix on its device (module ritz_solvers_kernels, table "dense inverse").
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

struct DenseInverseKernels {
  // dense: [n][n] of zeros, n scalar rows of A; becomes A, and rows without stiffness those of the identity.
  // diagonal: [n], as it was in A
  void (*fill)(const Device&, const BlockMatrixView<double>& A, double* dense, double* diagonal);
  // matrix: [n][n], symmetric and positive semidefinite; becomes its inverse, symmetric to the bit, in which dependent
  // rows and columns are zero. row_panel: [inverse_step][n], column_panel: [n][inverse_step]. About 2 n^3 operations,
  // 16 n^2 bytes for every step.
  void (*invert)(const Device&, Index n, const double* diagonal, double* matrix, double* row_panel,
                 double* column_panel);
};

// A pivot below this part of its diagonal entry is rounding: the row depends on others, as in singular matrices.
inline constexpr double dependent_row = 1e-12;

inline constexpr int inverse_step = 32;  // rows that are eliminated together

}  // namespace ritz
