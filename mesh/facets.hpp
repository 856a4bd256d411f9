// Facets of the cells: which are free, which belong to two cells, and which were named by a mesh file.
//
//   Index unmatched = 0;
//   std::vector<FacetOfCell> facets = match_facets(data, surface_cells, unmatched);
#pragma once

#include "mesh/hash.hpp"
#include "mesh/mesh.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

// A facet of a cell as a fixed-size table, for loops over millions of cells.
struct FacetTable {
  struct Entry {
    std::uint8_t corner_count, node_count;
    std::uint8_t nodes[9];
  };
  int facet_count;
  Entry facets[6];
};
const FacetTable& facet_table(CellKind kind);

// The corner nodes of a facet: its identity.
FewNodes corners_of(std::span<const Node> cell_nodes, const FacetTable::Entry& facet);

// Survey of the facets of a mesh whose cells all have a positive Jacobian. Cost: one pass over the cells, and a
// second pass over the cells on the boundary. Each facet is hashed with the sign of its orientation, so that the two
// sides of an inner facet cancel in a sum kept at its lowest corner; only nodes with a remainder are examined again,
// exactly.
struct FacetSurvey {
  using Pair = std::pair<FacetOfCell, FacetOfCell>;
  std::vector<FacetOfCell> boundary;  // facets of one cell only, ascending
  std::vector<Pair> crowded;          // facets with two cells on the same side, or in more than two cells
  std::vector<Pair> mismatched;       // equal corners, different nodes between them (tet4 next to tet10)
};
FacetSurvey survey_facets(const MeshData& data);

// Pairs of cells with the same corners, ascending by the second.
std::vector<std::pair<Index, Index>> duplicate_cells(const MeshData& data);

// Finds the facet that each lower-dimensional cell of a mesh file lies on, by its corners; the lowest cell where
// the facet is an inner one. The result runs through the blocks of `surface_cells` in their order; `cell` is -1 where
// no cell of `data` has such a facet (and for cells of other dimensions than data.dimension - 1), and `unmatched`
// counts those. The data need not have been checked.
std::vector<FacetOfCell> match_facets(const MeshData& data, std::span<const CellBlock> surface_cells, Index& unmatched);

}  // namespace ritz
