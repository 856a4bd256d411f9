// Which nodes share a cell: the sparsity pattern of every operator on a space, one row per node, columns ascending.
// Built block after block of rows, from the cells at the block, as bits of a few hundred columns. Columns are held in
// few bytes until their number is known; then they are written to where they belong.
//
//   NodeGraph graph(space);   std::vector<std::int32_t> columns(graph.pair_count());   graph.write_columns(columns);
#pragma once

#include "fem/space/function_space.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

class NodeGraph {
 public:
  // cell_nodes: those of all cells in the order of the space, [batch][node][lane], where they are at hand.
  explicit NodeGraph(const FunctionSpace& space, std::span<const Node> cell_nodes = {});

  const std::vector<Index>& offsets() const { return offsets_; }  // [node + 1]
  Index pair_count() const { return offsets_.back(); }
  bool has_full_diagonal() const { return full_diagonal_; }  // no node without a cell
  void write_columns(std::span<std::int32_t> columns);       // once: it gives back what it holds

  // Lists one after the other, in pieces that grow until huge pages hold them.
  template <class Number>
  class Lists {
   public:
    std::span<const Number> keep(std::span<const Number> list) {
      if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < list.size()) {
        constexpr std::size_t first = (std::size_t{64} << 10) / sizeof(Number), most = 64 * first;
        const std::size_t size = pieces_.empty() ? first : std::min(most, 2 * pieces_.back().capacity());
        pieces_.emplace_back().reserve(std::max(size, list.size()));
      }
      std::vector<Number>& piece = pieces_.back();
      piece.insert(piece.end(), list.begin(), list.end());
      return std::span(piece).last(list.size());
    }

   private:
    std::vector<std::vector<Number>> pieces_;
  };
  struct Columns {
    Lists<std::uint16_t> narrow;
    Lists<std::uint32_t> wide;
  };
  // The rows of a block, listed: their columns are places in `nodes`, in one of the two lists.
  struct Block {
    std::vector<Node> nodes;  // at the block, ascending
    std::span<const std::uint16_t> narrow;
    std::span<const std::uint32_t> wide;  // where there are more nodes than 16 bits can number
  };

 private:
  int threads_;
  std::vector<Index> offsets_;
  std::vector<Columns> columns_;  // of each thread
  std::vector<Block> blocks_;
  bool full_diagonal_ = true;
};

}  // namespace ritz
