#include "solvers/matrix_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/spmv.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// index = scalar row; a row without a diagonal entry gives zero
struct Diagonal {
  MatrixView A;
  double* diagonal;
  constexpr void operator()(Index row) const {
    const int b = A.block_size;
    const Index block_row = row / b, i = row % b;
    double value = 0;
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k)
      if (A.columns[k] == block_row) value = A.values[(k * b + i) * b + i];
    diagonal[row] = value;
  }
};

// index = block row
struct Eliminate {
  MatrixView A;
  const std::uint8_t* constrained;
  double pivot;
  double* values;
  constexpr void operator()(Index block_row) const {
    const int b = A.block_size;
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k)
      for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j) {
          const Index row = block_row * b + i, column = Index{A.columns[k]} * b + j;
          if (constrained[row] != 0 || constrained[column] != 0)
            values[(k * b + i) * b + j] = row == column ? pivot : 0.0;
        }
  }
};

void diagonal(const Device& device, const MatrixView& A, double* result) {
  for_each(device, "matrix diagonal", A.rows * A.block_size, Diagonal{A, result});
}

void eliminate(const Device& device, const MatrixView& A, const std::uint8_t* constrained, double pivot, double* values) {
  for_each(device, "eliminate", A.rows, Eliminate{A, constrained, pivot, values});
}

const MatrixKernels table{multiply, multiply_dot, diagonal, eliminate};
const Registration registration("matrix", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
