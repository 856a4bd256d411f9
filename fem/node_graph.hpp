// Which nodes share a cell: the sparsity pattern of every operator on a space, one row per node, columns ascending.
// Built from the cells around each node; a marker per thread keeps a row free of duplicates, so nothing is sorted
// but single rows.
#pragma once

#include "mesh/mesh.hpp"

#include <span>
#include <vector>

namespace ritz {

struct NodeGraph {
  std::vector<Index> offsets;           // [node + 1]
  std::vector<std::int32_t> columns;
};

// node_of: [mesh node] number of its node, -1 for none.
NodeGraph node_graph(const Mesh& mesh, std::span<const Index> cell_order, std::span<const Node> node_of, Index node_count,
                     int threads);

}  // namespace ritz
