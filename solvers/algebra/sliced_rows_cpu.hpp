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

#include <concepts>

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
  static Type load(const Real* values) { return *reinterpret_cast<const Type*>(values); }
  static Type load(const BFloat16* values) requires(!std::same_as<Real, double>) {
    typedef std::uint16_t Short __attribute__((vector_size(8), may_alias));
    typedef std::uint32_t Long __attribute__((vector_size(16)));
    return reinterpret_cast<Type>(__builtin_convertvector(*reinterpret_cast<const Short*>(values), Long) << 16);
  }
};

// (A x) of the rows of a window, also of those beyond the last.
template <class Real, class Stored>
void multiply_window(const BlockMatrixView<Stored>& A, const Real* __restrict x, Index window,
                     Real* __restrict product) {
  using Four = typename FourOf<Real>::Type;
  const std::uint8_t* place = A.place + window * window_rows;
  for (Index s = 0; s < window_slices; ++s, place += slice_rows) {
    const Index begin = A.slices[window * window_slices + s] * slice_rows,
                end = A.slices[window * window_slices + s + 1] * slice_rows;
    Four sum[4] = {};
    for (Index k = begin; k < end; k += slice_rows) {
      const std::int32_t* c = A.column + k;
      for (int q = 0; q < 4; ++q)
        sum[q] += FourOf<Real>::load(A.values + k + 4 * q) *
                  Four{x[c[4 * q]], x[c[4 * q + 1]], x[c[4 * q + 2]], x[c[4 * q + 3]]};
    }
    for (int q = 0; q < slice_rows; ++q) product[place[q]] = sum[q / 4][q % 4];
  }
}

}  // namespace ritz::RITZ_BACKEND
