// Small helpers shared by the mesh algorithms: a hash of node numbers, small sets of them, the block of a cell.
#pragma once

#include "mesh/mesh.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>

namespace ritz {

// The finaliser of splitmix64: spreads a number over 64 bits. Sums of it hash sets of nodes, whatever their order.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
inline std::uint64_t mix(Node node) { return mix(static_cast<std::uint64_t>(node)); }

// Up to four node numbers, ascending; unused places at the end hold -1. The identity of an edge or a facet.
struct FewNodes {
  Node node[4] = {-1, -1, -1, -1};
  int count = 0;

  void insert(Node n) {
    int at = count++;
    for (; at > 0 && node[at - 1] > n; --at) node[at] = node[at - 1];
    node[at] = n;
  }
  auto operator<=>(const FewNodes&) const = default;
};

// The block of a cell; first_cell must have been set. Empty blocks hold no cell.
inline const CellBlock& block_holding(std::span<const CellBlock> blocks, Index cell) {
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), cell,
                                      [](Index c, const CellBlock& block) { return c < block.first_cell; });
  return *std::prev(after);
}
inline const CellBlock& block_holding(const MeshData& data, Index cell) { return block_holding(data.blocks, cell); }

}  // namespace ritz
