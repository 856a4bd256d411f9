#include "fem/space/node_graph.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

namespace ritz {
namespace {

constexpr int block_bits = 9;  // rows are listed in blocks of 2^9 consecutive nodes

// The nodes of the cells in the order of the space, where all cells have as many and follow no others: read from the
// mesh once, since its cells along the curve lie anywhere.
class OrderedNodes {
 public:
  OrderedNodes(const FunctionSpace& space, int threads) {
    const std::span<const Index> order = space.cell_order();
    if (space.couplings() != nullptr || space.mesh().blocks().size() != 1 || order.empty()) return;
    FunctionSpace::CellNodes of_first(space);
    width_ = of_first(order[0]).size();
    nodes_ = std::make_unique_for_overwrite<Node[]>(order.size() * width_);
    constexpr std::size_t grain = 4096;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t first = 0; first < order.size(); first += grain) {
      FunctionSpace::CellNodes nodes_of(space);
      for (std::size_t position = first; position < std::min(first + grain, order.size()); ++position)
        std::ranges::copy(nodes_of(order[position]), nodes_.get() + position * width_);
    }
  }
  bool known() const { return nodes_ != nullptr; }
  std::span<const Node> operator[](Index position) const {
    return {nodes_.get() + static_cast<std::size_t>(position) * width_, width_};
  }

 private:
  std::size_t width_ = 0;
  std::unique_ptr<Node[]> nodes_;
};

// The nodes that the cell at a position joins with each other: its own and those that these follow.
class JoinedNodes {
 public:
  JoinedNodes(const FunctionSpace& space, const OrderedNodes& ordered)
      : ordered_(ordered), order_(space.cell_order()), nodes_of_(space), couplings_(space.couplings()) {}
  std::span<const Node> operator()(Index position) {
    if (ordered_.known()) return ordered_[position];
    const std::span<const Node> own = nodes_of_(order_[static_cast<std::size_t>(position)]);
    if (couplings_ == nullptr) return own;
    joined_.assign(own.begin(), own.end());
    for (const Node node : own) {
      const std::span<const Node> followed = couplings_->followed_by(node);
      joined_.insert(joined_.end(), followed.begin(), followed.end());
    }
    return joined_;
  }

 private:
  const OrderedNodes& ordered_;
  std::span<const Index> order_;
  FunctionSpace::CellNodes nodes_of_;
  const NodeCouplings* couplings_;
  std::vector<Node> joined_;
};

// Cells that follow each other in the order of the space: positions [first, last).
struct Run {
  Index first, last;
};

// The cells at the rows of each block: runs [first[block], first[block + 1]). The order is that of a curve, so that
// they are few.
struct CellsAtBlocks {
  std::vector<Index> first;
  std::vector<Run> runs;
  std::span<const Run> operator[](std::size_t block) const {
    return std::span(runs).subspan(static_cast<std::size_t>(first[block]),
                                   static_cast<std::size_t>(first[block + 1] - first[block]));
  }
};

struct RunAtBlock {
  Index block;
  Run run;
};

// Runs of cells [first, last), in the order of their begins.
std::vector<RunAtBlock> runs_at_blocks(JoinedNodes nodes_of, Index blocks, Index first, Index last) {
  std::vector<RunAtBlock> found;
  std::vector<std::int64_t> latest(static_cast<std::size_t>(blocks), -1);  // [block] in `found`
  for (Index position = first; position < last; ++position)
    for (const Node node : nodes_of(position)) {
      const Index block = node >> block_bits;
      std::int64_t& at = latest[static_cast<std::size_t>(block)];
      if (at < 0 || found[static_cast<std::size_t>(at)].run.last < position) {
        at = std::ssize(found);
        found.push_back({block, {position, position}});
      }
      found[static_cast<std::size_t>(at)].run.last = position + 1;
    }
  return found;
}

CellsAtBlocks cells_at_blocks(const FunctionSpace& space, const OrderedNodes& ordered, Index blocks, int threads) {
  const Index count = std::ssize(space.cell_order());
  std::vector<std::vector<RunAtBlock>> parts(static_cast<std::size_t>(threads));  // of the cells
  ParallelErrors errors;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; ++part)
    errors.run([&] {
      parts[static_cast<std::size_t>(part)] =
          runs_at_blocks(JoinedNodes(space, ordered), blocks, part * count / threads, (part + 1) * count / threads);
    });
  errors.rethrow();
  CellsAtBlocks result;
  result.first.assign(static_cast<std::size_t>(blocks) + 1, 0);
  for (const std::vector<RunAtBlock>& part : parts)
    for (const RunAtBlock& each : part) ++result.first[static_cast<std::size_t>(each.block) + 1];
  for (std::size_t b = 1; b < result.first.size(); ++b) result.first[b] += result.first[b - 1];
  std::vector<Index> next(result.first.begin(), result.first.end() - 1);
  result.runs.resize(static_cast<std::size_t>(result.first.back()));
  for (const std::vector<RunAtBlock>& part : parts)
    for (const RunAtBlock& each : part)
      result.runs[static_cast<std::size_t>(next[static_cast<std::size_t>(each.block)]++)] = each.run;
  return result;
}

// Lists the rows of one block after the other. Nodes at the block have numbers of their own, in the order of the
// space's, so that the columns of a row are bits of few words: setting one twice does no harm, and they come out
// sorted.
class RowLister {
 public:
  RowLister(const FunctionSpace& space, const OrderedNodes& ordered)
      : nodes_of_(space, ordered), number_(static_cast<std::size_t>(space.node_count()), -1) {}

  // Rows [first, last) around the cells. lengths: of each; columns are appended row after row.
  void list(Index first, Index last, std::span<const Run> cells, Index* lengths, std::vector<std::int32_t>& columns) {
    number_nodes(first, last, cells);
    const std::size_t words = (node_.size() + 63) / 64;
    const Index window =
        std::clamp<Index>(most_words / static_cast<Index>(std::max<std::size_t>(1, words)), 1, last - first);
    for (Index begin = first; begin < last; begin += window)
      list_window(begin, std::min(begin + window, last), words, lengths + (begin - first), columns);
    for (const Node node : node_) number_[static_cast<std::size_t>(node)] = -1;
  }

 private:
  static constexpr Index most_words = 1 << 16;  // a core's cache of the second level holds them

  void number_nodes(Index first, Index last, std::span<const Run> cells) {
    node_.clear();
    begin_.assign(1, 0);
    entries_.clear();
    for (const Run run : cells)
      for (Index position = run.first; position < run.last; ++position) {
        const std::span<const Node> nodes = nodes_of_(position);
        entries_.insert(entries_.end(), nodes.begin(), nodes.end());
        begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
        for (const Node node : nodes)
          if ((node < first || node >= last) && std::exchange(number_[static_cast<std::size_t>(node)], 0) < 0)
            node_.push_back(node);
      }
    // Rows of the block follow each other: only the nodes around it are sorted.
    std::ranges::sort(node_);
    const auto after = std::ranges::lower_bound(node_, static_cast<Node>(first));
    first_number_ = static_cast<std::int32_t>(after - node_.begin());
    row_.resize(static_cast<std::size_t>(last - first));
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = static_cast<Node>(first) + static_cast<Node>(i);
    node_.insert(after, row_.begin(), row_.end());
    for (std::size_t i = 0; i < node_.size(); ++i)
      number_[static_cast<std::size_t>(node_[i])] = static_cast<std::int32_t>(i);
    for (std::int32_t& entry : entries_) entry = number_[static_cast<std::size_t>(entry)];
    begin_row_ = first;
  }

  void list_window(Index first, Index last, std::size_t words, Index* lengths, std::vector<std::int32_t>& columns) {
    bits_.assign(static_cast<std::size_t>(last - first) * words, 0);
    const std::int32_t low = first_number_ + static_cast<std::int32_t>(first - begin_row_),
                       count = static_cast<std::int32_t>(last - first);
    for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
      const std::span<const std::int32_t> nodes(entries_.data() + begin_[c], begin_[c + 1] - begin_[c]);
      for (const std::int32_t node : nodes) {
        const std::int32_t row = node - low;
        if (row < 0 || row >= count) continue;
        std::uint64_t* const of_row = bits_.data() + static_cast<std::size_t>(row) * words;
        for (const std::int32_t column : nodes)
          of_row[static_cast<std::uint32_t>(column) >> 6] |= std::uint64_t{1} << (column & 63);
      }
    }
    for (Index row = 0; row < last - first; ++row) {
      const std::size_t before = columns.size();
      const std::uint64_t* const of_row = bits_.data() + static_cast<std::size_t>(row) * words;
      for (std::size_t w = 0; w < words; ++w)
        for (std::uint64_t rest = of_row[w]; rest != 0; rest &= rest - 1)
          columns.push_back(node_[64 * w + static_cast<std::size_t>(std::countr_zero(rest))]);
      lengths[row] = static_cast<Index>(columns.size() - before);
    }
  }

  JoinedNodes nodes_of_;
  std::vector<std::int32_t> number_;  // [node of the space] its number at the block, -1
  std::vector<Node> node_;            // [number at the block]
  std::vector<Node> row_;
  Index begin_row_ = 0;
  std::int32_t first_number_ = 0;      // of the block's first row
  std::vector<std::uint32_t> begin_;   // [cell at the block + 1] its first entry
  std::vector<std::int32_t> entries_;  // numbers at the block of the nodes that the cell joins
  std::vector<std::uint64_t> bits_;    // [row][word]
};

// Room for all blocks, judged by the `done` first, where the next one might not fit: a list that doubles is copied
// often.
void reserve_for(Index blocks, Index done, std::vector<std::int32_t>& list) {
  const std::size_t size = list.size(), mean = done > 0 ? size / static_cast<std::size_t>(done) : 0;
  if (size + 2 * mean > list.capacity()) list.reserve(mean * static_cast<std::size_t>(blocks) * 17 / 16 + 2 * mean);
}

}  // namespace

NodeGraph node_graph(const FunctionSpace& space) {
  const Index node_count = space.node_count(), rows = Index{1} << block_bits, blocks = (node_count + rows - 1) / rows;
  const int threads = space.device().threads();
  const OrderedNodes ordered(space, threads);
  const CellsAtBlocks at = cells_at_blocks(space, ordered, blocks, threads);
  // Every thread lists as many blocks in a row; the first one's list takes those of the others in the end.
  std::vector<std::vector<std::int32_t>> columns(static_cast<std::size_t>(threads));
  NodeGraph graph;
  graph.offsets.assign(static_cast<std::size_t>(node_count) + 1, 0);
  ParallelErrors errors;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; ++part)
    errors.run([&] {
      std::vector<std::int32_t>& mine = columns[static_cast<std::size_t>(part)];
      RowLister lister(space, ordered);
      const Index begin = part * blocks / threads, end = (part + 1) * blocks / threads;
      for (Index block = begin; block < end; ++block) {
        const Index first = block * rows;
        reserve_for(end - begin, block - begin, mine);
        lister.list(first, std::min(first + rows, node_count), at[static_cast<std::size_t>(block)],
                    graph.offsets.data() + first + 1, mine);
      }
    });
  errors.rethrow();
  for (std::size_t row = 1; row < graph.offsets.size(); ++row) graph.offsets[row] += graph.offsets[row - 1];
  graph.columns = std::move(columns[0]);
  graph.columns.resize(static_cast<std::size_t>(graph.offsets.back()));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 1; part < threads; ++part) {
    std::vector<std::int32_t>& list = columns[static_cast<std::size_t>(part)];
    const Index first = std::min(part * blocks / threads * rows, node_count);
    std::ranges::copy(list, graph.columns.begin() + graph.offsets[static_cast<std::size_t>(first)]);
    list = {};
  }
  return graph;
}

}  // namespace ritz
