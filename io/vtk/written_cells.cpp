#include "io/vtk/written_cells.hpp"

#include <algorithm>

namespace ritz {

Index WrittenCells::cell_count() const {
  Index count = 0;
  for (const WrittenBlock& block : blocks) count += block.cell_count();
  return count;
}

WrittenRegions written_regions(const Mesh& mesh) {
  WrittenRegions regions{std::vector<int>(static_cast<std::size_t>(mesh.cell_count()), 0), {}};
  for (const Region& region : mesh.regions()) {
    if (region.kind != RegionKind::cells || region.name == "all") continue;
    regions.names.push_back(region.name);
    for (const Index cell : region.cells)
      if (int& number = regions.numbers[static_cast<std::size_t>(cell)]; number == 0)
        number = static_cast<int>(regions.names.size());
  }
  return regions;
}

WrittenCells WrittenPiece::view() const {
  WrittenCells cells{points, {}};
  for (const Block& block : blocks)
    cells.blocks.push_back({block.vtk_type, block.node_count, block.node_count, block.nodes});
  return cells;
}

WrittenPiece piece_of(const WrittenCells& whole, std::span<const Index> cells, std::vector<Node>& points) {
  WrittenPiece piece;
  std::vector<Node> place(static_cast<std::size_t>(whole.point_count()), -1);
  points.clear();
  Index first = 0;
  auto cell = cells.begin();
  for (const WrittenBlock& block : whole.blocks) {
    WrittenPiece::Block own{block.vtk_type, block.node_count, {}};
    for (; cell != cells.end() && *cell < first + block.cell_count(); ++cell)
      for (const Node node : block.cell(*cell - first)) {
        Node& local = place[static_cast<std::size_t>(node)];
        if (local < 0) {
          local = static_cast<Node>(points.size());
          points.push_back(node);
          const auto x = whole.points.subspan(3 * static_cast<std::size_t>(node), 3);
          piece.points.insert(piece.points.end(), x.begin(), x.end());
        }
        own.nodes.push_back(local);
      }
    if (!own.nodes.empty()) piece.blocks.push_back(std::move(own));
    first += block.cell_count();
  }
  return piece;
}

WrittenCells written_cells(std::span<const double> points, std::span<const CellBlock> blocks) {
  WrittenCells cells{points, {}};
  for (const CellBlock& block : blocks) {
    const auto stride = static_cast<std::size_t>(traits(block.kind).node_count);
    // VTK 9.1 has no 14-node pyramid: the node in the middle of its base is left out.
    cells.blocks.push_back(
        {traits(block.kind).vtk_type, block.kind == CellKind::pyramid14 ? 13 : stride, stride, block.nodes});
  }
  return cells;
}

WrittenCells written_cells(const Mesh& mesh, const LagrangeCells* instead) {
  if (instead == nullptr) return written_cells(mesh.points(), mesh.blocks());
  WrittenCells cells{instead->points, {}};
  for (const LagrangeBlock& block : instead->blocks) {
    const auto stride = static_cast<std::size_t>(block.node_count);
    cells.blocks.push_back({block.vtk_type, stride, stride, block.nodes});
  }
  return cells;
}

}  // namespace ritz
