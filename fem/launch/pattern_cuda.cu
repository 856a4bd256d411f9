// The sparsity pattern of a space on a GPU. Counts and lists of cells are filled by atomic operations on integers: the
// order of a list differs from run to run, the sorted rows do not.
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/pack.hpp"
#include "device/scan.hpp"
#include "fem/launch/pattern_kernels.hpp"
#include "fem/launch/team_sort_cuda.hpp"

#include <algorithm>
#include <vector>

namespace ritz::RITZ_BACKEND {
namespace {

constexpr const char* pattern_tag = "pattern";

// Cells of one shape; `first` is the number of their first batch.
struct CellSet {
  CellBatches cells;
  Index first;
};

// thread = entry of the connectivity
struct CountCells {
  const std::int32_t* nodes;
  std::int32_t* count;
  __device__ void operator()(Index i) const { atomicAdd(count + nodes[i], 1); }
};

// Takes places from the end of each node's list, until none is left.
struct ListCells {
  CellSet set;
  const Index* first;
  std::int32_t* left;
  std::uint32_t* cells;
  __device__ void operator()(Index i) const {
    const Index batch_size = Index{set.cells.width} * lane_count;
    const std::int32_t node = set.cells.nodes[i];
    const std::int32_t place = atomicSub(left + node, 1) - 1;
    cells[first[node] + place] = static_cast<std::uint32_t>((set.first + i / batch_size) * lane_count + i % lane_count);
  }
};

struct CellsAtNodes {
  const CellSet* sets;
  int set_count, widest;
  const Index* first;
  const std::uint32_t* cells;
  constexpr Index candidates(Index row) const { return (first[row + 1] - first[row]) * widest; }
  // Node number `k` of those around a row, or none.
  constexpr std::int32_t candidate(Index row, Index k) const {
    const std::uint32_t cell = cells[first[row] + k / widest];
    const Index batch = cell / lane_count;
    int s = 0;
    while (s + 1 < set_count && sets[s + 1].first <= batch) ++s;
    const CellBatches& of = sets[s].cells;
    const Index a = k % widest;
    if (a >= of.width) return no_node;
    return of.nodes[((batch - sets[s].first) * of.width + a) * lane_count + cell % lane_count];
  }
};

// Rows without a cell, those that a warp does not hold, and those that a block does not hold.
struct CountRows {
  CellsAtNodes at;
  constexpr Sums<3> operator()(Index row) const {
    const Index candidates = at.candidates(row);
    return {
        {candidates == 0 ? 1.0 : 0.0, candidates > warp_capacity ? 1.0 : 0.0, candidates > block_capacity ? 1.0 : 0.0}};
  }
};

// team = row of at least `least` candidates and at most Capacity
template <int Threads, int Capacity>
__global__ void rows_kernel(Index rows, const __grid_constant__ CellsAtNodes at, Index least, std::int32_t* length,
                            const Index* offsets, std::int32_t* columns) {
  __shared__ TeamMemory<Threads, Capacity> memory[block_threads / Threads];
  const int number = static_cast<int>(threadIdx.x) / Threads, lane = static_cast<int>(threadIdx.x) % Threads;
  const Index row = Index{blockIdx.x} * (block_threads / Threads) + number;
  if (row >= rows) return;
  const Index candidates = at.candidates(row);
  if (candidates < least || candidates > Capacity) return;
  TeamSort<Threads, Capacity> sort(memory[number], lane);
  for (Index k = lane; k < candidates; k += Threads) sort.item(static_cast<int>(k)) = at.candidate(row, k);
  sort.sort(static_cast<int>(candidates));
  if (columns == nullptr) {
    const int all = sort.count_different();
    if (lane == 0) length[row] = all;
  } else {
    sort.write_different(columns + offsets[row]);
  }
}

struct Rows {
  Index count;
  bool any_long;
};

// columns == nullptr: counts.
void for_each_row(const Device& device, const char* name, const Rows& rows, const CellsAtNodes& at,
                  std::int32_t* length, const Index* offsets, std::int32_t* columns) {
  const LaunchScope launch(device, name);
  constexpr Index warps = block_threads / 32;
  start(device, {(rows.count + warps - 1) / warps}, rows_kernel<32, warp_capacity>, rows.count, at, Index{0}, length,
        offsets, columns);
  if (rows.any_long)
    start(device, {rows.count}, rows_kernel<block_threads, block_capacity>, rows.count, at, Index{warp_capacity + 1},
          length, offsets, columns);
}

std::vector<CellSet> numbered(std::span<const CellBatches> cells) {
  std::vector<CellSet> sets;
  Index batches = 0;
  for (const CellBatches& each : cells) {
    sets.push_back({each, batches});
    batches += each.batches;
  }
  return sets;
}

std::optional<NodePattern> make(const Device& device, Index nodes, std::span<const CellBatches> cells) {
  const std::vector<CellSet> sets = numbered(cells);
  Index entries = 0, batches = 0;
  int widest = 1;
  for (const CellBatches& each : cells) {
    entries += each.batches * each.width * lane_count;
    batches += each.batches;
    widest = std::max(widest, each.width);
  }
  if (nodes == 0 || batches > (Index{1} << 32) / lane_count) return std::nullopt;
  const Array<CellSet> sets_there(device, std::span(sets), pattern_tag);
  Array<std::int32_t> count(device, nodes, pattern_tag);
  Array<Index> first(device, nodes + 1, pattern_tag);
  Array<std::uint32_t> at_nodes(device, entries, pattern_tag);
  count.fill_zero();
  for (const CellSet& set : sets)
    for_each(device, "count cells", set.cells.batches * set.cells.width * lane_count,
             CountCells{set.cells.nodes, count.data()});
  exclusive_scan(device, count.data(), nodes, first.data());
  for (const CellSet& set : sets)
    for_each(device, "list cells", set.cells.batches * set.cells.width * lane_count,
             ListCells{set, first.data(), count.data(), at_nodes.data()});
  const CellsAtNodes at{sets_there.data(), static_cast<int>(sets.size()), widest, first.data(), at_nodes.data()};
  Array<double> found(device, 3, pattern_tag);
  reduce<3>(device, "count rows", nodes, CountRows{at}, found.data());
  double kinds[3];
  found.download(kinds);
  if (kinds[2] > 0) return std::nullopt;
  const Rows rows{nodes, kinds[1] > 0};
  for_each_row(device, "count pattern", rows, at, count.data(), nullptr, nullptr);
  NodePattern result{Array<Index>(device, nodes + 1, pattern_tag), {}, kinds[0] == 0};
  exclusive_scan(device, count.data(), nodes, result.offsets.data());
  Index pairs = 0;
  device.machine().copy_to_host(&pairs, result.offsets.data() + nodes, Index{sizeof pairs});
  result.columns = Array<std::int32_t>(device, pairs, pattern_tag);
  for_each_row(device, "write pattern", rows, at, nullptr, result.offsets.data(), result.columns.data());
  return result;
}

const PatternKernels table{make};
const Registration registration("pattern", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
