// Nodes of coarser meshes, or of a field of lower order, that multigrid may take in place of aggregates. Over ranks
// each has the part of its own nodes, with numbers of all ranks. A coarser node belongs to the owner of the finer node
// at its place, so that those of a rank are consecutive.
//
//   std::vector<NestedLevels> of_ranks = divide(*levels, first, 3, 50000);       // where all levels are known
//   SmoothedAggregation(A, {.nested = [&] { return of_ranks[rank]; }});          // on each rank
#pragma once

#include "device/machine.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ritz {

// Nodes of a matrix and the coarser ones between which they lie: a value is the mean of its parents' values. Over ranks
// those that this rank owns.
struct NestedNodes {
  std::vector<Index> first;           // [node + 1] first of its parents; a node without parents takes no part
  std::vector<std::int32_t> parents;  // coarser nodes, as numbered over all ranks
  std::vector<double> weights = {};   // [parent] of its value; empty: the mean of all parents of the node
  std::vector<std::int32_t> same;     // [coarser node] the node at its place
  bool same_cells = false;            // a field of lower order on the same cells
};

struct NestedHierarchy {
  std::vector<NestedNodes> levels;           // from the first on, of block rows
  std::vector<NestedNodes> replicated = {};  // over ranks: the following ones, with the nodes of all ranks
};

using NestedLevels = std::shared_ptr<const NestedHierarchy>;  // null: none
using MakeNested = std::function<NestedLevels()>;

// The share of each rank. first: [rank + 1] nodes of the first level. Levels below one of at most `replicated`
// unknowns, `block` to a node, stay whole; those below a rank without a node are left out.
std::vector<NestedLevels> divide(const NestedHierarchy& all, std::vector<Index> first, int block, Index replicated);

}  // namespace ritz
