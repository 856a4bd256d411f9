// Scalar sparse rows for a CPU, sliced (SELL-C-sigma; Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci. Comput.
// 36, 2014): rows are sorted by length within windows of 256, and 16 of them are stored side by side, entry after
// entry. A product has no row ends to wait for: half the time of CSR for rows of 15 entries, less for those of
// prolongators with two.
//
//   slices: [slice + 1] first step of 16 entries; entry e of the slice's row q is number (slices[s] + e) * 16 + q
//   place:  [window][256] which row of its window a slot holds
#pragma once

#include "device/bfloat16.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <chrono>
#include <concepts>
#include <immintrin.h>

namespace ritz::RITZ_BACKEND {

inline constexpr Index slice_rows = 16, window_slices = 16, window_rows = slice_rows * window_slices;

// index = window
struct SortWindow {
  Index rows;
  const Index* offsets;
  std::uint8_t* place;
  std::int32_t* steps;  // [slice] entries of its longest row
  Index length(Index row) const { return row < rows ? offsets[row + 1] - offsets[row] : 0; }
  void operator()(Index window) const {
    const Index first = window * window_rows;
    constexpr Index longest = 255;  // longer rows stay as they come: their slices are full of entries anyway
    std::int32_t begin[longest + 2] = {};
    const auto key = [&](Index row) { return longest - std::min(longest, length(row)); };
    for (Index q = 0; q < window_rows; ++q) ++begin[key(first + q) + 1];
    for (Index k = 0; k < longest; ++k) begin[k + 1] += begin[k];
    for (Index q = 0; q < window_rows; ++q) place[first + begin[key(first + q)]++] = static_cast<std::uint8_t>(q);
    for (Index s = 0; s < window_slices; ++s) {
      Index most = 0;
      for (Index q = 0; q < slice_rows; ++q) most = std::max(most, length(first + place[first + s * slice_rows + q]));
      steps[window * window_slices + s] = static_cast<std::int32_t>(most);
    }
  }
};

// index = window. Padding repeats a column of the same row, with the value zero.
template <class Stored>
struct FillWindow {
  BlockMatrixView<double> from;
  const Index* slices;
  const std::uint8_t* place;
  std::int32_t* column;
  Stored* values;
  void operator()(Index window) const {
    for (Index slot = window * window_rows; slot < (window + 1) * window_rows; ++slot) {
      const Index slice = slot / slice_rows, row = window * window_rows + place[slot];
      const Index begin = row < from.rows ? from.offsets[row] : 0,
                  size = row < from.rows ? from.offsets[row + 1] - begin : 0;
      const std::int32_t padding = size > 0 ? from.column[begin] : 0;
      for (Index e = 0; e < slices[slice + 1] - slices[slice]; ++e) {
        const Index to = (slices[slice] + e) * slice_rows + slot % slice_rows;
        column[to] = e < size ? from.column[begin + e] : padding;
        values[to] = static_cast<Stored>(e < size ? from.values[begin + e] : 0.0);
      }
    }
  }
};

// index = window; the values alone, for existing slices
template <class Stored>
struct RefillWindow {
  BlockMatrixView<double> from;
  const Index* slices;
  const std::uint8_t* place;
  Stored* values;
  void operator()(Index window) const {
    for (Index slot = window * window_rows; slot < (window + 1) * window_rows; ++slot) {
      const Index row = window * window_rows + place[slot];
      if (row >= from.rows) continue;
      Stored* to = values + slices[slot / slice_rows] * slice_rows + slot % slice_rows;
      for (Index k = from.offsets[row]; k < from.offsets[row + 1]; ++k, to += slice_rows)
        *to = static_cast<Stored>(from.values[k]);
    }
  }
};

// Gives new values to existing slices; the pattern is kept.
template <class Stored>
void slice_rows_of(const Device& device, const BlockMatrixView<double>& from, CycleMatrix<Stored>& to) {
  const Index windows = (from.rows + window_rows - 1) / window_rows;
  if (to.view.slices != nullptr)
    return for_each(device, "slices", windows,
                    RefillWindow<Stored>{from, to.slices.data(), to.place.data(), to.values.data()});
  Array<std::int32_t> steps(device, windows * window_slices, "multigrid set-up");
  to.resize(to.place, device, windows * window_rows);
  to.resize(to.slices, device, windows * window_slices + 1);
  for_each(device, "slices", windows, SortWindow{from.rows, from.offsets, to.place.data(), steps.data()});
  exclusive_scan(device, steps.data(), windows * window_slices, to.slices.data());
  Index entries = 0;
  device.machine().copy_to_host(&entries, to.slices.data() + windows * window_slices, Index{sizeof entries});
  entries *= slice_rows;
  to.resize(to.column, device, entries);
  to.resize(to.values, device, entries);
  for_each(device, "slices", windows,
           FillWindow<Stored>{from, to.slices.data(), to.place.data(), to.column.data(), to.values.data()});
  to.view = {from.rows,        from.columns,   1, 1, from.offsets, to.column.data(), to.values.data(),
             to.slices.data(), to.place.data()};
}

// index = window; the columns of CSR, as they were, and optionally the values
template <class Stored>
struct UnpackWindow {
  BlockMatrixView<Stored> from;
  std::int32_t* column;
  double* values;
  void operator()(Index window) const {
    for (Index slot = window * window_rows; slot < (window + 1) * window_rows; ++slot) {
      const Index row = window * window_rows + from.place[slot];
      if (row >= from.rows) continue;
      const Index first = from.slices[slot / slice_rows] * slice_rows + slot % slice_rows, begin = from.offsets[row];
      for (Index k = begin; k < from.offsets[row + 1]; ++k) column[k] = from.column[first + (k - begin) * slice_rows];
      if (values == nullptr) continue;
      for (Index k = begin; k < from.offsets[row + 1]; ++k)
        values[k] = static_cast<double>(from.values[first + (k - begin) * slice_rows]);
    }
  }
};

// Four numbers side by side, in the precision of arithmetic.
template <class Real>
struct FourOf {
  typedef Real Type __attribute__((vector_size(4 * sizeof(Real))));
  static constexpr int size = 4;
  static Type load(const Real* values) { return *reinterpret_cast<const Type*>(values); }
  static Type load(const BFloat16* values) requires(!std::same_as<Real, double>) {
    typedef std::uint16_t Short __attribute__((vector_size(8), may_alias));
    typedef std::uint32_t Long __attribute__((vector_size(16)));
    return reinterpret_cast<Type>(__builtin_convertvector(*reinterpret_cast<const Short*>(values), Long) << 16);
  }
  static Type take(const Real* x, const std::int32_t* at) { return Type{x[at[0]], x[at[1]], x[at[2]], x[at[3]]}; }
};

// A register of 32 bytes, filled by the processor's own gathers.
template <class Real>
struct Gathered {
  typedef Real Type __attribute__((vector_size(32)));
  static constexpr int size = 32 / sizeof(Real);
  static Type load(const Real* values) { return *reinterpret_cast<const Type*>(values); }
  static Type load(const BFloat16* values) requires(!std::same_as<Real, double>) {
    typedef std::uint16_t Short __attribute__((vector_size(16), may_alias));
    typedef std::uint32_t Long __attribute__((vector_size(32)));
    return reinterpret_cast<Type>(__builtin_convertvector(*reinterpret_cast<const Short*>(values), Long) << 16);
  }
  static Type take(const float* x, const std::int32_t* at) {
    return _mm256_i32gather_ps(x, _mm256_load_si256(reinterpret_cast<const __m256i*>(at)), sizeof(float));
  }
  static Type take(const double* x, const std::int32_t* at) {
    return _mm256_i32gather_pd(x, _mm_load_si128(reinterpret_cast<const __m128i*>(at)), sizeof(double));
  }
};

// The rows of a window, in the same order of sums with either kind of `Numbers`.
template <class Numbers, class Real, class Stored>
[[gnu::noinline]] void multiply_window_by(const BlockMatrixView<Stored>& A, const Real* __restrict x, Index window,
                                          Real* __restrict product) {
  constexpr int size = Numbers::size;
  const std::uint8_t* place = A.place + window * window_rows;
  for (Index s = 0; s < window_slices; ++s, place += slice_rows) {
    const Index begin = A.slices[window * window_slices + s] * slice_rows,
                end = A.slices[window * window_slices + s + 1] * slice_rows;
    typename Numbers::Type sum[slice_rows / size] = {};
    for (Index k = begin; k < end; k += slice_rows)
      for (int q = 0; q < slice_rows; q += size)
        sum[q / size] += Numbers::load(A.values + k + q) * Numbers::take(x, A.column + k + q);
    for (int q = 0; q < slice_rows; ++q) product[place[q]] = sum[q / size][q % size];
  }
}

// Seconds of one window of 16 entries a row in the first caches, the least of some.
template <class Numbers, class Real>
double window_seconds() {
  constexpr Index entries = 16, columns = 1024;
  alignas(64) std::int32_t column[window_rows * entries];
  alignas(64) Real values[window_rows * entries] = {};
  Real x[columns] = {}, product[window_rows];
  Index slices[window_slices + 1];
  std::uint8_t place[window_rows];
  for (Index k = 0; k < window_rows * entries; ++k) column[k] = static_cast<std::int32_t>(k * 389 % columns);
  for (Index s = 0; s <= window_slices; ++s) slices[s] = s * entries;
  for (Index q = 0; q < window_rows; ++q) place[q] = static_cast<std::uint8_t>(q);
  const BlockMatrixView<Real> A{window_rows, columns, 1, 1, nullptr, column, values, slices, place};
  double least = 1;
  for (int turn = 0; turn < 9; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    multiply_window_by<Numbers>(A, x, 0, product);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

// Whether the processor's gathers are faster than single loads. Some are guarded by microcode, others take a micro-
// operation for each number and more: the first use measures both, which takes some 50 microseconds.
template <class Real>
bool gathers_pay() {
  static const bool pay = window_seconds<Gathered<Real>, Real>() < window_seconds<FourOf<Real>, Real>();
  return pay;
}

// (A x) of the rows of a window, also of those beyond the last.
template <class Real, class Stored>
void multiply_window(const BlockMatrixView<Stored>& A, const Real* __restrict x, Index window,
                     Real* __restrict product) {
  if (gathers_pay<Real>()) multiply_window_by<Gathered<Real>>(A, x, window, product);
  else multiply_window_by<FourOf<Real>>(A, x, window, product);
}

}  // namespace ritz::RITZ_BACKEND
