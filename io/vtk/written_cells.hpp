// The points and cells of a results file, whether they are the mesh's or finer ones of their own. Private to io.
#pragma once

#include "mesh/lagrange_cells.hpp"

#include <span>
#include <vector>

namespace ritz {

struct WrittenBlock {
  int vtk_type;
  std::size_t node_count;  // of a cell in the file
  std::size_t stride;      // of a cell in `nodes`
  std::span<const Node> nodes;
  Index cell_count() const { return static_cast<Index>(nodes.size() / stride); }
  std::span<const Node> cell(Index position) const {
    return nodes.subspan(static_cast<std::size_t>(position) * stride, node_count);
  }
};

struct WrittenCells {
  std::span<const double> points;
  std::vector<WrittenBlock> blocks;
  Index point_count() const { return static_cast<Index>(points.size()) / 3; }
  Index cell_count() const;
};

// Views: the data must outlive them.
WrittenCells written_cells(std::span<const double> points, std::span<const CellBlock> blocks);
WrittenCells written_cells(const Mesh& mesh, const LagrangeCells* instead);

}  // namespace ritz
