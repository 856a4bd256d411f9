// Nested levels over ranks (NestedNodes in smoothed_aggregation.hpp): of each level the nodes of one rank, with numbers
// of all. A coarser node belongs to the owner of the finer node at its place, so that those of a rank are consecutive.
//
//   std::vector<DividedNesting> of_ranks = divide(levels, first, 3, 50000);      // where all levels are known
//   DividedAggregation(A, {.nesting = &of_ranks[rank]});                         // on each rank
#pragma once

#include "device/ranks/packed.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <vector>

namespace ritz {

struct NestedPart {
  std::vector<Index> first;           // [owned node + 1] first of its parents
  std::vector<std::int32_t> parents;  // coarser nodes, as numbered over all ranks
  std::vector<double> weights;        // as in NestedNodes
  std::vector<std::int32_t> same;     // [owned coarser node] the owned node at its place
  bool same_cells = false;
};

struct DividedNesting {
  std::vector<NestedPart> parts;   // of the levels that are divided
  std::vector<NestedNodes> whole;  // of the following ones, which every rank has
  bool empty() const { return parts.empty(); }
};

// first: [rank + 1] nodes of the first level. Levels below one of at most `replicated` unknowns, `block` to a node,
// stay whole; those below a rank without a node are left out.
std::vector<DividedNesting> divide(const std::vector<NestedNodes>& levels, std::vector<Index> first, int block,
                                   Index replicated);

void add(Packed& to, const DividedNesting& nesting);
DividedNesting unpacked_nesting(Unpacked& from);

// Whether the levels suit a matrix, by the rules of one process (hierarchy_setup.cpp): the same answer on all ranks.
// The first `result` parts do; 0: none.
std::size_t suitable_levels(const DividedMatrix& A, const DividedNesting& nesting,
                            const SmoothedAggregationOptions& options);

}  // namespace ritz
