// Sparse matrices row by row on a GPU: a warp takes a row and keeps its columns in a small hash table in shared memory,
// and its sums there too where they fit. One pass counts, the next writes. Where a row has more columns than the table
// takes, a larger table takes the whole matrix.
#pragma once

#include "device/error.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ritz::RITZ_BACKEND {

// Slot where a table of open addressing holds a column, or could.
constexpr unsigned slot_of(std::int32_t c, const std::int32_t* key, unsigned mask) {
  unsigned k = (static_cast<unsigned>(c) * 2654435769u >> 16) & mask;
  while (key[k] != c && key[k] >= 0) k = (k + 1) & mask;
  return k;
}

inline constexpr int warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

// The columns of one row, numbered in the order in which they come up, in shared memory. More than Capacity / 2
// different columns overflow it. All threads of the warp that makes the row call its functions together.
template <int Capacity>  // a power of two, at most 2^15
struct TeamMap {
  std::int32_t* key;
  std::uint16_t* place;
  std::int32_t* found;  // [lane]
  int lane;
  unsigned mask = 63;
  int size = 0;

  __device__ void clear(Index expected) {
    while (mask + 1 < Capacity && mask + 1 < 2 * expected) mask = 2 * mask + 1;
    for (unsigned k = static_cast<unsigned>(lane); k <= mask; k += warp_lanes) key[k] = -1;
    __syncwarp();
  }
  __device__ bool overflow() const { return size > Capacity / 2; }
  __device__ int find(std::int32_t c) const {
    const unsigned k = slot_of(c, key, mask);
    return key[k] == c ? place[k] : -1;
  }
  // Place of a column that all threads look up; the first one enters it.
  __device__ int operator()(std::int32_t c) {
    const unsigned k = slot_of(c, key, mask);
    if (key[k] == c) return place[k];
    if (overflow()) return 0;
    __syncwarp();  // all have seen that it is free
    if (lane == 0) enter(c);
    __syncwarp();
    return size++;
  }
  // Each thread has a column of its own, no two the same, or -1. New ones get their places in the order of the lanes.
  // Returns the place of the thread's column.
  __device__ int of_each(std::int32_t c) {
    int mine = c < 0 ? 0 : find(c);
    unsigned missing = __ballot_sync(all_lanes, mine < 0);
    if (missing == 0) return mine;
    for (; missing != 0 && !overflow(); missing &= missing - 1) {
      __syncwarp();  // all have seen the table without the next one
      if (lane == __ffs(static_cast<int>(missing)) - 1) {
        enter(c);
        mine = size;
      }
      ++size;
    }
    __syncwarp();
    return mine < 0 ? 0 : mine;
  }

 private:
  __device__ void enter(std::int32_t c) {
    const unsigned k = slot_of(c, key, mask);
    key[k] = c;
    place[k] = static_cast<std::uint16_t>(size);
  }
};

// Place of a row's table, and of `room` sums.
template <int Capacity>
struct TeamTable {
  using Map = TeamMap<Capacity>;
  std::int32_t* key;
  std::uint16_t* place;
  std::int32_t* found;
  double* sums;
  Index room;
  int lane;
  __device__ Map open(Index expected) const {
    Map map{key, place, found, lane};
    map.clear(expected);
    return map;
  }
  // Zeros for a row of so many numbers: here where they fit, else where they end up. Before open().
  __device__ double* clear_sums(Index numbers, double* values) const {
    double* const result = numbers <= room ? sums : values;
    for (Index k = lane; k < numbers; k += warp_lanes) result[k] = 0;
    return result;
  }
  __device__ void move_sums(Index numbers, const double* from, double* values) const {
    if (from == values) return;
    __syncwarp();
    for (Index k = lane; k < numbers; k += warp_lanes) values[k] = from[k];
  }
};

template <class Map>
struct CountedRow {
  static constexpr bool has_values = false, knows_length = false;
  static constexpr int lanes = warp_lanes;
  Map& map;
  constexpr Index length() const { return map.size; }
  constexpr int lane() const { return map.lane; }
  constexpr void keep_first() { map.size = 1; }  // the last call for a row
  constexpr int of_each(std::int32_t c) { return map.of_each(c); }
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
  static constexpr int lanes = warp_lanes;
  Map& map;
  Index size;
  double* sums;
  constexpr Index length() const { return size; }
  constexpr int lane() const { return map.lane; }
  constexpr int of_each(std::int32_t c) { return map.of_each(c); }
  constexpr double* block(std::int32_t c) { return sums + map(c) * Size; }
  constexpr double* find(std::int32_t c) const {
    const int place = map.find(c);
    return place < 0 ? nullptr : sums + place * Size;
  }
};

template <int Size, class Map>
struct KnownRow {
  static constexpr bool has_values = true, knows_length = true;
  static constexpr int lanes = warp_lanes;
  Map& map;
  Index size;
  double* sums;
  bool fits = true;
  double unwanted[Size];
  constexpr Index length() const { return size; }
  constexpr int lane() const { return map.lane; }
  constexpr int of_each(std::int32_t c) {
    const int place = c < 0 ? 0 : map.find(c);
    fits = fits && place >= 0;
    return place;
  }
  constexpr double* find(std::int32_t c) const {
    const int place = map.find(c);
    return place < 0 ? nullptr : sums + place * Size;
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
  __device__ void operator()(Index i, const Table& table) const {
    auto map = table.open(expected_columns(i));
    CountedRow<typename Table::Map> row{map};
    f(i, row);
    if (map.lane != 0) return;
    count[i] = map.size;
    if (map.overflow()) *overflow = 1;  // all threads write the same value
  }
  __device__ Index expected_columns(Index i) const {
    if constexpr (requires { f.work(i); }) return f.work(i);
    else return largest_capacity;
  }
};

template <int Size, class F>
struct WriteRows {
  F f;
  const Index* offsets;
  std::int32_t* column;
  double* values;
  template <class Table>
  __device__ void operator()(Index i, const Table& table) const {
    const Index begin = offsets[i], size = offsets[i + 1] - begin;
    double* const sums = table.clear_sums(size * Size, values + begin * Size);
    auto map = table.open(2 * size);
    WrittenRow<Size, typename Table::Map> row{map, size, sums};
    f(i, row);
    __syncwarp();
    for (unsigned k = static_cast<unsigned>(map.lane); k <= map.mask; k += warp_lanes)
      if (map.key[k] >= 0) column[begin + map.place[k]] = map.key[k];
    table.move_sums(size * Size, sums, values + begin * Size);
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
  __device__ void operator()(Index i, const Table& table) const {
    const Index begin = offsets[i], size = offsets[i + 1] - begin;
    double* const sums = table.clear_sums(size * Size, values + begin * Size);
    auto map = table.open(2 * size);
    for (Index k = 0; k < size; k += warp_lanes) map.of_each(k + map.lane < size ? column[begin + k + map.lane] : -1);
    KnownRow<Size, typename Table::Map> row{map, size, sums, true, {}};
    f(i, row);
    if (!row.fits || map.overflow()) *misfit = 1;  // all threads write the same value
    table.move_sums(size * Size, sums, values + begin * Size);
  }
};

// warp = row
inline constexpr int team_rows = 4;  // of a block
template <int Capacity, class Task>
__global__ void team_rows_kernel(Index rows, Index room, const __grid_constant__ Task task) {
  __shared__ std::int32_t key[team_rows][Capacity];
  __shared__ std::uint16_t place[team_rows][Capacity];
  __shared__ std::int32_t found[team_rows][warp_lanes];
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const Index row = Index{blockIdx.x} * team_rows + warp;
  if (row < rows)
    task(row, TeamTable<Capacity>{key[warp], place[warp], found[warp], block_scratch() + warp * room, room, lane});
}

// Numbers of a row that are summed in shared memory, 12 KB at most; those of longer rows are in global memory.
template <int Size, int Capacity>
inline constexpr Index room_for_sums = std::min<Index>((Capacity / 16 + 16) * Size, 1536);

template <int Capacity, class Task>
void for_each_row(const Device& device, const char* name, Index rows, Index room, const Task& task) {
  if (rows == 0) return;
  const LaunchScope launch(device, name);
  const auto kernel = team_rows_kernel<Capacity, Task>;
  const auto bytes = static_cast<int>(team_rows * room * Index{sizeof(double)});
  constexpr int tables = team_rows * (6 * Capacity + 4 * warp_lanes);
  if (bytes + tables > (48 << 10))  // more needs a request
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
               "asking for shared memory");
  start(device, {(rows + team_rows - 1) / team_rows, warp_lanes * team_rows, bytes}, kernel, rows, room, task);
}

// rows, columns and block sizes of `result` are given; offsets, columns and values are made.
template <int Size, int Capacity, class F>
void build_rows(const Device& device, const char* name, const F& f, const char* what, const char* result_tag,
                BlockMatrix& result) {
  Index nonzeros = 0;
  {
    Array<std::int32_t> count(device, result.rows, "multigrid set-up"), overflow(device, 1, "multigrid set-up");
    overflow.fill_zero();
    for_each_row<Capacity>(device, name, result.rows, 0, CountRows<F>{f, count.data(), overflow.data()});
    std::int32_t any = 0;
    device.machine().copy_to_host(&any, overflow.data(), Index{sizeof any});
    if (any != 0) {
      if constexpr (Capacity < largest_capacity) {
        return build_rows<Size, largest_capacity>(device, name, f, what, result_tag, result);
      } else {
        // A cheaper preconditioner is next, as where other memory is short.
        throw Error(ErrorKind::device_memory,
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
  for_each_row<Capacity>(device, name, result.rows, room_for_sums<Size, Capacity>,
                         WriteRows<Size, F>{f, result.offsets.data(), result.column.data(), result.values.data()});
}

template <int Size, int Capacity, class F>
bool refill_rows(const Device& device, const char* name, const F& f, const BlockMatrixView<double>& pattern,
                 double* values) {
  Array<std::int32_t> misfit(device, 1, "multigrid set-up");
  misfit.fill_zero();
  for_each_row<Capacity>(device, name, pattern.rows, room_for_sums<Size, Capacity>,
                         RefillRows<Size, F>{f, pattern.offsets, pattern.column, values, misfit.data()});
  std::int32_t any = 0;
  device.machine().copy_to_host(&any, misfit.data(), Index{sizeof any});
  return any == 0;
}

}  // namespace ritz::RITZ_BACKEND
