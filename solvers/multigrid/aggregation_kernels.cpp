#include "solvers/multigrid/aggregation_kernels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"

#include <string>

namespace ritz::RITZ_BACKEND {
namespace {

constexpr const char* tag = "multigrid set-up";

template <int Size>
constexpr double block_square(const double* block) {
  double sum = 0;
  for (int k = 0; k < Size; ++k) sum += block[k] * block[k];
  return sum;
}

template <int C>
struct DiagonalNorm {  // ||A_ii||_F
  BlockMatrixView<double> A;
  double* norm;
  constexpr void operator()(Index i) const {
    Index diagonal = -1;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) diagonal = A.column[k] == i ? k : diagonal;
    norm[i] = diagonal < 0 ? 0 : __builtin_sqrt(block_square<C * C>(A.values + diagonal * C * C));
  }
};

template <int C>
struct StrongRow {
  BlockMatrixView<double> A;
  double threshold_square;
  const double* norm;
  std::int32_t* count;
  std::int32_t* column;
  constexpr void operator()(Index i) const {
    const Index begin = A.offsets[i];
    const double own = threshold_square * norm[i];
    std::int32_t n = 0;
    for (Index k = begin; k < A.offsets[i + 1]; ++k) {
      const std::int32_t j = A.column[k];
      column[begin + n] = j;  // overwritten unless it is strong
      n += j != i && block_square<C * C>(A.values + k * C * C) > own * norm[j] ? 1 : 0;
    }
    count[i] = n;
  }
};

struct LargestCoupling {
  BlockMatrixView<double> A;
  double threshold;
  double* least;
  constexpr void operator()(Index i) const {
    double largest = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const double coupling = A.column[k] == i ? 0 : -A.values[k];
      largest = coupling > largest ? coupling : largest;
    }
    least[i] = threshold * largest;
  }
};

struct StrongScalarRow {
  BlockMatrixView<double> A;
  const double* least;
  std::int32_t* count;
  std::int32_t* column;
  constexpr void operator()(Index i) const {
    const Index begin = A.offsets[i];
    const double own = least[i];
    std::int32_t n = 0;
    for (Index k = begin; k < A.offsets[i + 1]; ++k) {
      const std::int32_t j = A.column[k];
      const double coupling = -A.values[k];
      column[begin + n] = j;  // overwritten unless it is strong
      n += coupling > own && coupling > least[j] && j != i ? 1 : 0;
    }
    count[i] = n;
  }
};

void strong_scalar_rows(const Device& device, const BlockMatrixView<double>& A, double threshold, Graph& graph) {
  Vector least(device, A.rows, tag);
  for_each(device, "largest couplings", A.rows, LargestCoupling{A, threshold, least.data()});
  for_each(device, "strong connections", A.rows, StrongScalarRow{A, least.data(), graph.count.data(), graph.column.data()});
}

template <int C>
void strong_rows(const Device& device, const BlockMatrixView<double>& A, double threshold, Graph& graph) {
  Vector norm(device, A.rows, tag);
  for_each(device, "diagonal norms", A.rows, DiagonalNorm<C>{A, norm.data()});
  for_each(device, "strong connections", A.rows,
           StrongRow<C>{A, threshold * threshold, norm.data(), graph.count.data(), graph.column.data()});
}

void strong_graph(const Device& device, const BlockMatrixView<double>& A, Index nonzeros, double threshold, Graph& graph) {
  graph.begin = A.offsets;
  graph.count = Array<std::int32_t>(device, A.rows, tag);
  graph.column = Array<std::int32_t>(device, nonzeros, tag);
  switch (A.row_block) {
    case 1: return strong_scalar_rows(device, A, threshold, graph);
    case 2: return strong_rows<2>(device, A, threshold, graph);
    case 3: return strong_rows<3>(device, A, threshold, graph);
    case 6: return strong_rows<6>(device, A, threshold, graph);
    default: throw Error(Exit::internal, "multigrid level with blocks of " + std::to_string(A.row_block));
  }
}

// A node's standing: the state in the highest bits, then a pseudo-random priority, then its number.
enum State : std::uint64_t { out = 0, undecided = 1, in = 2 };
using Standing = std::uint64_t;

constexpr Standing standing(State state, Index node) {
  std::uint64_t hash = static_cast<std::uint64_t>(node) * 0x9E3779B97F4A7C15ull;
  hash ^= hash >> 29;
  hash *= 0xBF58476D1CE4E5B9ull;
  return (std::uint64_t{state} << 62) | ((hash >> 34) << 32) | static_cast<std::uint32_t>(node);
}
constexpr State state_of(Standing s) { return static_cast<State>(s >> 62); }

struct FirstStanding {  // nodes without neighbours take no part
  GraphView graph;
  Standing* standing_;
  constexpr void operator()(Index i) const {
    standing_[i] = standing(graph.count[i] > 0 ? undecided : out, i);
  }
};

struct LargestNear {  // over the neighbours and the node itself
  GraphView graph;
  const Standing* of;
  Standing* largest;
  constexpr void operator()(Index i) const {
    Standing m = of[i];
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) {
      const Standing other = of[graph.column[k]];
      m = other > m ? other : m;
    }
    largest[i] = m;
  }
};

// Decides the nodes of a list by the largest standing within distance 2.
struct Decide {
  GraphView graph;
  const std::int32_t* list;    // nullptr: all nodes
  const Standing* now;
  const Standing* near;        // largest within distance 1; nullptr: look two steps far here
  Standing* next;
  std::int32_t* open;          // [list position] 1: still undecided
  constexpr Standing within_one(Index i) const {
    if (near != nullptr) return near[i];
    Standing m = now[i];
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) {
      const Standing other = now[graph.column[k]];
      m = other > m ? other : m;
    }
    return m;
  }
  constexpr void operator()(Index position) const {
    const Index i = list == nullptr ? position : Index{list[position]};
    Standing result = now[i];
    if (state_of(result) == undecided) {
      Standing m = within_one(i);
      for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) {
        const Standing other = within_one(graph.column[k]);
        m = other > m ? other : m;
      }
      if (m == now[i]) result = standing(in, i);
      else if (state_of(m) == in) result = standing(out, i);
    }
    next[i] = result;
    open[position] = state_of(result) == undecided ? 1 : 0;
  }
};

struct CopyList {
  const std::int32_t* list;
  const Standing* from;
  Standing* to;
  constexpr void operator()(Index position) const { to[list[position]] = from[list[position]]; }
};

struct KeepOpen {
  const std::int32_t* list;
  const std::int32_t* open;
  const Index* place;
  std::int32_t* kept;
  constexpr void operator()(Index position) const {
    if (open[position] != 0) kept[place[position]] = list == nullptr ? static_cast<std::int32_t>(position) : list[position];
  }
};

struct IsRoot {
  const Standing* standing_;
  std::int32_t* root;
  constexpr void operator()(Index i) const { root[i] = state_of(standing_[i]) == in ? 1 : 0; }
};

struct JoinRoot {  // roots and their neighbours
  GraphView graph;
  const std::int32_t* root;
  const Index* number;
  std::int32_t* aggregate;
  constexpr void operator()(Index i) const {
    std::int32_t mine = root[i] != 0 ? static_cast<std::int32_t>(number[i]) : -1;
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i] && mine < 0; ++k)
      if (root[graph.column[k]] != 0) mine = static_cast<std::int32_t>(number[graph.column[k]]);
    aggregate[i] = mine;
  }
};

// The others join the aggregate that most of their neighbours belong to; of equals, the one with the lowest number.
struct JoinNeighbour {
  GraphView graph;
  const std::int32_t* before;
  std::int32_t* aggregate;
  constexpr void operator()(Index i) const {
    std::int32_t best = before[i];
    int best_votes = 0;
    if (best < 0)
      for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) {
        const std::int32_t candidate = before[graph.column[k]];
        if (candidate < 0) continue;
        int votes = 0;
        for (Index l = graph.begin[i]; l < graph.begin[i] + graph.count[i]; ++l) votes += before[graph.column[l]] == candidate ? 1 : 0;
        if (votes > best_votes || (votes == best_votes && candidate < best)) {
          best = candidate;
          best_votes = votes;
        }
      }
    aggregate[i] = best;
  }
};

// Standings after a maximal independent set of distance 2 is found.
Array<Standing> independent_set(const Device& device, const GraphView& graph, Index nodes) {
  Array<Standing> now(device, nodes, tag), next(device, nodes, tag), near(device, nodes, tag);
  Array<std::int32_t> list, kept, open(device, nodes, tag);
  Array<Index> place(device, nodes + 1, tag);
  for_each(device, "independent set", nodes, FirstStanding{graph, now.data()});
  bool all = true;  // the first rounds go over all nodes, later ones over the list of those still open
  Index count = nodes;
  while (count > 0) {
    if (all) for_each(device, "independent set", nodes, LargestNear{graph, now.data(), near.data()});
    const std::int32_t* open_list = all ? nullptr : list.data();
    for_each(device, "independent set", count,
             Decide{graph, open_list, now.data(), all ? near.data() : nullptr, next.data(), open.data()});
    if (all) now.swap(next);
    else for_each(device, "independent set", count, CopyList{open_list, next.data(), now.data()});
    exclusive_scan(device, open.data(), count, place.data());
    Index left = 0;
    device.machine().copy_to_host(&left, place.data() + count, Index{sizeof left});
    const bool few = left < nodes / 16;
    if (!all || few) {
      kept = Array<std::int32_t>(device, left > 0 ? left : 1, tag);
      for_each(device, "independent set", count, KeepOpen{open_list, open.data(), place.data(), kept.data()});
      list.swap(kept);
      all = false;
      count = left;
    } else if (left == 0) {
      count = 0;
    }
  }
  return now;
}

Index aggregate(const Device& device, const Graph& graph, Index nodes, Array<std::int32_t>& result) {
  const GraphView view = graph.view();
  const Array<Standing> standings = independent_set(device, view, nodes);
  Array<std::int32_t> root(device, nodes, tag), near_root(device, nodes, tag);
  Array<Index> number(device, nodes + 1, tag);
  for_each(device, "roots", nodes, IsRoot{standings.data(), root.data()});
  exclusive_scan(device, root.data(), nodes, number.data());
  for_each(device, "aggregates", nodes, JoinRoot{view, root.data(), number.data(), near_root.data()});
  result = Array<std::int32_t>(device, nodes, tag);
  for_each(device, "aggregates", nodes, JoinNeighbour{view, near_root.data(), result.data()});
  Index aggregates = 0;
  device.machine().copy_to_host(&aggregates, number.data() + nodes, Index{sizeof aggregates});
  return aggregates;
}

const AggregationKernels table{strong_graph, aggregate};
const Registration registration("aggregation", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
