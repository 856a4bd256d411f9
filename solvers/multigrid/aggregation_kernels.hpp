// Kernels that group the nodes of a matrix graph into aggregates.
#pragma once

#include "solvers/multigrid/block_matrix.hpp"

namespace ritz {

// A graph without values: who is strongly connected to whom (never to itself).
struct Graph {
  Array<Index> offsets;          // [node + 1]
  Array<std::int32_t> column;
};

struct AggregationKernels {
  // i and j are strongly connected when ||A_ij||_F^2 > threshold^2 ||A_ii||_F ||A_jj||_F (Vanek, Mandel, Brezina 1996).
  void (*strong_graph)(const Device&, const BlockMatrixView<double>& A, double threshold, Graph& graph);
  // Aggregates from a maximal independent set of distance 2 (Bell, Dalton, Olson 2012): aggregate [node], -1 for nodes
  // without strong connections. The same on every device. Returns the number of aggregates.
  Index (*aggregate)(const Device&, const Graph& graph, Index nodes, Array<std::int32_t>& aggregate);
};

}  // namespace ritz
