// Sparse matrices row by row on a GPU: a warp takes a row and keeps its columns in a small hash table in shared memory.
// One pass counts, the next writes. Where a row has more columns than the table takes, a larger table takes the whole
// matrix.
#pragma once

#include "device/error.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <cstdint>
#include <string>

namespace ritz::RITZ_BACKEND {

// Slot where a table of open addressing holds a column, or could.
constexpr unsigned slot_of(std::int32_t c, const std::int32_t* key, unsigned mask) {
  unsigned k = (static_cast<unsigned>(c) * 2654435769u >> 16) & mask;
  while (key[k] != c && key[k] >= 0) k = (k + 1) & mask;
  return k;
}

// The columns of one row, numbered in the order in which they come up, in shared memory. The threads of the warp that
// makes the row all look up the same columns, and the first enters them. More than Capacity / 2 different columns
// overflow it.
template <int Capacity>  // a power of two, at most 2^15
struct TeamMap {
  static constexpr int lanes = 32;
  std::int32_t* key;
  std::uint16_t* place;
  int lane;
  unsigned mask = 63;
  int size = 0;

  __device__ void clear(Index expected) {
    while (mask + 1 < Capacity && mask + 1 < 2 * expected) mask = 2 * mask + 1;
    for (unsigned k = static_cast<unsigned>(lane); k <= mask; k += lanes) key[k] = -1;
    __syncwarp();
  }
  __device__ bool overflow() const { return size > Capacity / 2; }
  __device__ int find(std::int32_t c) const {
    const unsigned k = slot_of(c, key, mask);
    return key[k] == c ? place[k] : -1;
  }
  __device__ int operator()(std::int32_t c) {
    const unsigned k = slot_of(c, key, mask);
    if (key[k] == c) return place[k];
    if (overflow()) return 0;
    __syncwarp();  // all have seen that it is free
    if (lane == 0) {
      key[k] = c;
      place[k] = static_cast<std::uint16_t>(size);
    }
    __syncwarp();
    return size++;
  }
};

// Place of a row's table.
template <int Capacity>
struct TeamTable {
  using Map = TeamMap<Capacity>;
  std::int32_t* key;
  std::uint16_t* place;
  int lane;
  __device__ void open(Map& map, Index expected) const {
    map.key = key;
    map.place = place;
    map.lane = lane;
    map.clear(expected);
  }
};

template <class Map>
struct CountedRow {
  static constexpr bool has_values = false, knows_length = false;
  Map& map;
  constexpr Index length() const { return map.size; }
  constexpr void keep_first() { map.size = 1; }  // the last call for a row
  constexpr double* block(std::int32_t c) {
    map(c);
    return nullptr;
  }
  constexpr double* find(std::int32_t) const { return nullptr; }
};

// Distributes a block: each of `lanes` threads has every so many-th number.
template <int Size, class Map>
struct WrittenRow {
  static constexpr bool has_values = true, knows_length = true;
  static constexpr int lanes = Map::lanes;
  Map& map;
  Index size;
  std::int32_t* column;
  double* values;
  constexpr Index length() const { return size; }
  constexpr int lane() const { return map.lane; }
  constexpr double* block(std::int32_t c) {
    const int place = map(c);
    if (map.lane == 0) column[place] = c;
    return values + place * Size;
  }
  constexpr double* find(std::int32_t c) const {
    const int place = map.find(c);
    return place < 0 ? nullptr : values + place * Size;
  }
};

template <int Size, class Map>
struct KnownRow {
  static constexpr bool has_values = true, knows_length = true;
  static constexpr int lanes = Map::lanes;
  Map& map;
  Index size;
  double* values;
  bool fits = true;
  double unwanted[Size];
  constexpr Index length() const { return size; }
  constexpr int lane() const { return map.lane; }
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

inline constexpr int largest_capacity = 1024;  // 6 KB of shared memory per warp

template <class F>
struct CountRows {
  F f;
  std::int32_t *count, *overflow;
  template <class Table>
  constexpr void operator()(Index i, const Table& table) const {
    typename Table::Map map;
    table.open(map, f.work(i));
    CountedRow<typename Table::Map> row{map};
    f(i, row);
    if (map.lane != 0) return;
    count[i] = map.size;
    if (map.overflow()) *overflow = 1;  // all threads write the same value
  }
};

template <int Size, class F>
struct WriteRows {
  F f;
  const Index* offsets;
  std::int32_t* column;
  double* values;
  template <class Table>
  constexpr void operator()(Index i, const Table& table) const {
    const Index begin = offsets[i], size = offsets[i + 1] - begin;
    typename Table::Map map;
    table.open(map, 2 * size);
    WrittenRow<Size, typename Table::Map> row{map, size, column + begin, values + begin * Size};
    for (Index k = begin * Size + row.lane(); k < offsets[i + 1] * Size; k += row.lanes) values[k] = 0;
    f(i, row);
  }
};

template <int Size, class F>
struct RefillRows {
  F f;
  const Index* offsets;
  const std::int32_t* column;
  double* values;
  std::int32_t* misfit;
  template <class Table>
  constexpr void operator()(Index i, const Table& table) const {
    const Index begin = offsets[i], size = offsets[i + 1] - begin;
    typename Table::Map map;
    table.open(map, 2 * size);
    KnownRow<Size, typename Table::Map> row{map, size, values + begin * Size, true, {}};
    for (Index k = begin * Size + row.lane(); k < offsets[i + 1] * Size; k += row.lanes) values[k] = 0;
    for (Index k = begin; k < offsets[i + 1]; ++k) map(column[k]);
    f(i, row);
    if (!row.fits || map.overflow()) *misfit = 1;  // all threads write the same value
  }
};

// warp = row
inline constexpr int team_rows = 4;  // of a block
template <int Capacity, class Task>
__global__ void team_rows_kernel(Index rows, const __grid_constant__ Task task) {
  __shared__ std::int32_t key[team_rows][Capacity];
  __shared__ std::uint16_t place[team_rows][Capacity];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Index row = Index{blockIdx.x} * team_rows + warp;
  if (row < rows) task(row, TeamTable<Capacity>{key[warp], place[warp], static_cast<int>(threadIdx.x) % 32});
}

template <int Capacity, class Task>
void for_each_row(const Device& device, const char* name, Index rows, const Task& task) {
  if (rows == 0) return;
  const LaunchScope launch(device, name);
  start(device, {(rows + team_rows - 1) / team_rows, 32 * team_rows}, team_rows_kernel<Capacity, Task>, rows, task);
}

// rows, columns and block sizes of `result` are given; offsets, columns and values are made.
template <int Size, int Capacity, class F>
void build_rows(const Device& device, const char* name, const F& f, const char* what, const char* result_tag,
                BlockMatrix& result) {
  Index nonzeros = 0;
  {
    Array<std::int32_t> count(device, result.rows, "multigrid set-up"), overflow(device, 1, "multigrid set-up");
    overflow.fill_zero();
    for_each_row<Capacity>(device, name, result.rows, CountRows<F>{f, count.data(), overflow.data()});
    std::int32_t any = 0;
    device.machine().copy_to_host(&any, overflow.data(), Index{sizeof any});
    if (any != 0) {
      if constexpr (Capacity < largest_capacity) {
        return build_rows<Size, largest_capacity>(device, name, f, what, result_tag, result);
      } else {
        // A cheaper preconditioner is next, as where other memory is short.
        throw Error(Exit::resources,
                    "multigrid: a row of the " + std::string(what) + " has more than " + std::to_string(Capacity / 2) +
                        " blocks, which the shared memory of a GPU does not take",
                    {}, "use the CPU, or the preconditioner 'chebyshev'");
      }
    }
    result.offsets = Array<Index>(device, result.rows + 1, result_tag);
    exclusive_scan(device, count.data(), result.rows, result.offsets.data());
    device.machine().copy_to_host(&nonzeros, result.offsets.data() + result.rows, Index{sizeof nonzeros});
  }
  result.column = Array<std::int32_t>(device, nonzeros, result_tag);
  result.values = Vector(device, nonzeros * Size, result_tag);
  for_each_row<Capacity>(device, name, result.rows,
                         WriteRows<Size, F>{f, result.offsets.data(), result.column.data(), result.values.data()});
}

template <int Size, int Capacity, class F>
bool refill_rows(const Device& device, const char* name, const F& f, const BlockMatrixView<double>& pattern,
                 double* values) {
  Array<std::int32_t> misfit(device, 1, "multigrid set-up");
  misfit.fill_zero();
  for_each_row<Capacity>(device, name, pattern.rows,
                         RefillRows<Size, F>{f, pattern.offsets, pattern.column, values, misfit.data()});
  std::int32_t any = 0;
  device.machine().copy_to_host(&any, misfit.data(), Index{sizeof any});
  return any == 0;
}

}  // namespace ritz::RITZ_BACKEND
