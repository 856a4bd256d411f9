// Which nodes share a cell: the sparsity pattern of every operator on a space, one row per node, columns ascending.
// Built block after block of rows, from the cells at the block, as bits of a few hundred columns.
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
