// Which nodes share a cell: the sparsity pattern of every operator on a space, one row per node, columns ascending.
// Built block after block of rows, from the cells at the block, as bits of a few hundred columns. Columns are held in
// few bytes until their number is known; then they are written to where they belong.
//
//   NodeGraph graph(space);   std::vector<std::int32_t> columns(graph.pair_count());   graph.write_columns(columns);
#pragma once

#include "fem/space/function_space.hpp"

#include <span>
#include <vector>

namespace ritz {

class NodeGraph {
 public:
  explicit NodeGraph(const FunctionSpace& space);

  const std::vector<Index>& offsets() const { return offsets_; }  // [node + 1]
  Index pair_count() const { return offsets_.back(); }
  bool has_full_diagonal() const { return full_diagonal_; }  // no node without a cell
  void write_columns(std::span<std::int32_t> columns);       // once: it gives back what it holds

  // The rows of a block, listed: their columns are places in `nodes`, in one of the two lists.
  struct Block {
    std::vector<Node> nodes;  // at the block, ascending
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> wide;  // where there are more nodes than 16 bits can number
  };

 private:
  int threads_;
  std::vector<Index> offsets_;
  std::vector<Block> blocks_;
  bool full_diagonal_ = true;
};

}  // namespace ritz
