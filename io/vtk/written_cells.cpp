#include "io/vtk/written_cells.hpp"

namespace ritz {

Index WrittenCells::cell_count() const {
  Index count = 0;
  for (const WrittenBlock& block : blocks) count += block.cell_count();
  return count;
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
