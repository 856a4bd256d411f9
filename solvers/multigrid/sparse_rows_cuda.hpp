// Sparse matrices row by row on a GPU: a thread takes a row and keeps its columns in a small hash table. One pass counts,
// the next writes. Where a row has more columns than the table takes, a larger table takes the whole matrix.
#pragma once

#include "device/error.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/multigrid/block_matrix.hpp"

#include <cstdint>
#include <string>

namespace ritz::RITZ_BACKEND {

// The columns of one row, numbered in the order in which they come up. Open addressing. More than Capacity / 2 different
// columns overflow it.
template <int Capacity>  // a power of two, at most 2^15
struct ColumnMap {
  std::int32_t key[Capacity];
  std::uint16_t place[Capacity];
  unsigned mask = 63;
  int size = 0;

  constexpr explicit ColumnMap(Index expected) {
    while (mask + 1 < Capacity && mask + 1 < 2 * expected) mask = 2 * mask + 1;
    for (unsigned k = 0; k <= mask; ++k) key[k] = -1;
  }
  constexpr bool overflow() const { return size > Capacity / 2; }
  constexpr unsigned slot(std::int32_t c) const {  // that holds c, or a free one
    unsigned k = (static_cast<unsigned>(c) * 2654435769u >> 16) & mask;
    while (key[k] != c && key[k] >= 0) k = (k + 1) & mask;
    return k;
  }
  constexpr int find(std::int32_t c) const {  // -1: not here
    const unsigned k = slot(c);
    return key[k] == c ? place[k] : -1;
  }
  constexpr int operator()(std::int32_t c) {
    const unsigned k = slot(c);
    if (key[k] < 0) {
      if (overflow()) return 0;
      key[k] = c;
      place[k] = static_cast<std::uint16_t>(size++);
    }
    return place[k];
  }
};

template <int Capacity>
struct CountedRow {
  static constexpr bool has_values = false;
  ColumnMap<Capacity> map;
  constexpr double* block(std::int32_t c) {
    map(c);
    return nullptr;
  }
  constexpr double* find(std::int32_t) const { return nullptr; }
};

template <int Size, int Capacity>
struct WrittenRow {
  static constexpr bool has_values = true;
  ColumnMap<Capacity> map;
  std::int32_t* column;
  double* values;
  constexpr double* block(std::int32_t c) {
    const int place = map(c);
    column[place] = c;
    return values + place * Size;
  }
  constexpr double* find(std::int32_t c) const {
    const int place = map.find(c);
    return place < 0 ? nullptr : values + place * Size;
  }
};

template <int Size, int Capacity>
struct KnownRow {
  static constexpr bool has_values = true;
  ColumnMap<Capacity> map;
  double* values;
  bool fits = true;
  double unwanted[Size];
  constexpr double* find(std::int32_t c) const {
    const int place = map.find(c);
    return place < 0 ? nullptr : values + place * Size;
  }
  constexpr double* block(std::int32_t c) {
    if (double* known = find(c)) return known;
    fits = false;
    return unwanted;
  }
};

inline constexpr int largest_capacity = 1024;  // 6 KB of local memory per thread

template <int Capacity, class F>
struct CountRows {
  F f;
  std::int32_t *count, *overflow;
  constexpr void operator()(Index i) const {
    CountedRow<Capacity> row{ColumnMap<Capacity>(f.work(i))};
    f(i, row);
    count[i] = row.map.size;
    if (row.map.overflow()) *overflow = 1;  // whoever writes, writes the same
  }
};

template <int Size, int Capacity, class F>
struct WriteRows {
  F f;
  const Index* offsets;
  std::int32_t* column;
  double* values;
  constexpr void operator()(Index i) const {
    const Index begin = offsets[i], size = offsets[i + 1] - begin;
    for (Index k = begin * Size; k < offsets[i + 1] * Size; ++k) values[k] = 0;
    WrittenRow<Size, Capacity> row{ColumnMap<Capacity>(2 * size), column + begin, values + begin * Size};
    f(i, row);
  }
};

template <int Size, int Capacity, class F>
struct RefillRows {
  F f;
  const Index* offsets;
  const std::int32_t* column;
  double* values;
  std::int32_t* misfit;
  constexpr void operator()(Index i) const {
    const Index begin = offsets[i], size = offsets[i + 1] - begin;
    for (Index k = begin * Size; k < offsets[i + 1] * Size; ++k) values[k] = 0;
    KnownRow<Size, Capacity> row{ColumnMap<Capacity>(2 * size), values + begin * Size, true, {}};
    for (Index k = begin; k < offsets[i + 1]; ++k) row.map(column[k]);
    f(i, row);
    if (!row.fits) *misfit = 1;  // whoever writes, writes the same
  }
};

// rows, columns and block sizes of `result` are given; offsets, columns and values are made.
template <int Size, int Capacity, class F>
void build_rows(const Device& device, const char* name, const F& f, const char* what, const char* result_tag, BlockMatrix& result) {
  Index nonzeros = 0;
  {
    Array<std::int32_t> count(device, result.rows, "multigrid set-up"), overflow(device, 1, "multigrid set-up");
    overflow.fill_zero();
    for_each(device, name, result.rows, CountRows<Capacity, F>{f, count.data(), overflow.data()});
    std::int32_t any = 0;
    device.machine().copy_to_host(&any, overflow.data(), Index{sizeof any});
    if (any != 0) {
      if constexpr (Capacity < largest_capacity) {
        return build_rows<Size, largest_capacity>(device, name, f, what, result_tag, result);
      } else {
        throw Error(Exit::internal, std::string("multigrid: a row of the ") + what + " has more blocks than planned for", {},
                    "use another preconditioner, and report the mesh");
      }
    }
    result.offsets = Array<Index>(device, result.rows + 1, result_tag);
    exclusive_scan(device, count.data(), result.rows, result.offsets.data());
    device.machine().copy_to_host(&nonzeros, result.offsets.data() + result.rows, Index{sizeof nonzeros});
  }
  result.column = Array<std::int32_t>(device, nonzeros, result_tag);
  result.values = Vector(device, nonzeros * Size, result_tag);
  for_each(device, name, result.rows,
           WriteRows<Size, Capacity, F>{f, result.offsets.data(), result.column.data(), result.values.data()});
}

template <int Size, int Capacity, class F>
bool refill_rows(const Device& device, const char* name, const F& f, const BlockMatrixView<double>& pattern, double* values) {
  Array<std::int32_t> misfit(device, 1, "multigrid set-up");
  misfit.fill_zero();
  for_each(device, name, pattern.rows,
           RefillRows<Size, Capacity, F>{f, pattern.offsets, pattern.column, values, misfit.data()});
  std::int32_t any = 0;
  device.machine().copy_to_host(&any, misfit.data(), Index{sizeof any});
  return any == 0;
}

}  // namespace ritz::RITZ_BACKEND
