// The columns of one row of a sparse product, numbered in the order in which they come up:
//
//   ColumnMap<1024> map(columns, expected);    // of a matrix with so many columns; about so many insertions
//   const int place = map(column);             // 0, 1, 2, ...
//
// A CPU thread keeps an array over all columns; a GPU thread, of which there are too many for that, a small hash table.
#pragma once

#include "device/device.hpp"

#include <cstdint>
#include <vector>

namespace ritz::RITZ_BACKEND {
#ifdef __CUDACC__

// Open addressing. More than Capacity / 2 different columns overflow it.
template <int Capacity>  // a power of two, at most 2^15
struct ColumnMap {
  std::int32_t key[Capacity];
  std::uint16_t place[Capacity];
  unsigned mask = 63;
  int size = 0;

  constexpr ColumnMap(Index, Index expected) {
    while (mask + 1 < Capacity && mask + 1 < 2 * expected) mask = 2 * mask + 1;
    for (unsigned k = 0; k <= mask; ++k) key[k] = -1;
  }
  constexpr bool overflow() const { return size > Capacity / 2; }
  constexpr int operator()(std::int32_t c) {
    unsigned k = (static_cast<unsigned>(c) * 2654435769u >> 16) & mask;
    while (key[k] != c) {
      if (key[k] < 0) {
        if (overflow()) return 0;
        key[k] = c;
        place[k] = static_cast<std::uint16_t>(size);
        return size++;
      }
      k = (k + 1) & mask;
    }
    return place[k];
  }
};

#else

// The calling thread's array: for each column the row that used it last, and its place there.
struct ColumnMarks {
  struct Mark {
    std::uint32_t row, place;
  };
  std::vector<Mark> marks;
  std::uint32_t row = 0;
};

inline ColumnMarks& column_marks(Index columns) {
  static thread_local ColumnMarks mine;
  if (static_cast<Index>(mine.marks.size()) < columns || mine.row == 0xffffffffu) {
    mine.marks.assign(static_cast<std::size_t>(columns), {0, 0});
    mine.row = 0;
  }
  ++mine.row;
  return mine;
}

template <int Capacity>
struct ColumnMap {
  ColumnMarks::Mark* marks;
  std::uint32_t row;
  int size = 0;

  constexpr ColumnMap(Index columns, Index) {  // constexpr for the functors that it serves, which CUDA wants so
    ColumnMarks& mine = column_marks(columns);
    marks = mine.marks.data();
    row = mine.row;
  }
  static constexpr bool overflow() { return false; }
  constexpr int operator()(std::int32_t c) {
    ColumnMarks::Mark& mark = marks[c];
    if (mark.row != row) mark = {row, static_cast<std::uint32_t>(size++)};
    return static_cast<int>(mark.place);
  }
};

#endif
}  // namespace ritz::RITZ_BACKEND
