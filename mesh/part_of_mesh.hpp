// A mesh of some cells of another one, with all of its points, so that nodes keep their numbers: the solids, or the
// beams and shells, of a body that has both.
//
//   const MeshPart solids = solids_of(whole), structure = structure_of(whole, cells_with_sections);
#pragma once

#include "mesh/mesh.hpp"

#include <vector>

namespace ritz {

struct MeshPart {
  Mesh mesh;
  std::vector<Index> cells;  // [cell] its number in the whole mesh
  std::vector<double> in_whole(std::span<const double> values, int components, Index cell_count) const;  // 0 elsewhere
};

// The volumes. Regions of cells keep their volumes; those of surfaces alone become regions of the facets there, those
// of lines regions of nodes. Names without a place in it are left out.
MeshPart solids_of(const Mesh& whole);

// Chosen surfaces and lines, and lines that join their nodes, which name places. Regions of other cells become regions
// of the nodes that no volume has.
MeshPart structure_of(const Mesh& whole, const std::vector<Index>& cells);

}  // namespace ritz
