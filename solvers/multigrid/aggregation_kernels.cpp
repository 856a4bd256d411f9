#include "solvers/multigrid/aggregation_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

constexpr const char* tag = "multigrid set-up";

constexpr double block_square(const double* block, int size) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += block[k] * block[k];
  return sum;
}

struct DiagonalNorm {  // ||A_ii||_F
  BlockMatrixView<double> A;
  double* norm;
  constexpr void operator()(Index i) const {
    const int size = A.row_block * A.column_block;
    norm[i] = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.column[k] == i) norm[i] = __builtin_sqrt(block_square(A.values + k * size, size));
  }
};

// One pass marks and counts the strong connections, the next writes them.
struct MarkStrong {
  BlockMatrixView<double> A;
  double threshold_square;
  const double* norm;
  std::uint8_t* strong;
  std::int32_t* count;
  constexpr void operator()(Index i) const {
    const int size = A.row_block * A.column_block;
    std::int32_t n = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const Index j = A.column[k];
      const double square = block_square(A.values + k * size, size);
      const bool is_strong = j != i && square > threshold_square * norm[i] * norm[j];
      strong[k] = is_strong ? 1 : 0;
      n += is_strong ? 1 : 0;
    }
    count[i] = n;
  }
};

struct WriteStrong {
  BlockMatrixView<double> A;
  const std::uint8_t* strong;
  const Index* offsets;
  std::int32_t* column;
  constexpr void operator()(Index i) const {
    Index next = offsets[i];
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (strong[k] != 0) column[next++] = A.column[k];
  }
};

Index last_offset(const Device& device, const Array<Index>& offsets) {
  Index last = 0;
  device.machine().copy_to_host(&last, offsets.data() + offsets.size() - 1, Index{sizeof last});
  return last;
}

void strong_graph(const Device& device, const BlockMatrixView<double>& A, double threshold, Graph& graph) {
  Vector norm(device, A.rows, tag);
  Index nonzeros = 0;
  device.machine().copy_to_host(&nonzeros, A.offsets + A.rows, Index{sizeof nonzeros});
  Array<std::uint8_t> strong(device, nonzeros, tag);
  Array<std::int32_t> count(device, A.rows, tag);
  for_each(device, "diagonal norms", A.rows, DiagonalNorm{A, norm.data()});
  for_each(device, "strong connections", A.rows,
           MarkStrong{A, threshold * threshold, norm.data(), strong.data(), count.data()});
  graph.offsets = Array<Index>(device, A.rows + 1, tag);
  exclusive_scan(device, count.data(), A.rows, graph.offsets.data());
  graph.column = Array<std::int32_t>(device, last_offset(device, graph.offsets), tag);
  for_each(device, "strong graph", A.rows, WriteStrong{A, strong.data(), graph.offsets.data(), graph.column.data()});
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

struct GraphView {
  const Index* offsets;
  const std::int32_t* column;
};

struct FirstStanding {  // nodes without neighbours take no part
  GraphView graph;
  Standing* standing_;
  constexpr void operator()(Index i) const {
    standing_[i] = standing(graph.offsets[i] < graph.offsets[i + 1] ? undecided : out, i);
  }
};

struct LargestNear {  // over the neighbours and the node itself
  GraphView graph;
  const Standing* of;
  Standing* largest;
  constexpr void operator()(Index i) const {
    Standing m = of[i];
    for (Index k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
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
    for (Index k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
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
      for (Index k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
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
    for (Index k = graph.offsets[i]; k < graph.offsets[i + 1] && mine < 0; ++k)
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
      for (Index k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
        const std::int32_t candidate = before[graph.column[k]];
        if (candidate < 0) continue;
        int votes = 0;
        for (Index l = graph.offsets[i]; l < graph.offsets[i + 1]; ++l) votes += before[graph.column[l]] == candidate ? 1 : 0;
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
  const GraphView view{graph.offsets.data(), graph.column.data()};
  const Array<Standing> standings = independent_set(device, view, nodes);
  Array<std::int32_t> root(device, nodes, tag), near_root(device, nodes, tag);
  Array<Index> number(device, nodes + 1, tag);
  for_each(device, "roots", nodes, IsRoot{standings.data(), root.data()});
  exclusive_scan(device, root.data(), nodes, number.data());
  for_each(device, "aggregates", nodes, JoinRoot{view, root.data(), number.data(), near_root.data()});
  result = Array<std::int32_t>(device, nodes, tag);
  for_each(device, "aggregates", nodes, JoinNeighbour{view, near_root.data(), result.data()});
  return last_offset(device, number);
}

const AggregationKernels table{strong_graph, aggregate};
const Registration registration("aggregation", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
