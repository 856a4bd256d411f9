#include "solvers/matrix_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/lane_product.hpp"
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
// Most blocks have nothing prescribed: they cost a column number and B bytes of the mask, and their values are not read.
template <int B>
struct Eliminate {
  MatrixView A;
  const std::uint8_t* constrained;
  double pivot;
  double* values;
  constexpr bool any(Index block) const {
    std::uint8_t sum = 0;
    for (int i = 0; i < B; ++i) sum |= constrained[block * B + i];
    return sum != 0;
  }
  constexpr void operator()(Index block_row) const {
    const bool row_has = any(block_row);
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k) {
      if (!row_has && !any(A.columns[k])) continue;
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j) {
          const Index row = block_row * B + i, column = Index{A.columns[k]} * B + j;
          if (constrained[row] != 0 || constrained[column] != 0)
            values[(k * B + i) * B + j] = row == column ? pivot : 0.0;
        }
    }
  }
};

void diagonal(const Device& device, const MatrixView& A, double* result) {
  for_each(device, "matrix diagonal", A.rows * A.block_size, Diagonal{A, result});
}

void eliminate(const Device& device, const MatrixView& A, const std::uint8_t* constrained, double pivot, double* values) {
  if (A.block_size == 1) for_each(device, "eliminate", A.rows, Eliminate<1>{A, constrained, pivot, values});
  if (A.block_size == 2) for_each(device, "eliminate", A.rows, Eliminate<2>{A, constrained, pivot, values});
  if (A.block_size == 3) for_each(device, "eliminate", A.rows, Eliminate<3>{A, constrained, pivot, values});
}

void multiply_lanes(const Device& device, const MatrixView& A, const double* x, double* y) {
  const BlockMatrixView<double> view{A.rows, A.rows, A.block_size, A.block_size, A.offsets, A.columns, A.values};
  const StoreRow<double> store{y};
  if (A.block_size == 1) multiply_lane_rows<double, 1, 1>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 2) multiply_lane_rows<double, 2, 2>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 3) multiply_lane_rows<double, 3, 3>(device, "spmv of lanes", view, x, store);
}

const MatrixKernels table{multiply, multiply_dot, multiply_lanes, diagonal, eliminate};
const Registration registration("matrix", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
