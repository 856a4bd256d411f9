#include "solvers/multigrid/dense_inverse_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
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

constexpr int step = inverse_step;

// Gauss and Jordan's inversion in place, by blocks of rows (Golub and Van Loan, Matrix Computations, section 3.2): with
// D the inverse of block (k, k), row k becomes D A_kj, column k becomes -A_ik D, all others A_ij - A_ik D A_kj.
//
// index = column j of the row panel, and row of the column panel. Every thread inverts the block for itself: that takes
// no longer than one launch more.
struct Panels {
  Index n, first;
  double smallest;
  const double* matrix;
  double *row_panel, *column_panel;

  constexpr void operator()(Index j) const {
    double D[step][step] = {};
    for (int r = 0; r < step; ++r)
      for (int c = 0; c < step; ++c)
        D[r][c] = first + r < n && first + c < n ? matrix[(first + r) * n + first + c] : r == c ? 1.0 : 0.0;
    for (int p = 0; p < step; ++p) {
      const double inverse = 1 / (D[p][p] > smallest ? D[p][p] : smallest);
      for (int r = 0; r < step; ++r)
        for (int c = 0; c < step; ++c)
          if (r != p && c != p) D[r][c] -= D[r][p] * inverse * D[p][c];
      for (int q = 0; q < step; ++q)
        if (q != p) {
          D[p][q] *= inverse;
          D[q][p] *= -inverse;
        }
      D[p][p] = inverse;
    }
    const bool inside = j >= first && j < first + step;
    for (int r = 0; r < step; ++r) {
      double sum = 0;
      for (int c = 0; c < step; ++c) {
        const double factor = inside ? (j - first == c ? 1.0 : 0.0) : first + c < n ? matrix[(first + c) * n + j] : 0.0;
        sum += D[r][c] * factor;
      }
      row_panel[r * n + j] = sum;
      column_panel[r * n + j] = first + r < n ? matrix[j * n + first + r] : 0.0;
    }
  }
};

// index = place in the matrix
struct Eliminate {
  Index n, first;
  const double *row_panel, *column_panel;
  double* matrix;
  constexpr void operator()(Index place) const {
    const Index i = place / n, j = place % n;
    if (i >= first && i < first + step) {
      matrix[place] = row_panel[(i - first) * n + j];
      return;
    }
    double value = j >= first && j < first + step ? 0.0 : matrix[place];
    for (int m = 0; m < step; ++m) value -= column_panel[m * n + i] * row_panel[m * n + j];
    matrix[place] = value;
  }
};

// index = place in the matrix
struct MirrorLowerHalf {
  Index n;
  double* matrix;
  constexpr void operator()(Index place) const {
    const Index i = place / n, j = place % n;
    if (j > i) matrix[place] = matrix[j * n + i];
  }
};

void invert(const Device& device, Index n, double smallest, double* matrix, double* row_panel, double* column_panel) {
  for (Index first = 0; first < n; first += step) {
    for_each(device, "inverse: panels", n, Panels{n, first, smallest, matrix, row_panel, column_panel});
    for_each(device, "inverse: elimination", n * n, Eliminate{n, first, row_panel, column_panel, matrix});
  }
  for_each(device, "inverse: mirror", n * n, MirrorLowerHalf{n, matrix});
}

const DenseInverseKernels table{fill, invert};
const Registration registration("dense inverse", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
