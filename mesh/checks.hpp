// The requirements of Mesh on its data, step by step. Each function adds the violations to `errors`, with their number
// and the first ten, and continues.
#pragma once

#include "mesh/mesh.hpp"

namespace ritz {

// Sizes, kinds, finite coordinates, node numbers, a flat z in two dimensions. Later steps rely on it: throws.
void check_arrays(const MeshData& data);

// Names, and numbers in range; sorts the contents and drops repetitions.
void check_regions(MeshData& data, ErrorList& errors);

// Points that no cell uses, ascending.
std::vector<Node> find_orphan_nodes(const MeshData& data);

// Sign of the Jacobians of a cell at corners, edge nodes and centroid: all positive, all negative, all zero (to within
// the precision of the coordinates), or mixed.
enum class CellStatus : std::uint8_t { positive, reversed, flat, folded };
std::vector<CellStatus> cell_statuses(const MeshData& data);  // [cell]; the arrays must have passed check_arrays

// Positive Jacobians at corners, edge nodes and centroid. Blocks that are inside out throughout are renumbered
// (their facet regions with them) when `fix` is set, with a notice.
void orient_cells(MeshData& data, bool fix, std::vector<std::string>& notices, ErrorList& errors);

// Duplicate cells and facets that do not fit; returns the boundary. Needs oriented cells.
std::vector<FacetOfCell> check_facets(const MeshData& data, ErrorList& errors);

// "12 cells (3, 5, 8, ...)" with at most ten numbers.
std::string counted(std::string_view what, Index count, std::span<const Index> first);

// "(1, 2.5, 0)": the mean of the cell's corners.
std::string place_of_cell(const MeshData& data, Index cell);

}  // namespace ritz
