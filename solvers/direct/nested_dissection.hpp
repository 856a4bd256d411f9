// An elimination order for sparse factorisation from the positions of the nodes: the domain is cut in two again and
// again; the nodes of each cut come after both halves (George 1973). The cut runs across the mesh where a smallest
// vertex separator of the halves' common edges is smallest. Costs O(n log n), far less than orderings that see the
// graph only.
//
//   std::vector<std::int32_t> order = nested_dissection({offsets, columns}, coordinates, 3);
#pragma once

#include "device/machine.hpp"

#include <span>
#include <vector>

namespace ritz {

struct BlockGraph {
  std::span<const Index> offsets;         // [node + 1]
  std::span<const std::int32_t> columns;  // neighbours; the node itself is ignored; must be symmetric
  Index size() const { return static_cast<Index>(offsets.size()) - 1; }
};

// coordinates: [node][dimension]. Returns the nodes in the order of their elimination: a permutation, the same for
// every number of threads. Nodes in one place, or no edges at all, are no trouble.
std::vector<std::int32_t> nested_dissection(const BlockGraph& graph, std::span<const double> coordinates,
                                            int dimension);

}  // namespace ritz
