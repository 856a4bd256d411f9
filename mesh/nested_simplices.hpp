// nested_cells.hpp for triangles and tetrahedra: four or eight make one, whatever diagonal the inner ones stand around.
#pragma once

#include "mesh/nested_cells.hpp"

namespace ritz {

// dimension: 2 or 3.
std::optional<NestedCells> coarser_simplices(int dimension, std::span<const Node> cells, Index node_count);

}  // namespace ritz
