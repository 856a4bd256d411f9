// Kernels that group the nodes of a matrix graph into aggregates.
#pragma once

#include "solvers/algebra/block_matrix.hpp"

#include <cstdint>

namespace ritz {

// A graph without values: strong connections between nodes. A node without any, whose couplings are not small beside
// its diagonal, is connected to itself alone. The neighbours of a node begin where its row of the matrix begins:
// column[begin[node]], ..., count[node] of them.
struct GraphView {
  const Index* begin = nullptr;         // [node], of the matrix
  const std::int32_t* count = nullptr;  // [node]
  const std::int32_t* column = nullptr;
};

struct Graph {
  const Index* begin = nullptr;
  Array<std::int32_t> count, column;
  GraphView view() const { return {begin, count.data(), column.data()}; }
};

// The same with the rows of ghosts.
struct CompletedGraph {
  Array<Index> begin;
  Array<std::int32_t> count, column;
  GraphView view() const { return {begin.data(), count.data(), column.data()}; }
};

// Nodes of other ranks next to those of this one: [owned | ghosts]. All ranks call its functions together.
class NodesElsewhere {
 public:
  virtual ~NodesElsewhere() = default;
  virtual Index owned() const = 0;
  virtual Index size() const = 0;   // owned and ghosts
  virtual Index lower() const = 0;  // the end of the ghosts that are numbered before the owned nodes
  virtual Index first() const = 0;  // number of the first owned node among those of all ranks
  // Values of ghosts from their owners.
  virtual void fetch(Vector& values) const = 0;
  virtual void fetch(Array<std::uint64_t>& values) const = 0;
  virtual void fetch(Array<std::int32_t>& values) const = 0;
  // Rows of ghosts as their owners have them. Nodes that this rank does not have are numbered from size() on.
  virtual CompletedGraph complete(const Graph& graph) const = 0;
  virtual bool any(bool here) const = 0;
  virtual Index before(Index mine) const = 0;  // the sum over the ranks before this one
};

// The first vectors of a near-null space, if they are the translations of a body. Without any, blocks are compared by
// their norms.
struct Translations {
  const double* near_null = nullptr;  // [node][C][K], all K vectors
  int K = 0, count = 0;
};

// `softer`: of two rows the one with the smaller couplings decides what is strong, but for a factor of three.
struct Strength {
  double threshold;
  bool softer = false;
};

struct AggregationKernels {
  // i and j are strongly connected when ||A_ij||_F^2 > threshold^2 ||A_ii||_F ||A_jj||_F (Vanek, Mandel, Brezina 1996).
  // Scalars: when -a_ij > threshold max(m_i, m_j), m_i the largest of a row's -a_ik (Ruge and Stueben 1987, made
  // symmetric). Only that sees in which direction stretched cells couple: there positive entries, of nodes side by
  // side, are as large as those that conduct. Not their geometric mean: rows of nodes on free boundaries are half as
  // large. Blocks with translations t: as scalars a_ij = sum t_i . A_ij t_j, on a mesh the trace of A_ij, which is
  // (lambda + 4 mu) times that of heat. Where C < K, nodes that A couples and that have a strong neighbour in common
  // are connected, too, twice: aggregates of more unknowns than their nodes have should not be small where cells are
  // not stretched. The graph refers to the offsets of A. elsewhere: over ranks, where rows of ghosts are not complete;
  // null: one process.
  void (*strong_graph)(const Device&, const BlockMatrixView<double>& A, Index nonzeros, const Strength& strength,
                       const Translations& translations, const NodesElsewhere* elsewhere, Graph& graph);
  // Aggregates from a maximal independent set of distance 2 (Bell, Dalton, Olson 2012): aggregate [node], -1 for nodes
  // without strong connections. The same on every device. Returns the number of aggregates. Over ranks an aggregate is
  // that of the rank with its root, which numbers it after those of the ranks before: the aggregates are those of one
  // process, in which nodes have these numbers.
  Index (*aggregate)(const Device&, const Graph& graph, Index nodes, const NodesElsewhere* elsewhere,
                     Array<std::int32_t>& aggregate);
};

}  // namespace ritz
