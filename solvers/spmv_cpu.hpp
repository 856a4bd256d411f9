// Sparse matrix times vector on a CPU: each thread has a contiguous range of rows with an equal share of the nonzeros.
// The sum of a row is always taken in the same order, and dot products in blocks of spmv_rows rows: nothing depends on
// the number of threads. Bytes: 12 per entry and 20 per row (b = 1); 8.44 per scalar entry (b = 3).
#pragma once

#include "device/launch.hpp"
#include "solvers/matrix_kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

inline constexpr Index spmv_rows = 256;         // block rows between two possible borders of threads
inline constexpr Index spmv_grain = 1 << 15;    // fewer scalar entries than this are not worth a second thread

// Several partial sums: one serial sum would wait for the adder at every entry.
void multiply_rows_1(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  const double* __restrict values = A.values;
  const std::int32_t* __restrict columns = A.columns;
  for (Index row = first; row < last; ++row) {
    Index k = A.offsets[row];
    const Index end = A.offsets[row + 1];
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (; k + 4 <= end; k += 4) {
      sum0 += values[k] * x[columns[k]];
      sum1 += values[k + 1] * x[columns[k + 1]];
      sum2 += values[k + 2] * x[columns[k + 2]];
      sum3 += values[k + 3] * x[columns[k + 3]];
    }
    for (; k < end; ++k) sum0 += values[k] * x[columns[k]];
    y[row] = (sum0 + sum2) + (sum1 + sum3);
  }
}

typedef double Four __attribute__((vector_size(32)));
typedef double FourAt8 __attribute__((vector_size(32), aligned(8)));

inline Four load_four(const double* from) { return *reinterpret_cast<const FourAt8*>(from); }

// One vector holds a row-major 2x2 block.
void multiply_rows_2(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  for (Index row = first; row < last; ++row) {
    Four sum{};
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const double* xk = x + 2 * Index{A.columns[k]};
      sum += load_four(A.values + 4 * k) * Four{xk[0], xk[1], xk[0], xk[1]};
    }
    y[2 * row] = sum[0] + sum[1];
    y[2 * row + 1] = sum[2] + sum[3];
  }
}

// Two vectors and a scalar hold a row-major 3x3 block.
void multiply_rows_3(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  for (Index row = first; row < last; ++row) {
    Four sum0{}, sum1{};
    double sum2 = 0;
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const double* xk = x + 3 * Index{A.columns[k]};
      const double* a = A.values + 9 * k;
      sum0 += load_four(a) * Four{xk[0], xk[1], xk[2], xk[0]};
      sum1 += load_four(a + 4) * Four{xk[1], xk[2], xk[0], xk[1]};
      sum2 += a[8] * xk[2];
    }
    y[3 * row] = sum0[0] + sum0[1] + sum0[2];
    y[3 * row + 1] = sum0[3] + sum1[0] + sum1[1];
    y[3 * row + 2] = sum1[2] + sum1[3] + sum2;
  }
}

void multiply_rows(const MatrixView& A, const double* x, double* y, Index first, Index last) {
  if (A.block_size == 1) return multiply_rows_1(A, x, y, first, last);
  if (A.block_size == 2) return multiply_rows_2(A, x, y, first, last);
  multiply_rows_3(A, x, y, first, last);
}

// The first block row of a thread's share: near part / parts of the nonzeros, and a multiple of spmv_rows.
Index first_row_of_part(const MatrixView& A, int part, int parts) {
  if (part == parts) return A.rows;
  const Index target = A.nonzeros * part / parts;
  Index low = 0, high = A.rows;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (A.offsets[middle] < target) low = middle + 1;
    else high = middle;
  }
  return low / spmv_rows * spmv_rows;
}

int parts_of(const Device& device, const MatrixView& A) {
  const Index useful = (A.nonzeros * A.block_size * A.block_size + spmv_grain - 1) / spmv_grain;
  return static_cast<int>(std::max<Index>(1, std::min<Index>(device.threads(), useful)));
}

void multiply(const Device& device, const MatrixView& A, const double* x, double* y) {
  const LaunchScope launch(device, "spmv");
  const int parts = parts_of(device, A);
#pragma omp parallel for num_threads(parts) schedule(static) if (parts > 1)
  for (int part = 0; part < parts; ++part)
    multiply_rows(A, x, y, first_row_of_part(A, part, parts), first_row_of_part(A, part + 1, parts));
}

double dot_range(const double* x, const double* y, Index first, Index last) {
  constexpr int lanes = 8;
  double sums[lanes] = {};
  Index i = first;
  for (; i + lanes <= last; i += lanes)
    for (int l = 0; l < lanes; ++l) sums[l] += x[i + l] * y[i + l];
  for (; i < last; ++i) sums[0] += x[i] * y[i];
  double sum = 0;
  for (int l = 0; l < lanes; ++l) sum += sums[l];
  return sum;
}

// The dot product takes each block of y while it is still in the cache.
void multiply_dot(const Device& device, const MatrixView& A, const double* x, double* y, double* xy) {
  const Index blocks = (A.rows + spmv_rows - 1) / spmv_rows;
  Vector partial(device, std::max<Index>(blocks, 1), "reductions");
  double* const sums = partial.data();
  const int b = A.block_size;
  const LaunchScope launch(device, "spmv and dot");
  const int parts = parts_of(device, A);
#pragma omp parallel for num_threads(parts) schedule(static) if (parts > 1)
  for (int part = 0; part < parts; ++part) {
    const Index end = first_row_of_part(A, part + 1, parts);
    for (Index first = first_row_of_part(A, part, parts); first < end; first += spmv_rows) {
      const Index last = std::min(end, first + spmv_rows);
      multiply_rows(A, x, y, first, last);
      sums[first / spmv_rows] = dot_range(x, y, first * b, last * b);
    }
  }
  double sum = 0;
  for (Index block = 0; block < blocks; ++block) sum += sums[block];
  *xy = sum;
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
