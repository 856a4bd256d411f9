// The points and cells of a results file, whether they are the mesh's or finer ones of their own, and pieces of them.
// Private to io.
#pragma once

#include "mesh/lagrange_cells.hpp"

#include <span>
#include <string>
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

// The first region of cells that a cell belongs to: 1, 2, ... of the names; 0: none but "all".
struct WrittenRegions {
  std::vector<int> numbers;  // [cell]
  std::vector<std::string> names;
};
WrittenRegions written_regions(const Mesh& mesh);

// Some of the cells, with points of their own.
struct WrittenPiece {
  std::vector<double> points;
  struct Block {
    int vtk_type;
    std::size_t node_count;
    std::vector<Node> nodes;
  };
  std::vector<Block> blocks;
  WrittenCells view() const;
};
// cells: ascending. points: numbers in the whole of the points of the piece.
WrittenPiece piece_of(const WrittenCells& whole, std::span<const Index> cells, std::vector<Node>& points);

// Views: the data must outlive them.
WrittenCells written_cells(std::span<const double> points, std::span<const CellBlock> blocks);
WrittenCells written_cells(const Mesh& mesh, const LagrangeCells* instead);

}  // namespace ritz
