// Converts cells of order 3 and more in files to cells of order 2: each node of the cell of order 2 is placed by the
// file's own map, the polynomials through its nodes. Where the two maps differ, bodies keep their own
// (mesh/curved_cells.hpp), but shells and beams have those of order 2. The difference is measured and reported.
//
// A node between the corners takes the number of a node that the file has on the same edge, facet or inside of the same
// cell. So cells continue to share their nodes, and lists of nodes remain valid.
#pragma once

#include "mesh/mesh.hpp"
#include "mesh/orthogonal_polynomials.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

constexpr std::size_t cell_kind_count = static_cast<std::size_t>(CellKind::pyramid14) + 1;

// Cells before they are a mesh: [kind][cell][node].
using CellsByKind = std::array<std::vector<Node>, cell_kind_count>;

// The nodes of cells of order 3 and more that are to become cells of one kind: one of order 2 that has nodes wherever
// it can (line3, tri6, quad9, tet10, hex27, prism18, pyramid14). Where `nodes` is empty, the cells have the kind's own.
struct NodeSet {
  int order = 0;
  // on the reference cell, in the order of the file; they determine the polynomials of the order
  std::vector<Point> nodes;
};
using NodeSets = std::array<NodeSet, cell_kind_count>;

// How many nodes the cells of a kind have so far.
Index file_node_count(const NodeSets& sets, CellKind kind);

// The kind that a cell of this shape (a linear kind) becomes.
CellKind complete_quadratic(CellKind shape);

struct LoweredCells {
  // [node]: no cell needs the point any more; empty when there was nothing to do
  std::vector<std::uint8_t> unneeded;
  // of the kinds of the highest dimension; positions in the list of the kind
  std::array<CurvedCells, cell_kind_count> curved;
};

// Rewrites the cells and moves the points. Node numbers must exist. The notice reports the largest distance between the
// two maps, over a fine lattice in all cells. Throws Error: Exit::mesh when two cells put a shared node into different
// places, or another cell has a node that would move.
enum class KeepMaps { no, where_they_differ };
LoweredCells lower_order(CellsByKind& cells, const NodeSets& sets, std::vector<double>& points, KeepMaps keep,
                         const std::string& source, std::vector<std::string>& notices);

// Whether a notice is the one above, of cells that have lost their own map: they may be folded where the file's are
// not.
bool tells_of_lower_order(std::string_view notice);

// Takes points out of the data and renumbers the others; `unneeded` as above.
void drop_points(MeshData& data, const std::vector<std::uint8_t>& unneeded);

}  // namespace ritz
