// How many nodes a space has and how many of their pairs share a cell, from counts of vertices, edges and facets: what
// a matrix takes is known before its pattern is made.
//
//   // of the mesh's own nodes; or of elements of an order
//   const PatternSize size = pattern_size(entity_counts(mesh), 0);
#pragma once

#include "mesh/entity_counts.hpp"

namespace ritz {

struct PatternSize {
  Index nodes = 0;  // rows of the pattern
  Index pairs = 0;  // its nonzeros: ordered pairs, each node with itself included
};

// order: of Lagrange elements on every cell, 0: the mesh's own nodes. Exact where entity_counts is.
PatternSize pattern_size(const EntityCounts& counts, int order);

}  // namespace ritz
