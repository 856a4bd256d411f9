#include "mesh/quality/opposed_cells.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ritz {

OpposedCells opposed_cells(const Mesh& mesh, std::span<const Index> cells) {
  struct Edge {
    Node low, high;
    Index cell;
    bool rises;  // from the lower node to the higher one
  };
  std::vector<Edge> edges;
  for (const Index cell : cells) {
    const CellTraits& kind = traits(mesh.kind_of(cell));
    if (kind.dimension != 2) continue;
    const std::span<const Node> nodes = mesh.nodes_of(cell);
    for (std::size_t i = 0, n = static_cast<std::size_t>(kind.corner_count); i < n; ++i) {
      const Node a = nodes[i], b = nodes[(i + 1) % n];
      edges.push_back({std::min(a, b), std::max(a, b), cell, a < b});
    }
  }
  std::ranges::sort(edges, {}, [](const Edge& e) { return std::tuple(e.low, e.high, e.cell); });
  OpposedCells found;
  for (std::size_t i = 0, next; i < edges.size(); i = next) {
    next = i + 1;
    while (next < edges.size() && edges[next].low == edges[i].low && edges[next].high == edges[i].high) ++next;
    if (next - i != 2 || edges[i].rises != edges[i + 1].rises) continue;
    if (found.pairs++ == 0) std::tie(found.first, found.second) = std::pair(edges[i].cell, edges[i + 1].cell);
  }
  return found;
}

}  // namespace ritz
