#include "fem/results/recovery_patches.hpp"

#include <algorithm>

namespace ritz {

RecoveryPatches::RecoveryPatches(const Mesh& mesh, std::span<const std::int32_t> group) : mesh_(mesh), group_(group) {
  const auto nodes = static_cast<std::size_t>(mesh.node_count());
  std::vector<Index> next(nodes + 1, 0);
  const auto each_corner = [&](const auto& use) {
    for (const CellBlock& block : mesh.blocks()) {
      const auto corners = static_cast<std::size_t>(traits(block.kind).corner_count);
      for (Index cell = 0; cell < block.cell_count(); ++cell)
        for (const Node node : block.cell(cell).first(corners))
          use(static_cast<std::size_t>(node), block.first_cell + cell);
    }
  };
  each_corner([&](std::size_t node, Index) { ++next[node + 1]; });
  Index vertices = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    if (next[n + 1] > 0) ++vertices;
    next[n + 1] += next[n];
  }
  cells_.resize(static_cast<std::size_t>(next[nodes]));
  // next[n] is now the end of n
  each_corner([&](std::size_t node, Index cell) { cells_[static_cast<std::size_t>(next[node]++)] = cell; });
  const auto group_of = [&](Index cell) { return group_[static_cast<std::size_t>(cell)]; };
  of_node_.assign(nodes + 1, 0);
  first_.reserve(static_cast<std::size_t>(vertices) + 1);
  vertex_.reserve(static_cast<std::size_t>(vertices));
  inner_.reserve(static_cast<std::size_t>(vertices));
  for (std::size_t n = 0; n < nodes; ++n) {
    of_node_[n] = static_cast<Index>(vertex_.size());
    const Index begin = n == 0 ? 0 : next[n - 1], end = next[n];
    const auto add = [&](Index at) {
      first_.push_back(at);
      vertex_.push_back(static_cast<Node>(n));
      inner_.push_back(1);
    };
    if (begin == end) continue;
    add(begin);
    if (group_.empty()) continue;
    std::ranges::stable_sort(cells_.begin() + begin, cells_.begin() + end, {}, group_of);
    for (Index at = begin + 1; at < end; ++at)
      if (group_of(cells_[static_cast<std::size_t>(at)]) != group_of(cells_[static_cast<std::size_t>(at) - 1])) {
        inner_.back() = 0;
        add(at);
        inner_.back() = 0;
      }
  }
  of_node_[nodes] = static_cast<Index>(vertex_.size());
  first_.push_back(static_cast<Index>(cells_.size()));
  for (const FacetOfCell& facet : boundary_facets(mesh)) {
    const Facet& shape = traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)];
    const auto own = mesh.nodes_of(facet.cell);
    for (int i = 0; i < traits(shape.kind).corner_count; ++i)
      inner_[static_cast<std::size_t>(
          of(own[static_cast<std::size_t>(shape.nodes[static_cast<std::size_t>(i)])], facet.cell))] = 0;
  }
}

void RecoveryPatches::wider(Index patch, std::vector<Index>& cells) const {
  cells.clear();
  for (const Index cell : this->cells(patch))
    for (const Node corner : corners(cell)) {
      const auto around = this->cells(of(corner, cell));
      cells.insert(cells.end(), around.begin(), around.end());
    }
  std::ranges::sort(cells);
  const auto rest = std::ranges::unique(cells);
  cells.erase(rest.begin(), rest.end());
}

}  // namespace ritz
