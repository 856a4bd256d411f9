#include "solvers/multigrid/aggregation_kernels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/scan.hpp"

#include <limits>
#include <string>
#include <utility>

namespace ritz::RITZ_BACKEND::aggregation_kernels {
namespace {

constexpr const char* tag = "multigrid set-up";

// The sum of squares of a block C x C, to the bit that of its transpose: couplings are strong from both sides or from
// none.
template <int C>
constexpr double block_square(const double* block) {
  double sum = 0;
  for (int k = 0; k < C; ++k) {
    sum += block[k * C + k] * block[k * C + k];
    for (int l = 0; l < k; ++l) {
      const double lower = block[k * C + l] * block[k * C + l], upper = block[l * C + k] * block[l * C + k];
      const bool ordered = lower < upper;  // no product is a part of a fused sum
      sum += (ordered ? lower : upper) + (ordered ? upper : lower);
    }
  }
  return sum;
}

template <int C>
struct DiagonalNorm {  // ||A_ii||_F
  BlockMatrixView<double> A;
  double* norm;
  constexpr void operator()(Index i) const {
    Index diagonal = -1;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) diagonal = A.column[k] == i ? k : diagonal;
    norm[i] = diagonal < 0 ? 0 : __builtin_sqrt(block_square<C>(A.values + diagonal * C * C));
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
    std::int32_t n = 0;
    for (Index k = begin; k < A.offsets[i + 1]; ++k) {
      const std::int32_t j = A.column[k];
      column[begin + n] = j;  // overwritten unless it is strong
      n += j != i && block_square<C>(A.values + k * C * C) > threshold_square * (norm[i] * norm[j]) ? 1 : 0;
    }
    count[i] = n;
  }
};

// Entries of a long row of a body, as those of order 3 or of a node that a rigid region follows.
constexpr Index long_row = 100;

// The least strong coupling of a row; negative if it gives way to those of softer rows, as rows of more entries than
// `longest` do.
struct LargestCoupling {
  BlockMatrixView<double> A;
  double threshold;
  Index longest;
  double* least;
  constexpr void operator()(Index i) const {
    double largest = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const double coupling = -A.values[k];  // negative on the diagonal
      largest = coupling > largest ? coupling : largest;
    }
    least[i] = A.offsets[i + 1] - A.offsets[i] > longest ? -threshold * largest : threshold * largest;
  }
};

struct StrongScalarRow {
  BlockMatrixView<double> A;
  const double* least;
  std::int32_t* count;
  std::int32_t* column;
  // The larger of two rows' measures, or where one gives way, at most this many times the smaller one: on free
  // boundaries rows are half as large.
  static constexpr double contrast = 3;
  constexpr void operator()(Index i) const {
    const Index begin = A.offsets[i];
    const double own = least[i] < 0 ? -least[i] : least[i];
    std::int32_t n = 0;
    for (Index k = begin; k < A.offsets[i + 1]; ++k) {
      const std::int32_t j = A.column[k];
      const double coupling = -A.values[k];
      column[begin + n] = j;  // overwritten unless it is strong
      const double other = least[j] < 0 ? -least[j] : least[j];
      const double smaller = own < other ? own : other, larger = own < other ? other : own;
      const bool gives_way = larger > contrast * smaller && (least[i] < 0 || least[j] < 0);
      n += coupling > (gives_way ? contrast * smaller : larger) && j != i ? 1 : 0;
    }
    if (n == 0 && !is_dominated(i)) column[begin + n++] = static_cast<std::int32_t>(i);  // its own aggregate
    count[i] = n;
  }
  // Does the diagonal outweigh the couplings so far that smoothing is enough? Small aggregates beside large ones couple
  // too weakly for those, but have nothing else that holds them: constants must reach them from coarser levels.
  constexpr bool is_dominated(Index i) const {
    double diagonal = 0, couplings = 0;
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      if (A.column[k] == i) diagonal = A.values[k];
      else if (A.values[k] < 0) couplings -= A.values[k];
    }
    return diagonal >= 2 * couplings;
  }
};

void strong_scalar_rows(const Device& device, const BlockMatrixView<double>& A, const Strength& strength, Index longest,
                        const NodesElsewhere* elsewhere, Graph& graph) {
  Vector least(device, A.rows, tag);
  for_each(device, "largest couplings", A.rows,
           LargestCoupling{A, strength.threshold, strength.softer ? 0 : longest, least.data()});
  if (elsewhere != nullptr) elsewhere->fetch(least);
  for_each(device, "strong connections", A.rows,
           StrongScalarRow{A, least.data(), graph.count.data(), graph.column.data()});
}

template <int C>
void strong_rows(const Device& device, const BlockMatrixView<double>& A, double threshold,
                 const NodesElsewhere* elsewhere, Graph& graph) {
  Vector norm(device, A.rows, tag);
  for_each(device, "diagonal norms", A.rows, DiagonalNorm<C>{A, norm.data()});
  if (elsewhere != nullptr) elsewhere->fetch(norm);
  for_each(device, "strong connections", A.rows,
           StrongRow<C>{A, threshold * threshold, norm.data(), graph.count.data(), graph.column.data()});
}

// sum t_i . A_ij t_j over translations t, to the bit that of j and i.
template <int C>
struct TranslationCouplings {
  BlockMatrixView<double> A;
  Translations t;
  Index owned, lower;  // ghosts from `owned` to below `lower` are numbered before the owned nodes
  double* value;
  constexpr void operator()(Index i) const {
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const Index j = A.column[k];
      const bool upper = i <= j && (j < owned || j >= lower);
      const double* of_row = t.near_null + (upper ? i : j) * C * t.K;
      const double* of_column = t.near_null + (upper ? j : i) * C * t.K;
      const int row = upper ? C : 1, column = upper ? 1 : C;
      double sum = 0;
      for (int v = 0; v < t.count; ++v)
        for (int c = 0; c < C; ++c) {
          double product = 0;
          for (int d = 0; d < C; ++d) product += A.values[k * C * C + c * row + d * column] * of_column[d * t.K + v];
          sum += of_row[c * t.K + v] * product;
        }
      value[k] = sum;
    }
  }
};

// Connects nodes that A couples, if they have a strong neighbour in common.
struct CloseRow {
  BlockMatrixView<double> A;
  GraphView strong;
  std::int32_t* count;
  std::int32_t* column;
  constexpr void operator()(Index i) const {
    const Index begin = A.offsets[i], last = strong.begin[i] + strong.count[i];
    Index next = strong.begin[i];  // strong connections are in the order of the row
    std::int32_t n = 0;
    for (Index k = begin; k < A.offsets[i + 1]; ++k) {
      const std::int32_t j = A.column[k];
      const bool is_strong = next < last && strong.column[next] == j;
      if (is_strong) ++next;
      if (is_strong || (j != i && share_neighbour(i, j))) column[begin + n++] = j;
    }
    count[i] = n;
  }
  constexpr bool share_neighbour(Index i, Index j) const {
    if (strong.count[i] > long_row || strong.count[j] > long_row) return false;
    for (Index k = strong.begin[i]; k < strong.begin[i] + strong.count[i]; ++k)
      for (Index l = strong.begin[j]; l < strong.begin[j] + strong.count[j]; ++l)
        if (strong.column[k] == strong.column[l]) return true;
    return false;
  }
};

void close(const Device& device, const BlockMatrixView<double>& A, const NodesElsewhere* elsewhere, Graph& graph) {
  Graph closed{A.offsets, Array<std::int32_t>(device, A.rows, tag),
               Array<std::int32_t>(device, graph.column.size(), tag)};
  CompletedGraph whole;
  if (elsewhere != nullptr) whole = elsewhere->complete(graph);
  const GraphView strong = elsewhere != nullptr ? whole.view() : graph.view();
  for_each(device, "strong connections", A.rows, CloseRow{A, strong, closed.count.data(), closed.column.data()});
  graph = std::move(closed);
}

template <int C>
void strong_rows_by_translations(const Device& device, const BlockMatrixView<double>& A, Index nonzeros,
                                 const Strength& strength, const Translations& translations,
                                 const NodesElsewhere* elsewhere, Graph& graph) {
  Vector value(device, nonzeros, tag);
  const Index owned = elsewhere != nullptr ? elsewhere->owned() : A.rows,
              lower = elsewhere != nullptr ? elsewhere->lower() : owned;
  for_each(device, "translation couplings", A.rows,
           TranslationCouplings<C>{A, translations, owned, lower, value.data()});
  BlockMatrixView<double> scalars = A;
  scalars.row_block = scalars.column_block = 1;
  scalars.values = value.data();
  strong_scalar_rows(device, scalars, strength, long_row, elsewhere, graph);
  for (int pass = 0; pass < 2 && translations.K > C; ++pass) close(device, A, elsewhere, graph);
}

void strong_graph(const Device& device, const BlockMatrixView<double>& A, Index nonzeros, const Strength& strength,
                  const Translations& translations, const NodesElsewhere* elsewhere, Graph& graph) {
  graph.begin = A.offsets;
  graph.count = Array<std::int32_t>(device, A.rows, tag);
  graph.column = Array<std::int32_t>(device, nonzeros, tag);
  if (translations.count > 0) {
    if (A.row_block == 2)
      return strong_rows_by_translations<2>(device, A, nonzeros, strength, translations, elsewhere, graph);
    if (A.row_block == 3)
      return strong_rows_by_translations<3>(device, A, nonzeros, strength, translations, elsewhere, graph);
    if (A.row_block == 6)
      return strong_rows_by_translations<6>(device, A, nonzeros, strength, translations, elsewhere, graph);
  }
  switch (A.row_block) {
    case 1: return strong_scalar_rows(device, A, strength, std::numeric_limits<Index>::max(), elsewhere, graph);
    case 2: return strong_rows<2>(device, A, strength.threshold, elsewhere, graph);
    case 3: return strong_rows<3>(device, A, strength.threshold, elsewhere, graph);
    case 4: return strong_rows<4>(device, A, strength.threshold, elsewhere, graph);
    case 5: return strong_rows<5>(device, A, strength.threshold, elsewhere, graph);
    case 6: return strong_rows<6>(device, A, strength.threshold, elsewhere, graph);
    default: throw Error(ErrorKind::internal, "multigrid level with blocks of " + std::to_string(A.row_block));
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
constexpr Standing with_state(Standing s, State state) { return (s << 2 >> 2) | (std::uint64_t{state} << 62); }

struct FirstStanding {  // nodes without neighbours take no part
  GraphView graph;
  Index first;  // number of the first node
  Standing* standing_;
  constexpr void operator()(Index i) const { standing_[i] = standing(graph.count[i] > 0 ? undecided : out, first + i); }
};

// Rounds go over the listed nodes and mark those that stay on the list.
struct Listed {
  const std::int32_t* list;  // nullptr: all nodes
  std::int32_t* open;        // [list position] 1: stays
  constexpr Index node(Index position) const { return list == nullptr ? position : Index{list[position]}; }
};

struct LargestNear {  // over the neighbours and the node itself
  GraphView graph;
  Listed listed;
  const Standing* of;
  Standing* largest;
  constexpr void operator()(Index position) const {
    const Index i = listed.node(position);
    Standing m = of[i];
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) {
      const Standing other = of[graph.column[k]];
      m = other > m ? other : m;
    }
    largest[i] = m;
  }
};

struct Enter {  // nodes with the largest standing within distance 2
  GraphView graph;
  Listed listed;
  const Standing* near;  // largest within distance 1
  Standing* standing_;
  constexpr void operator()(Index position) const {
    const Index i = listed.node(position);
    Standing m = near[i];
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) {
      const Standing other = near[graph.column[k]];
      m = other > m ? other : m;
    }
    if (m == standing_[i] && state_of(m) == undecided) standing_[i] = with_state(m, in);
  }
};

struct TellNeighbours {  // no two nodes that are in have one in common
  GraphView graph;
  Listed listed;
  const Standing* standing_;
  Standing* near;
  constexpr void operator()(Index position) const {
    const Index i = listed.node(position);
    if (state_of(standing_[i]) != in) return;
    near[i] = standing_[i];
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i]; ++k) near[graph.column[k]] = standing_[i];
  }
};

struct Leave {  // nodes with a root within distance 2
  GraphView graph;
  Listed listed;
  const Standing* near;
  Standing* standing_;
  constexpr void operator()(Index position) const {
    const Index i = listed.node(position);
    bool leaves = state_of(near[i]) == in;
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i] && !leaves; ++k)
      leaves = state_of(near[graph.column[k]]) == in;
    if (leaves && state_of(standing_[i]) == undecided) standing_[i] = with_state(standing_[i], out);
    listed.open[position] = state_of(standing_[i]) == undecided ? 1 : 0;
  }
};

struct SeesUndecided {
  Listed listed;
  const Standing* near;
  constexpr void operator()(Index position) const {
    listed.open[position] = state_of(near[listed.node(position)]) == undecided ? 1 : 0;
  }
};

struct KeepOpen {
  Listed listed;
  const Index* place;
  std::int32_t* kept;
  constexpr void operator()(Index position) const {
    if (listed.open[position] != 0) kept[place[position]] = static_cast<std::int32_t>(listed.node(position));
  }
};

struct IsRoot {
  const Standing* standing_;
  std::int32_t* root;
  constexpr void operator()(Index i) const { root[i] = state_of(standing_[i]) == in ? 1 : 0; }
};

struct NumberRoot {
  Index first;  // number of the first root
  const Index* before;
  std::int32_t* root;  // 1: a root, else 0; then its number, -1
  constexpr void operator()(Index i) const {
    root[i] = root[i] != 0 ? static_cast<std::int32_t>(first + before[i]) : -1;
  }
};

struct JoinRoot {  // roots and their neighbours
  GraphView graph;
  const std::int32_t* root;
  std::int32_t* aggregate;
  constexpr void operator()(Index i) const {
    std::int32_t mine = root[i];
    for (Index k = graph.begin[i]; k < graph.begin[i] + graph.count[i] && mine < 0; ++k) mine = root[graph.column[k]];
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
        for (Index l = graph.begin[i]; l < graph.begin[i] + graph.count[i]; ++l)
          votes += before[graph.column[l]] == candidate ? 1 : 0;
        if (votes > best_votes || (votes == best_votes && candidate < best)) {
          best = candidate;
          best_votes = votes;
        }
      }
    aggregate[i] = best;
  }
};

// Nodes of a round: at first all.
class NodeList {
 public:
  NodeList(const Device& device, Index nodes, std::int32_t* open, Index* place)
      : device_(device), count_(nodes), open_(open), place_(place) {}
  Index count() const { return count_; }
  Listed listed() const { return {all_ ? nullptr : list_.data(), open_}; }
  void keep_open() {
    if (count_ == 0) return;
    exclusive_scan(device_, open_, count_, place_);
    Index left = 0;
    device_.machine().copy_to_host(&left, place_ + count_, Index{sizeof left});
    Array<std::int32_t> kept(device_, left, tag);
    for_each(device_, "independent set", count_, KeepOpen{listed(), place_, kept.data()});
    list_.swap(kept);
    all_ = false;
    count_ = left;
  }

 private:
  Device device_;
  Index count_;
  std::int32_t* open_;
  Index* place_;
  bool all_ = true;
  Array<std::int32_t> list_;
};

// Standings after a maximal independent set of distance 2 is found. Rounds go over the undecided nodes and their
// neighbours (Kelley and Rajamanickam 2022); the set follows from the standings alone.
Array<Standing> independent_set(const Device& device, const GraphView& graph, Index nodes,
                                const NodesElsewhere* elsewhere) {
  const Index size = elsewhere == nullptr ? nodes : elsewhere->size();
  Array<Standing> now(device, size, tag), near(device, size, tag);
  Array<std::int32_t> open(device, nodes, tag);
  Array<Index> place(device, nodes + 1, tag);
  NodeList seeing(device, nodes, open.data(), place.data()), undecided(device, nodes, open.data(), place.data());
  const auto round = [&](const NodeList& list, const auto& f) { for_each(device, "independent set", list.count(), f); };
  const auto fetch = [&](Array<Standing>& values) {
    if (elsewhere != nullptr) elsewhere->fetch(values);
  };
  const auto look_near = [&] {
    round(seeing, LargestNear{graph, seeing.listed(), now.data(), near.data()});
    fetch(near);
  };
  round(undecided, FirstStanding{graph, elsewhere == nullptr ? 0 : elsewhere->first(), now.data()});
  fetch(now);
  while (elsewhere == nullptr ? undecided.count() > 0 : elsewhere->any(undecided.count() > 0)) {
    look_near();
    round(undecided, Enter{graph, undecided.listed(), near.data(), now.data()});
    fetch(now);
    if (elsewhere != nullptr) look_near();  // roots of others have neighbours here
    else round(undecided, TellNeighbours{graph, undecided.listed(), now.data(), near.data()});
    round(seeing, SeesUndecided{seeing.listed(), near.data()});
    seeing.keep_open();
    round(undecided, Leave{graph, undecided.listed(), near.data(), now.data()});
    undecided.keep_open();
    fetch(now);
  }
  return now;
}

Index aggregate(const Device& device, const Graph& graph, Index nodes, const NodesElsewhere* elsewhere,
                Array<std::int32_t>& result) {
  const GraphView view = graph.view();
  const Index size = elsewhere == nullptr ? nodes : elsewhere->size();
  const Array<Standing> standings = independent_set(device, view, nodes, elsewhere);
  Array<std::int32_t> root(device, size, tag), near_root(device, size, tag);
  const auto fetch = [&](Array<std::int32_t>& values) {
    if (elsewhere != nullptr) elsewhere->fetch(values);
  };
  Array<Index> before(device, nodes + 1, tag);
  for_each(device, "roots", nodes, IsRoot{standings.data(), root.data()});
  exclusive_scan(device, root.data(), nodes, before.data());
  Index aggregates = 0;
  device.machine().copy_to_host(&aggregates, before.data() + nodes, Index{sizeof aggregates});
  const Index first = elsewhere == nullptr ? 0 : elsewhere->before(aggregates);
  for_each(device, "roots", nodes, NumberRoot{first, before.data(), root.data()});
  fetch(root);
  for_each(device, "aggregates", nodes, JoinRoot{view, root.data(), near_root.data()});
  fetch(near_root);
  result = Array<std::int32_t>(device, nodes, tag);
  for_each(device, "aggregates", nodes, JoinNeighbour{view, near_root.data(), result.data()});
  return aggregates;
}

const AggregationKernels table{strong_graph, aggregate};
const Registration registration("aggregation", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::aggregation_kernels
