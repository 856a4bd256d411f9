#include "solvers/algebra/scalar_rows_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// Scalar row `row` of a block matrix: its blocks, and where its entries begin.
struct ScalarRow {
  Index first, last, begin;
  constexpr ScalarRow(const MatrixView& A, Index row)
      : first(A.offsets[row / A.block_size]),
        last(A.offsets[row / A.block_size + 1]),
        begin((first * A.block_size + row % A.block_size * (last - first)) * A.block_size) {}
};

// index = scalar row, or their number
struct WritePattern {
  MatrixView A;
  Index* offsets;
  std::int32_t* columns;
  constexpr void operator()(Index row) const {
    const int b = A.block_size;
    if (row == A.rows * b) {
      offsets[row] = A.nonzeros * b * b;
      return;
    }
    const ScalarRow of(A, row);
    offsets[row] = of.begin;
    for (Index k = of.first; k < of.last; ++k)
      for (int j = 0; j < b; ++j) columns[of.begin + (k - of.first) * b + j] = A.columns[k] * b + j;
  }
};

// index = scalar row
struct WriteValues {
  MatrixView A;
  double* values;
  constexpr void operator()(Index row) const {
    const int b = A.block_size;
    const ScalarRow of(A, row);
    for (Index k = of.first; k < of.last; ++k)
      for (int j = 0; j < b; ++j) values[of.begin + (k - of.first) * b + j] = A.values[(k * b + row % b) * b + j];
  }
};

void pattern(const Device& device, const MatrixView& A, Index* offsets, std::int32_t* columns) {
  for_each(device, "scalar rows", A.rows * A.block_size + 1, WritePattern{A, offsets, columns});
}

void values(const Device& device, const MatrixView& A, double* values) {
  for_each(device, "scalar rows", A.rows * A.block_size, WriteValues{A, values});
}

const ScalarRowKernels table{pattern, values};
const Registration registration("scalar rows", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
