// How a GPU makes the sparsity pattern of a space: bitwise the one that NodeGraph makes on the host. Cells are counted
// and listed around each node; then a team of threads has a row, sorts the nodes of its cells in shared memory and
// keeps each once. One pass counts, the next writes.
#pragma once

#include "device/array.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace ritz {

// Nodes of cells of equal shape as kernels read them: [batch][node][lane] in memory of the device. The last batch
// repeats its last cell.
struct CellBatches {
  const std::int32_t* nodes;
  Index batches;
  int width;  // nodes of a cell
};

struct NodePattern {
  Array<Index> offsets;
  Array<std::int32_t> columns;
  bool full_diagonal;  // no node without a cell
};

struct PatternKernels {
  // `cells` are all cells of the space, each once. nullopt: the cells at a node have more nodes than the shared memory
  // of a team holds. Throws Error: Exit::resources.
  std::optional<NodePattern> (*make)(const Device&, Index nodes, std::span<const CellBatches> cells);
};

// [bytes] Memory of make() beside the pattern and the nodes of the cells.
constexpr Index pattern_scratch(Index nodes, Index entries) {
  return (nodes + 1) * Index{sizeof(Index)} + nodes * Index{sizeof(std::int32_t)} +
         entries * Index{sizeof(std::uint32_t)};
}

}  // namespace ritz
