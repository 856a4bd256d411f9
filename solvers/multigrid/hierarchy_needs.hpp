// Memory of a smoothed-aggregation hierarchy in the device's pool, before it is set up: measured per block of the
// matrix and per node, since its coarse levels depend on the mesh. tests/solvers/multigrid compares it with measured
// hierarchies.
//
//   const HierarchyNeeds needs = hierarchy_needs({.rows = 100'000, .nonzeros = 2'700'000, .block = 3,
//       .dimension = 3}, true);
#pragma once

#include "device/memory_needs.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

namespace ritz {

// Kind of the first coarser level: aggregates, a coarser mesh, or the same cells with a field of lower order.
enum class Nesting { none, mesh, cells };

struct HierarchyShape {
  Index rows = 0, nonzeros = 0;  // of the matrix, in blocks
  int block = 1, dimension = 3;  // unknowns per node; of the mesh
  Nesting nesting = Nesting::none;
  bool half_storage = false;  // matrices of levels in 16 bits, where the cycle is in single precision
  // Unknowns of the level with a dense inverse, which takes most of a small hierarchy; 0: not known, and a mean counts.
  Index inverse = 0;
};

struct HierarchyNeeds {
  MemoryNeeds live;     // after the set-up, with the vectors of its cycle
  MemoryNeeds set_up;   // at most, while it is set up
  MemoryNeeds refresh;  // at most, while new values take the place of the old
};

HierarchyNeeds hierarchy_needs(const HierarchyShape& shape, bool single_precision);
// Vectors of a cycle that is applied to a group of columns.
MemoryNeeds lanes_of_cycle(Index unknowns, bool single_precision);

// Needs of one rank. local: of its rows with those of its ghosts. nodes: of all ranks.
HierarchyNeeds hierarchy_needs(const HierarchyShape& local, Index nodes, const SmoothedAggregationOptions& options);
// The part of these that every rank has besides the levels of its own rows.
HierarchyNeeds replicated_needs(const HierarchyShape& local, Index nodes, const SmoothedAggregationOptions& options);

}  // namespace ritz
