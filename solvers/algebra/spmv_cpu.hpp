// Sparse matrix times vector on a CPU: each thread has a contiguous range of rows with an equal share of the nonzeros.
// The sum of a row is always taken in the same order, and dot products in blocks of spmv_rows rows: nothing depends on
// the number of threads. Bytes: 12 per entry and 20 per row (b = 1); 8.44 per scalar entry (b = 3).
#pragma once

#include "device/launch.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <immintrin.h>

namespace ritz::RITZ_BACKEND {
namespace {

inline constexpr Index spmv_rows = 256;       // block rows between two possible borders of threads
inline constexpr Index spmv_grain = 1 << 15;  // fewer scalar entries than this are not worth a second thread

typedef double Four __attribute__((vector_size(32)));
typedef long long Four64 __attribute__((vector_size(32)));
typedef double FourAt8 __attribute__((vector_size(32), aligned(8)));

inline Four load_four(const double* from) { return *reinterpret_cast<const FourAt8*>(from); }

// The row kernels write the products of rows [first, last) to y[0], y[1], ...
//
// Four partial sums: one serial sum would wait for the adder at every entry.
void multiply_rows_1(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  const double* __restrict values = A.values;
  const std::int32_t* __restrict columns = A.columns;
  for (Index row = first; row < last; ++row) {
    Index k = A.offsets[row];
    const Index end = A.offsets[row + 1];
    Four sum{};
    for (; k + 4 <= end; k += 4) {
      const std::int32_t* c = columns + k;
      sum += load_four(values + k) * Four{x[c[0]], x[c[1]], x[c[2]], x[c[3]]};
    }
    double rest = 0, rest1 = 0;
    if (k + 2 <= end) {
      rest = values[k] * x[columns[k]];
      rest1 = values[k + 1] * x[columns[k + 1]];
      k += 2;
    }
    if (k < end) rest += values[k] * x[columns[k]];
    y[row - first] = (sum[0] + sum[2]) + (sum[1] + sum[3]) + (rest + rest1);
  }
}

// One vector holds a row-major 2x2 block.
void multiply_rows_2(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  const auto product = [&](Index k) {
    const double* xk = x + 2 * Index{A.columns[k]};
    return load_four(A.values + 4 * k) * Four{xk[0], xk[1], xk[0], xk[1]};
  };
  for (Index row = first; row < last; ++row, y += 2) {
    Four sum{}, other{};
    Index k = A.offsets[row];
    const Index end = A.offsets[row + 1];
    for (; k + 2 <= end; k += 2) {
      sum += product(k);
      other += product(k + 1);
    }
    if (k < end) sum += product(k);
    sum += other;
    y[0] = sum[0] + sum[1];
    y[1] = sum[2] + sum[3];
  }
}

// Two vectors and a scalar hold a row-major 3x3 block.
void multiply_rows_3(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
  for (Index row = first; row < last; ++row, y += 3) {
    Four sum0{}, sum1{};
    double sum2 = 0;
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const double* xk = x + 3 * Index{A.columns[k]};
      const double* a = A.values + 9 * k;
      const Four x012 = (Four)_mm256_maskload_pd(xk, three);
      sum0 += load_four(a) * __builtin_shuffle(x012, Four64{0, 1, 2, 0});
      sum1 += load_four(a + 4) * __builtin_shuffle(x012, Four64{1, 2, 0, 1});
      sum2 += a[8] * xk[2];
    }
    y[0] = sum0[0] + sum0[1] + sum0[2];
    y[1] = sum0[3] + sum1[0] + sum1[1];
    y[2] = sum1[2] + sum1[3] + sum2;
  }
}

// Rows of four, and what five have more: fields that are solved for together.
template <int B>
void multiply_rows_of(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  static_assert(B == 4 || B == 5);
  for (Index row = first; row < last; ++row, y += B) {
    Four four[B] = {};
    double fifth[B] = {};
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const double* xk = x + B * Index{A.columns[k]};
      const double* a = A.values + B * B * k;
      const Four x4 = load_four(xk);
      for (int i = 0; i < B; ++i) {
        four[i] += load_four(a + B * i) * x4;
        if constexpr (B == 5) fifth[i] += a[B * i + 4] * xk[4];
      }
    }
    for (int i = 0; i < B; ++i) y[i] = (four[i][0] + four[i][2]) + (four[i][1] + four[i][3]) + fifth[i];
  }
}

// A row of six as a vector of four and one of two: nodes with rotations.
void multiply_rows_6(const MatrixView& A, const double* __restrict x, double* __restrict y, Index first, Index last) {
  typedef double Two __attribute__((vector_size(16)));
  typedef double TwoAt8 __attribute__((vector_size(16), aligned(8)));
  for (Index row = first; row < last; ++row, y += 6) {
    Four four[6] = {};
    Two two[6] = {};
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const double* xk = x + 6 * Index{A.columns[k]};
      const double* a = A.values + 36 * k;
      const Four x4 = load_four(xk);
      const Two x2 = *reinterpret_cast<const TwoAt8*>(xk + 4);
      for (int i = 0; i < 6; ++i) {
        four[i] += load_four(a + 6 * i) * x4;
        two[i] += *reinterpret_cast<const TwoAt8*>(a + 6 * i + 4) * x2;
      }
    }
    for (int i = 0; i < 6; ++i) y[i] = (four[i][0] + four[i][2]) + (four[i][1] + four[i][3]) + (two[i][0] + two[i][1]);
  }
}

double dot_range(const double* x, const double* y, Index count) {
  Four sum0{}, sum1{};
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
    sum0 += load_four(x + i) * load_four(y + i);
    sum1 += load_four(x + i + 4) * load_four(y + i + 4);
  }
  double sum = 0;
  for (; i < count; ++i) sum += x[i] * y[i];
  sum0 += sum1;
  return (sum0[0] + sum0[2]) + (sum0[1] + sum0[3]) + sum;
}

// Writes through a buffer in the first-level cache: arrays are aligned to pages, so y[row] has the low address bits of
// x[row], and a processor that compares only those would make loads of x wait for stores to y (1.4 times slower).
// Optionally returns x.y over these rows, while both are in the cache.
[[gnu::noinline]] double multiply_rows(const MatrixView& A, const double* x, double* y, Index first, Index last,
                                       bool with_dot = false) {
  alignas(64) double buffer[spmv_rows * 6];
  const Index start = first * A.block_size, count = (last - first) * A.block_size;
  if (A.block_size == 1) multiply_rows_1(A, x, buffer, first, last);
  if (A.block_size == 2) multiply_rows_2(A, x, buffer, first, last);
  if (A.block_size == 3) multiply_rows_3(A, x, buffer, first, last);
  if (A.block_size == 4) multiply_rows_of<4>(A, x, buffer, first, last);
  if (A.block_size == 5) multiply_rows_of<5>(A, x, buffer, first, last);
  if (A.block_size == 6) multiply_rows_6(A, x, buffer, first, last);
  const double dot = with_dot ? dot_range(x + start, buffer, count) : 0.0;
  for (Index i = 0; i < count; ++i) y[start + i] = buffer[i];
  return dot;
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
#pragma omp parallel for num_threads(device.team(parts)) schedule(static)
  for (int part = 0; part < parts; ++part) {
    const Index end = first_row_of_part(A, part + 1, parts);
    for (Index first = first_row_of_part(A, part, parts); first < end; first += spmv_rows)
      multiply_rows(A, x, y, first, std::min(end, first + spmv_rows));
  }
}

void multiply_dot(const Device& device, const MatrixView& A, const double* x, double* y, double* xy) {
  const Index blocks = (A.rows + spmv_rows - 1) / spmv_rows;
  Vector partial(device, std::max<Index>(blocks, 1), "reductions");
  double* const sums = partial.data();
  const LaunchScope launch(device, "spmv and dot");
  const int parts = parts_of(device, A);
#pragma omp parallel for num_threads(device.team(parts)) schedule(static)
  for (int part = 0; part < parts; ++part) {
    const Index end = first_row_of_part(A, part + 1, parts);
    for (Index first = first_row_of_part(A, part, parts); first < end; first += spmv_rows)
      sums[first / spmv_rows] = multiply_rows(A, x, y, first, std::min(end, first + spmv_rows), true);
  }
  double sum = 0;
  for (Index block = 0; block < blocks; ++block) sum += sums[block];
  *xy = sum;
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
