// How many vertices, edges and facets a mesh has, without making a list of them: from Euler's formula and its boundary.
//
//   const EntityCounts count = entity_counts(mesh);   count.edges
#pragma once

#include "mesh/mesh.hpp"

#include <map>

namespace ritz {

struct EntityCounts {
  int dimension = 3;
  Index vertices = 0, edges = 0;            // corners that cells use; edges of cells (in two dimensions the facets)
  Index triangles = 0, quadrilaterals = 0;  // facets of solids, each once
  std::map<CellKind, Index> cells;
  Index cell_count() const;
};

// Exact for conforming meshes whose body is a manifold with boundary; where cells touch at single points or edges it
// misses a few edges. In three dimensions V - E + F - C is half the boundary's V - E + F (Poincare duality: the Euler
// characteristic of a compact manifold of odd dimension is half that of its boundary; Hatcher, Algebraic Topology,
// 2002, 3.3).
EntityCounts entity_counts(const Mesh& mesh);

// A large body of one kind of cells, per vertex in the interior: what `vertices` corners give. Tetrahedra as mesh
// generators make them, 5.6 a vertex; prisms and pyramids as in a structured box.
EntityCounts typical_counts(CellKind kind, Index vertices);

}  // namespace ritz
