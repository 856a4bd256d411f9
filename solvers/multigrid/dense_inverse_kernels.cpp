#include "solvers/multigrid/dense_inverse_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/dense_inverse_cuda.hpp"
#else
#include "solvers/multigrid/dense_inverse_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::dense_inverse_kernels {
namespace {

// index = scalar row
struct Scatter {
  BlockMatrixView<double> A;
  double *dense, *diagonal;
  constexpr void operator()(Index row) const {
    const int b = A.row_block;
    const Index n = A.rows * b;
    for (Index k = A.offsets[row / b]; k < A.offsets[row / b + 1]; ++k)
      for (int c = 0; c < b; ++c) dense[row * n + Index{A.column[k]} * b + c] = A.values[(k * b + row % b) * b + c];
    diagonal[row] = dense[row * n + row];
  }
};

// index = place in the matrix
struct HoldLooseRows {
  Index n;
  const double* diagonal;
  double* dense;
  constexpr void operator()(Index place) const {
    const Index i = place / n, j = place % n;
    if (!(diagonal[i] > 0) || !(diagonal[j] > 0)) dense[place] = i == j ? 1 : 0;
  }
};

void fill(const Device& device, const BlockMatrixView<double>& A, double* dense, double* diagonal) {
  const Index n = A.rows * A.row_block;
  for_each(device, "dense matrix", n, Scatter{A, dense, diagonal});
  for_each(device, "dense matrix", n * n, HoldLooseRows{n, diagonal, dense});
}

// index = place in the matrix
struct MirrorLowerHalf {
  Index n;
  double* matrix;
  constexpr void operator()(Index place) const {
    const Index i = place / n, j = place % n;
    if (j > i) matrix[place] = matrix[j * n + i];
  }
};

// Gauss and Jordan's inversion in place, by blocks of rows (Golub and Van Loan, Matrix Computations, section 3.2): with
// D the inverse of block (k, k), row k becomes D A_kj, column k becomes -A_ik D, all others A_ij - A_ik D A_kj.
void invert(const Device& device, Index n, const double* diagonal, double* matrix, double* row_panel,
            double* column_panel) {
  for (Index first = 0; first < n; first += step)
    eliminate(device, n, first, diagonal, matrix, row_panel, column_panel);
  for_each(device, "inverse: mirror", n * n, MirrorLowerHalf{n, matrix});
}

const DenseInverseKernels table{fill, invert};
const Registration registration("dense inverse", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::dense_inverse_kernels
