#include "solvers/algebra/scalar_rows_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"

namespace ritz::RITZ_BACKEND::scalar_rows_kernels {
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

// index = scalar row
struct CountEntries {
  MatrixView A;
  bool add_diagonal;
  std::int32_t* counts;
  constexpr void operator()(Index row) const {
    Index count = 0;
    bool lacks = add_diagonal;
    if (A.offsets != nullptr) {
      const ScalarRow of(A, row);
      count = (of.last - of.first) * A.block_size;
      for (Index k = of.first; lacks && k < of.last; ++k) lacks = A.columns[k] != row / A.block_size;
    }
    counts[row] += static_cast<std::int32_t>(count + (lacks ? 1 : 0));
  }
};

// index = scalar row
struct AppendEntries {
  MatrixView A;
  bool add_diagonal;
  Index first_column;
  Index* next;
  std::int32_t* columns;
  double* values;
  constexpr void operator()(Index row) const {
    Index to = next[row];
    bool lacks = add_diagonal;
    if (A.offsets != nullptr) {
      const int b = A.block_size;
      const ScalarRow of(A, row);
      for (Index k = of.first; k < of.last; ++k)
        for (int j = 0; j < b; ++j) {
          const Index column = Index{A.columns[k]} * b + j;
          if (lacks && column > row) put(to++, row, 0);
          lacks = lacks && column < row;
          put(to++, column, A.values[(k * b + row % b) * b + j]);
        }
    }
    if (lacks) put(to++, row, 0);
    next[row] = to;
  }
  constexpr void put(Index to, Index column, double value) const {
    columns[to] = static_cast<std::int32_t>(first_column + column);
    values[to] = value;
  }
};

void pattern(const Device& device, const MatrixView& A, Index* offsets, std::int32_t* columns) {
  for_each(device, "scalar rows", A.rows * A.block_size + 1, WritePattern{A, offsets, columns});
}

void values(const Device& device, const MatrixView& A, double* values) {
  for_each(device, "scalar rows", A.rows * A.block_size, WriteValues{A, values});
}

void count(const Device& device, const MatrixView& A, bool add_diagonal, Index rows, std::int32_t* counts) {
  for_each(device, "count scalar rows", rows, CountEntries{A, add_diagonal, counts});
}

void offsets(const Device& device, const std::int32_t* counts, Index rows, Index* offsets) {
  exclusive_scan(device, counts, rows, offsets);
}

void append(const Device& device, const MatrixView& A, bool add_diagonal, Index first_column, Index rows, Index* next,
            std::int32_t* columns, double* values) {
  for_each(device, "scalar rows", rows, AppendEntries{A, add_diagonal, first_column, next, columns, values});
}

const ScalarRowKernels table{pattern, values, count, offsets, append};
const Registration registration("scalar rows", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::scalar_rows_kernels
