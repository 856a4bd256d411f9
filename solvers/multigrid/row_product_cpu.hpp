// Block rows times a vector on a CPU: threads over ranges of rows. The products of a few hundred rows go through a
// buffer in the first-level cache: arrays start at pages, so results would have the low address bits of the x that is
// being read, and a processor that compares only those makes loads wait for stores.
#pragma once

#include "device/launch.hpp"
#include "solvers/algebra/sliced_rows_cpu.hpp"

#include <immintrin.h>

namespace ritz::RITZ_BACKEND {

// Any blocks: sums are stored in L x M places, so that a block is one straight multiply-add.
template <class Real, class Stored, int L, int M>
struct BlockRow {
  static void multiply(const BlockMatrixView<Stored>& A, const Real* x, Index i, Real* row) {
    Real sum[L * M] = {};
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const Stored* a = A.values + k * L * M;
      const Real* xk = x + Index{A.column[k]} * M;
      for (int l = 0; l < L; ++l)
        for (int m = 0; m < M; ++m) sum[l * M + m] += static_cast<Real>(a[l * M + m]) * xk[m];
    }
    for (int l = 0; l < L; ++l) {
      row[l] = 0;
      for (int m = 0; m < M; ++m) row[l] += sum[l * M + m];
    }
  }
};

// Scalars: four sums at a time, or each product would wait for the adder.
template <class Real>
struct BlockRow<Real, Real, 1, 1> {
  static void multiply(const BlockMatrixView<Real>& A, const Real* x, Index i, Real* row) {
    typedef Real Four __attribute__((vector_size(4 * sizeof(Real))));
    typedef Real FourAnywhere __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real))));
    Four sum{};
    Index k = A.offsets[i];
    const Index end = A.offsets[i + 1];
    for (; k + 4 <= end; k += 4) {
      const std::int32_t* c = A.column + k;
      sum += *reinterpret_cast<const FourAnywhere*>(A.values + k) * Four{x[c[0]], x[c[1]], x[c[2]], x[c[3]]};
    }
    Real rest = 0;
    for (; k < end; ++k) rest += A.values[k] * x[A.column[k]];
    *row = (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest;
  }
};

// Eight numbers in a register.
inline __m256 load_eight(const float* values) { return _mm256_loadu_ps(values); }
inline __m256 load_eight(const BFloat16* values) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

// The first level of elasticity, 3 x 3 in single precision: eight entries in one register and the ninth in another, two
// blocks in flight.
template <class Stored>
requires std::same_as<Stored, float> || std::same_as<Stored, BFloat16>
struct BlockRow<float, Stored, 3, 3> {
  static void multiply(const BlockMatrixView<Stored>& A, const float* x, Index i, float* row) {
    const __m128i three = _mm_set_epi32(0, -1, -1, -1);
    const __m256i spread = _mm256_set_epi32(1, 0, 2, 1, 0, 2, 1, 0);
    __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    float last[2] = {0, 0};
    const auto add = [&](Index k, int turn) {
      const Stored* a = A.values + 9 * k;
      const float* xk = x + 3 * Index{A.column[k]};
      const __m256 eight = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_maskload_ps(xk, three)), spread);
      sum[turn] = _mm256_fmadd_ps(load_eight(a), eight, sum[turn]);
      last[turn] += static_cast<float>(a[8]) * xk[2];
    };
    Index k = A.offsets[i];
    const Index end = A.offsets[i + 1];
    for (; k + 2 <= end; k += 2) {
      add(k, 0);
      add(k + 1, 1);
    }
    if (k < end) add(k, 0);
    alignas(32) float total[8];
    _mm256_store_ps(total, _mm256_add_ps(sum[0], sum[1]));
    row[0] = total[0] + total[1] + total[2];
    row[1] = total[3] + total[4] + total[5];
    row[2] = total[6] + total[7] + last[0] + last[1];
  }
};

// then(n, (A x)_n) for every scalar row n.
template <class Real, int L, int M, class Stored, class Then>
void multiply_rows(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x,
                   const Then& then) {
  const LaunchScope launch(device, name);
  const bool sliced = L * M == 1 && A.slices != nullptr;
  const Index piece = sliced ? window_rows : 192;  // block rows
  const Index pieces = (A.rows + piece - 1) / piece;
#pragma omp parallel for num_threads(device.team(pieces / 2)) schedule(static)
  for (Index p = 0; p < pieces; ++p) {
    alignas(64) Real buffer[window_rows * L];
    const Index first = p * piece, last = std::min(A.rows, first + piece);
    if (sliced) multiply_window(A, x, p, buffer);
    else
      for (Index i = first; i < last; ++i) BlockRow<Real, Stored, L, M>::multiply(A, x, i, buffer + (i - first) * L);
#pragma GCC ivdep
    for (Index n = first * L; n < last * L; ++n) then(n, buffer[n - first * L]);
  }
}

template <class Real>
struct DenseRow {
  Index n;
  const double* matrix;
  const Real* x;
  Real* y;
  constexpr void operator()(Index i) const {
    double sum[8] = {};
    const double* row = matrix + i * n;
    Index k = 0;
    for (; k + 8 <= n; k += 8)
      for (int l = 0; l < 8; ++l) sum[l] += row[k + l] * x[k + l];
    for (; k < n; ++k) sum[0] += row[k] * x[k];
    y[i] = static_cast<Real>(((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
  }
};

// y = A x for a dense matrix of n rows
template <class Real>
void multiply_dense(const Device& device, const char* name, Index n, const double* matrix, const Real* x, Real* y) {
  for_each(device, name, n, DenseRow<Real>{n, matrix, x, y});
}

// Scalar rows are sliced for a cycle.
template <class Stored>
bool pack_rows(const Device& device, const BlockMatrixView<double>& from, CycleMatrix<Stored>& to) {
  if (from.row_block * from.column_block > 1) return false;
  slice_rows_of(device, from, to);
  return true;
}

template <class Stored>
void unpack_rows(const Device& device, const BlockMatrixView<Stored>& from, std::int32_t* column, double* values) {
  for_each(device, "slices", (from.rows + window_rows - 1) / window_rows, UnpackWindow<Stored>{from, column, values});
}

}  // namespace ritz::RITZ_BACKEND
