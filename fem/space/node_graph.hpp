// Which nodes share a cell: the sparsity pattern of every operator on a space, one row per node, columns ascending.
// Built from the cells around each node; a marker per thread keeps a row free of duplicates, so nothing is sorted
// but single rows.
#pragma once

#include "fem/space/function_space.hpp"

#include <vector>

namespace ritz {

struct NodeGraph {
  std::vector<Index> offsets;  // [node + 1]
  std::vector<std::int32_t> columns;
};

NodeGraph node_graph(const FunctionSpace& space);

}  // namespace ritz
