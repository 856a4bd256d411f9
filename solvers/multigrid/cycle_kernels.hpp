// Kernels of a multigrid cycle, in double or single precision; levels' matrices may be stored in fewer bits than that.
// Each level's matrix is read once per call; the vector work of a Chebyshev step is fused into it. The same functions
// exist for one vector (tables "cycle single", "cycle double" and "cycle half") and for 8 lanes of vectors ("...
// lanes"), where each vector is [row][8].
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

template <class Real, class Stored = Real>
struct CycleKernels {
  using Matrix = BlockMatrixView<Stored>;  // of a level
  using Transfer = BlockMatrixView<Real>;  // between levels
  // Packs a matrix in the form in which this device multiplies best. `from` keeps its pattern, which `to` may continue
  // to refer to: to.view.slices says whether it does.
  void (*pack)(const Device&, const BlockMatrixView<double>& from, Index nonzeros, CycleMatrix<Stored>& to);
  void (*pack_transfer)(const Device&, const BlockMatrixView<double>& from, Index nonzeros, CycleMatrix<Real>& to);
  // The columns in CSR, and optionally the values. `packed` may be sliced or not; without slices its columns are
  // already in this order.
  void (*unpack)(const Device&, const Matrix& packed, Index nonzeros, std::int32_t* column, double* values);
  void (*unpack_transfer)(const Device&, const Transfer& packed, Index nonzeros, std::int32_t* column, double* values);
  // Chebyshev steps for D^-1 A x = D^-1 b (Saad 2003, algorithm 12.1), D the diagonal.
  // First step from x = 0: x = c D^-1 b.
  void (*smooth_first)(const Device&, Index n, Real c, const Real* inverse_diagonal, const Real* b, Real* x);
  // d = c1 d_before + c2 D^-1 (b - A x), y = x + d; x and y differ.
  void (*smooth)(const Device&, const Matrix& A, Real c1, Real c2, const Real* inverse_diagonal, const Real* b,
                 const Real* x, const Real* d_before, Real* d, Real* y);
  void (*residual)(const Device&, const Matrix& A, const Real* b, const Real* x, Real* r);  // r = b - A x
  void (*multiply)(const Device&, const Transfer& R, const Real* x, Real* y);               // y = R x
  void (*multiply_add)(const Device&, const Transfer& P, const Real* x, Real* y);           // y += P x
  // y = M x, row-major. In single precision rounding of M would be larger than its inverse's smallest eigenvalues:
  // soft motions of slender bodies are 1e8 times as large as stiff ones.
  void (*dense)(const Device&, Index n, const double* matrix, const Real* x, Real* y);
  void (*from_double)(const Device&, Index n, const double* x, Real* y);
  void (*to_double)(const Device&, Index n, const Real* x, double* y);
  // y = x, dots = {b.y}, or {-q.y, b.y} with a q in the same pass. Not for lanes.
  void (*to_double_dots)(const Device&, Index n, const Real* x, const double* b, const double* q, double* y,
                         double* dots);
};

}  // namespace ritz
