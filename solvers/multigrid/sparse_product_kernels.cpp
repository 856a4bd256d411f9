#include "solvers/multigrid/sparse_product_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/scalar_product_cuda.hpp"
#else
#include "solvers/multigrid/scalar_product_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::sparse_product_kernels {
namespace {

using View = BlockMatrixView<double>;

void product(const Device& device, const View& X, const View& Y, BlockMatrix& XY) {
  XY.rows = X.rows;
  XY.columns = Y.columns;
  build_rows<1, 256>(device, "sparse product", ScalarProduct{X, Y}, "sparse product", "multigrid set-up", XY);
}

// index = row. Shell's method with Knuth's steps: rows are short, and those that are not take n^1.5 steps.
struct SortRow {
  const Index* offsets;
  std::int32_t* column;
  double* values;
  constexpr void operator()(Index row) const {
    const Index begin = offsets[row], size = offsets[row + 1] - begin;
    Index step = 1;
    while (3 * step + 1 < size) step = 3 * step + 1;
    for (; step > 0; step /= 3)
      for (Index k = begin + step; k < begin + size; ++k) insert(begin, k, step);
  }
  // Entry k goes down to its place among those at multiples of the step below it.
  constexpr void insert(Index begin, Index k, Index step) const {
    const std::int32_t c = column[k];
    const double value = values[k];
    for (; k - step >= begin && column[k - step] > c; k -= step) {
      column[k] = column[k - step];
      values[k] = values[k - step];
    }
    column[k] = c;
    values[k] = value;
  }
};

void sort_rows(const Device& device, const View& A, std::int32_t* column, double* values) {
  for_each(device, "sort rows", A.rows, SortRow{A.offsets, column, values});
}

// The entries of a scalar row one after the other; a row that the matrix lacks has none.
struct RowEntries {
  const View& A;
  Index row, k = 0, end = 0;
  int j = 0;
  constexpr RowEntries(const View& matrix, Index scalar_row) : A(matrix), row(scalar_row) {
    const Index block_row = row / A.row_block;
    if (block_row >= A.rows) return;
    k = A.offsets[block_row];
    end = A.offsets[block_row + 1];
  }
  constexpr bool any() const { return k < end; }
  constexpr Index column() const { return Index{A.column[k]} * A.column_block + j; }
  constexpr double value() const { return A.values[(k * A.row_block + row % A.row_block) * A.column_block + j]; }
  constexpr void next() {
    if (++j < A.column_block) return;
    j = 0;
    ++k;
  }
};

// index = scalar row: columns of either row
struct CountColumns {
  View A, B;
  std::int32_t* count;
  constexpr void operator()(Index row) const {
    RowEntries a(A, row), b(B, row);
    std::int32_t columns = 0;
    for (; a.any() || b.any(); ++columns) {
      const bool from_a = a.any() && (!b.any() || a.column() <= b.column()),
                 from_b = b.any() && (!a.any() || b.column() <= a.column());
      if (from_a) a.next();
      if (from_b) b.next();
    }
    count[row] = columns;
  }
};

// index = scalar row
struct WriteSum {
  View A, B;
  double factor;
  const std::uint8_t* cleared;
  const Index* offsets;
  std::int32_t* column;
  double* values;
  constexpr void operator()(Index row) const {
    RowEntries a(A, row), b(B, row);
    const double of_b = cleared != nullptr && cleared[row] != 0 ? 0 : factor;
    for (Index to = offsets[row]; to < offsets[row + 1]; ++to) {
      const bool from_a = a.any() && (!b.any() || a.column() <= b.column()),
                 from_b = b.any() && (!a.any() || b.column() <= a.column());
      column[to] = static_cast<std::int32_t>(from_a ? a.column() : b.column());
      double value = 0;
      if (from_a) value += a.value();
      if (from_b) value += of_b * b.value();
      values[to] = value;
      if (from_a) a.next();
      if (from_b) b.next();
    }
  }
};

void sum(const Device& device, const View& A, double factor, const View& B, const std::uint8_t* cleared,
         BlockMatrix& result) {
  result.rows = result.columns = A.rows * A.row_block;
  Index nonzeros = 0;
  {
    Array<std::int32_t> count(device, result.rows, "pattern");
    for_each(device, "sparse sum", result.rows, CountColumns{A, B, count.data()});
    result.offsets = Array<Index>(device, result.rows + 1, "pattern");
    exclusive_scan(device, count.data(), result.rows, result.offsets.data());
    device.machine().copy_to_host(&nonzeros, result.offsets.data() + result.rows, Index{sizeof nonzeros});
  }
  result.column = Array<std::int32_t>(device, nonzeros, "pattern");
  result.values = Vector(device, nonzeros, "matrix");
  for_each(device, "sparse sum", result.rows,
           WriteSum{A, B, factor, cleared, result.offsets.data(), result.column.data(), result.values.data()});
}

// index = row, or their number
struct Identity {
  Index rows;
  Index* offsets;
  std::int32_t* column;
  constexpr void operator()(Index row) const {
    offsets[row] = row;
    if (row < rows) column[row] = static_cast<std::int32_t>(row);
  }
};

void identity(const Device& device, Index rows, Index* offsets, std::int32_t* column) {
  for_each(device, "diagonal matrix", rows + 1, Identity{rows, offsets, column});
}

// index = row
struct ScaleRow {
  View A;
  const double* factors;
  double* result;
  constexpr void operator()(Index row) const {
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) result[k] = A.values[k] * factors[row];
  }
};

void scale_rows(const Device& device, const View& A, const double* factors, double* result) {
  for_each(device, "scale rows", A.rows, ScaleRow{A, factors, result});
}

// index = row
struct ScaleBoth {
  View A;
  const double* factors;
  double* values;
  constexpr void operator()(Index row) const {
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) values[k] *= factors[row] * factors[A.column[k]];
  }
};

void scale_both(const Device& device, const View& A, const double* factors, double* values) {
  for_each(device, "scale rows", A.rows, ScaleBoth{A, factors, values});
}

// index = row, or their number
struct KeepRows {
  const Index* offsets;
  Index rows;
  Index* result;
  constexpr void operator()(Index row) const { result[row] = offsets[row < rows ? row : rows]; }
};

void keep_rows(const Device& device, const View& A, Index rows, Index* result) {
  for_each(device, "keep rows", A.rows + 1, KeepRows{A.offsets, rows, result});
}

const SparseProductKernels table{product, sort_rows, sum, identity, scale_rows, scale_both, keep_rows};
const Registration registration("sparse products", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::sparse_product_kernels
