// Patches of cells for the recovery of derivatives: the cells of one group (material) around each vertex, so that
// nothing is averaged over a jump that is physical. A vertex where two groups meet has two patches.
#pragma once

#include "mesh/mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

class RecoveryPatches {
 public:
  // group [cell]; empty: all cells are one group.
  RecoveryPatches(const Mesh& mesh, std::span<const std::int32_t> group);

  Index count() const { return static_cast<Index>(first_.size()) - 1; }
  std::span<const Index> cells(Index patch) const {  // ascending
    const Index begin = first_[static_cast<std::size_t>(patch)];
    return {cells_.data() + begin, static_cast<std::size_t>(first_[static_cast<std::size_t>(patch) + 1] - begin)};
  }
  Node vertex(Index patch) const { return vertex_[static_cast<std::size_t>(patch)]; }
  // Around a corner of a cell.
  Index of(Node corner, Index cell) const {
    Index patch = of_node_[static_cast<std::size_t>(corner)];
    if (!group_.empty())
      while (group_[static_cast<std::size_t>(cells(patch).front())] != group_[static_cast<std::size_t>(cell)]) ++patch;
    return patch;
  }
  // its cells surround the vertex
  bool is_inner(Index patch) const { return inner_[static_cast<std::size_t>(patch)] != 0; }
  std::span<const Node> corners(Index cell) const {
    const CellBlock& block = mesh_.block_of(cell);
    return block.cell(cell - block.first_cell).first(static_cast<std::size_t>(traits(block.kind).corner_count));
  }
  // Those of a patch and all of its group that touch them, ascending.
  void wider(Index patch, std::vector<Index>& cells) const;

 private:
  Mesh mesh_;
  std::span<const std::int32_t> group_;
  std::vector<Index> of_node_;  // [mesh node] its first patch
  std::vector<Index> first_, cells_;
  std::vector<Node> vertex_;
  std::vector<std::uint8_t> inner_;
};

}  // namespace ritz
