#include "fem/space/node_graph.hpp"

#include "device/pack.hpp"
#include "device/parallel_errors.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace ritz {
namespace {

constexpr int block_bits = 10;  // rows are listed in blocks of 2^10 consecutive nodes

// The nodes of the cells in the order of the space, where all cells have as many and follow no others: as the caller
// has them, or read from the mesh once, since its cells along the curve lie anywhere. [batch][node][lane]
class OrderedNodes {
 public:
  OrderedNodes(const FunctionSpace& space, std::span<const Node> given, int threads) {
    const std::span<const Index> order = space.cell_order();
    if (space.couplings() != nullptr || space.mesh().blocks().size() != 1 || order.empty()) return;
    FunctionSpace::CellNodes of_first(space);
    width_ = of_first(order[0]).size();
    nodes_ = given;
    if (!given.empty()) return;
    const std::size_t batches = (order.size() + lanes - 1) / lanes, size = batches * lanes * width_;
    own_ = std::make_unique_for_overwrite<Node[]>(size);
    nodes_ = {own_.get(), size};
    constexpr std::size_t grain = 4096;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t first = 0; first < order.size(); first += grain) {
      FunctionSpace::CellNodes nodes_of(space);
      for (std::size_t position = first; position < std::min(first + grain, order.size()); ++position) {
        Node* to = own_.get() + position / lanes * lanes * width_ + position % lanes;
        for (const Node node : nodes_of(order[position])) {
          *to = node;
          to += lanes;
        }
      }
    }
  }
  std::size_t width() const { return width_; }  // 0: they are not known
  // Writes the nodes of the cell at a position.
  void copy(Index position, Node* to) const {
    const auto p = static_cast<std::size_t>(position);
    const Node* from = nodes_.data() + p / lanes * lanes * width_ + p % lanes;
    for (std::size_t a = 0; a < width_; ++a) to[a] = from[a * lanes];
  }

 private:
  static constexpr std::size_t lanes = lane_count;
  std::size_t width_ = 0;
  std::span<const Node> nodes_;
  std::unique_ptr<Node[]> own_;
};

// The nodes that the cell at a position joins with each other: its own and those that these follow.
class JoinedNodes {
 public:
  JoinedNodes(const FunctionSpace& space, const OrderedNodes& ordered)
      : ordered_(ordered),
        order_(space.cell_order()),
        nodes_of_(space),
        couplings_(space.couplings()),
        joined_(ordered.width()) {}
  std::span<const Node> operator()(Index position) {
    if (ordered_.width() == 0) return read(position);
    ordered_.copy(position, joined_.data());
    return joined_;
  }

 private:
  std::span<const Node> read(Index position) {
    const std::span<const Node> own = nodes_of_(order_[static_cast<std::size_t>(position)]);
    if (couplings_ == nullptr) return own;
    joined_.assign(own.begin(), own.end());
    for (const Node node : own) {
      const std::span<const Node> followed = couplings_->followed_by(node);
      joined_.insert(joined_.end(), followed.begin(), followed.end());
    }
    return joined_;
  }

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

// The nodes at the rows of a block. They have numbers of their own, in the order of the space's.
class BlockNodes {
 public:
  BlockNodes(const FunctionSpace& space, const OrderedNodes& ordered)
      : nodes_of_(space, ordered), width_(ordered.width()), number_(static_cast<std::size_t>(space.node_count()), -1) {}

  // The nodes of these cells, which are those at rows [first, last) of the block.
  // Without branches that the processor cannot predict.
  void find(Index first, Index last, std::span<const Run> cells) {
    node_.clear();
    begin_.assign(1, 0);
    std::size_t size = 0, around = 0;
    std::int32_t* const number = number_.data();
    std::fill(number + first, number + last, 0);
    for (const Run run : cells)
      for (Index position = run.first; position < run.last; ++position) {
        const std::span<const Node> nodes = nodes_of_(position);
        if (entries_.size() < size + nodes.size()) entries_.resize(2 * (size + nodes.size()));
        if (node_.size() < around + nodes.size()) node_.resize(2 * (around + nodes.size()));
        std::int32_t *const entries = entries_.data(), *const met = node_.data();
        for (const Node node : nodes) {
          entries[size++] = node;
          met[around] = node;
          around += std::exchange(number[node], 0) < 0 ? 1 : 0;
        }
        begin_.push_back(static_cast<std::uint32_t>(size));
      }
    node_.resize(around);
    // Rows of the block follow each other: only the nodes around it are sorted.
    std::ranges::sort(node_);
    const auto after = std::ranges::lower_bound(node_, static_cast<Node>(first));
    first_number_ = static_cast<std::int32_t>(after - node_.begin());
    row_.resize(static_cast<std::size_t>(last - first));
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = static_cast<Node>(first) + static_cast<Node>(i);
    node_.insert(after, row_.begin(), row_.end());
    for (std::size_t i = 0; i < node_.size(); ++i) number[node_[i]] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < size; ++i) entries_[i] = number[entries_[i]];
    begin_row_ = first;
  }
  void clear() {
    for (const Node node : node_) number_[static_cast<std::size_t>(node)] = -1;
  }

  const std::vector<Node>& nodes() const { return node_; }  // [number]
  // Number of the node of a row.
  std::int32_t of_row(Index row) const { return first_number_ + static_cast<std::int32_t>(row - begin_row_); }
  std::size_t width() const { return width_; }  // nodes of each cell, 0: they differ
  std::size_t cell_count() const { return begin_.size() - 1; }
  const std::int32_t* entries() const { return entries_.data(); }  // numbers of the nodes of one cell after the other
  std::span<const std::int32_t> of_cell(std::size_t cell) const {
    return {entries_.data() + begin_[cell], begin_[cell + 1] - begin_[cell]};
  }

 private:
  JoinedNodes nodes_of_;
  const std::size_t width_;
  std::vector<std::int32_t> number_;  // [node of the space] its number at the block, -1
  std::vector<Node> node_;            // [number at the block]
  std::vector<Node> row_;
  Index begin_row_ = 0;
  std::int32_t first_number_ = 0;     // of the block's first row
  std::vector<std::uint32_t> begin_;  // [cell at the block + 1] its first entry
  std::vector<std::int32_t> entries_;
};

// The columns of rows of a block, as bits of few words: setting one twice does no harm, and they come out sorted. The
// nodes of a cell lie in fewer words than they are: unless they are few themselves, words are joined once, then set in
// each of its rows. The words in use are bits of a summary. Nodes of other blocks have a row, too, which nothing reads:
// a branch would be taken at random.
class RowBits {
 public:
  // Rows that are set at a time: as many as have their bits in a core's cache of the second level.
  Index begin(std::size_t columns, Index rows) {
    constexpr Index most_words = 1 << 16;
    words_ = (columns + 63) / 64;
    groups_ = (words_ + 63) / 64;
    const Index window = std::clamp<Index>(most_words / static_cast<Index>(std::max<std::size_t>(1, words_)), 1, rows);
    const auto with_others = static_cast<std::size_t>(window) + 1;
    if (bits_.size() < with_others * words_) bits_.resize(with_others * words_, 0);
    if (in_use_.size() < with_others * groups_) in_use_.resize(with_others * groups_, 0);
    if (of_cell_.size() < words_) of_cell_.resize(words_, 0);
    if (cell_in_use_.size() < groups_) cell_in_use_.resize(groups_, 0);
    if (joined_.size() < words_) joined_.resize(words_);
    return window;
  }
  std::size_t words() const { return words_; }  // of a row
  bool has(std::size_t row, std::size_t column) const {
    return (bits_[row * words_ + column / 64] >> (column % 64) & 1) != 0;
  }

  // The bits of rows [first, last), where there are none yet.
  void set(const BlockNodes& nodes, Index first, Index last) {
    const std::int32_t low = nodes.of_row(first);
    const auto count = static_cast<std::uint32_t>(last - first);
    if (groups_ == 1 && nodes.width() == 4) set_single<4>(nodes, low, count);
    else if (groups_ == 1 && nodes.width() == 3) set_single<3>(nodes, low, count);
    else set_joined(nodes, low, count);
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(count * words_), words_, 0);
    std::fill_n(in_use_.begin() + static_cast<std::ptrdiff_t>(count * groups_), groups_, 0);
  }

  // Appends the columns of a row, and clears its bits.
  template <class Number>
  std::size_t append_row(std::size_t row, Number* columns, std::size_t at) {
    std::uint64_t *const bits = bits_.data() + row * words_, *const in_use = in_use_.data() + row * groups_;
    for (std::size_t g = 0; g < groups_; ++g)
      for (std::uint64_t words = std::exchange(in_use[g], 0); words != 0; words &= words - 1) {
        const std::size_t word = 64 * g + static_cast<std::size_t>(std::countr_zero(words));
        for (std::uint64_t rest = std::exchange(bits[word], 0); rest != 0; rest &= rest - 1)
          columns[at++] = static_cast<Number>(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    return at;
  }

 private:
  // Returns the node's row; that of all others, which nothing reads, is `count`.
  static std::size_t row_of(std::int32_t node, std::int32_t low, std::uint32_t count) {
    return std::min(static_cast<std::uint32_t>(node - low), count);
  }

  // Cells of a few nodes: it takes longer to join their words.
  template <std::size_t width>
  void set_single(const BlockNodes& nodes, std::int32_t low, std::uint32_t count) {
    const std::int32_t* node = nodes.entries();
    std::uint64_t *const bits = bits_.data(), *const in_use = in_use_.data();
    const std::size_t words = words_;
    for (std::size_t c = 0; c < nodes.cell_count(); ++c, node += width) {
      std::size_t word[width];
      std::uint64_t bit[width], used = 0;
      for (std::size_t a = 0; a < width; ++a) {
        word[a] = static_cast<std::uint32_t>(node[a]) >> 6;
        bit[a] = std::uint64_t{1} << (node[a] & 63);
        used |= std::uint64_t{1} << word[a];
      }
      for (std::size_t a = 0; a < width; ++a) {
        const std::size_t row = row_of(node[a], low, count);
        in_use[row] |= used;
        for (std::size_t b = 0; b < width; ++b) bits[row * words + word[b]] |= bit[b];
      }
    }
  }

  void set_joined(const BlockNodes& nodes, std::int32_t low, std::uint32_t count) {
    for (std::size_t c = 0; c < nodes.cell_count(); ++c) {
      const std::span<const std::int32_t> of_cell = nodes.of_cell(c);
      const std::span<const Bits> joined = joined_words(of_cell);
      for (const std::int32_t node : of_cell) {
        const std::size_t row = row_of(node, low, count);
        std::uint64_t *const of_row = bits_.data() + row * words_, *const in_use = in_use_.data() + row * groups_;
        for (std::size_t g = 0; g < groups_; ++g) in_use[g] |= cell_in_use_[g];
        for (const Bits each : joined) of_row[each.word] |= each.bits;
      }
      std::fill_n(cell_in_use_.begin(), groups_, 0);
    }
  }

  // Columns of one word.
  struct Bits {
    std::size_t word;
    std::uint64_t bits;
  };

  // The nodes of a cell, word by word; cell_in_use_ has the words.
  std::span<const Bits> joined_words(std::span<const std::int32_t> nodes) {
    std::uint64_t *const of_cell = of_cell_.data(), *const in_use = cell_in_use_.data();
    if (joined_.size() < nodes.size()) joined_.resize(nodes.size());
    for (const std::int32_t node : nodes) {
      const auto word = static_cast<std::uint32_t>(node) >> 6;
      of_cell[word] |= std::uint64_t{1} << (node & 63);
      in_use[word >> 6] |= std::uint64_t{1} << (word & 63);
    }
    Bits* const joined = joined_.data();
    std::size_t count = 0;
    for (std::size_t g = 0; g < groups_; ++g)
      for (std::uint64_t rest = in_use[g]; rest != 0; rest &= rest - 1) {
        const std::size_t word = 64 * g + static_cast<std::size_t>(std::countr_zero(rest));
        joined[count++] = {word, std::exchange(of_cell[word], 0)};
      }
    return {joined, count};
  }

  std::size_t words_ = 0, groups_ = 0;                // of a row's bits; of 64 words
  std::vector<std::uint64_t> bits_, in_use_;          // [row][word], [row][group]; zero between two windows
  std::vector<std::uint64_t> of_cell_, cell_in_use_;  // likewise of a cell
  std::vector<Bits> joined_;
};

// Lists the rows of one block after the other.
class RowLister {
 public:
  RowLister(const FunctionSpace& space, const OrderedNodes& ordered) : at_block_(space, ordered) {}

  // Rows [first, last) around the cells. lengths: of each. Returns whether all of them hold their own node.
  bool list(Index first, Index last, std::span<const Run> cells, Index* lengths, NodeGraph::Columns& columns,
            NodeGraph::Block& block) {
    at_block_.find(first, last, cells);
    const std::vector<Node>& nodes = at_block_.nodes();
    bool full = true;
    if (nodes.size() <= std::numeric_limits<std::uint16_t>::max())
      block.narrow = columns.narrow.keep(list_rows(first, last, lengths, narrow_, full));
    else block.wide = columns.wide.keep(list_rows(first, last, lengths, wide_, full));
    at_block_.clear();
    block.nodes.assign(nodes.begin(), nodes.end());
    return full;
  }

 private:
  template <class Number>
  std::span<const Number> list_rows(Index first, Index last, Index* lengths, std::vector<Number>& scratch, bool& full) {
    const Index window = bits_.begin(at_block_.nodes().size(), last - first);
    const std::size_t most = 64 * bits_.words();  // columns of a row
    std::size_t listed = 0;
    for (Index begin = first; begin < last; begin += window) {
      const Index end = std::min(begin + window, last);
      bits_.set(at_block_, begin, end);
      for (Index row = begin; row < end; ++row) {
        const auto in_window = static_cast<std::size_t>(row - begin);
        full &= bits_.has(in_window, static_cast<std::size_t>(at_block_.of_row(row)));
        if (scratch.size() < listed + most) scratch.resize(2 * listed + most);
        const std::size_t after = bits_.append_row(in_window, scratch.data(), listed);
        lengths[row - first] = static_cast<Index>(after - listed);
        listed = after;
      }
    }
    return std::span(scratch).first(listed);
  }

  BlockNodes at_block_;
  RowBits bits_;
  std::vector<std::uint16_t> narrow_;  // columns of the block's rows
  std::vector<std::uint32_t> wide_;
};

template <class Number>
void write(const std::vector<Node>& nodes, std::span<const Number> numbers, std::int32_t* columns) {
  const Node* const node = nodes.data();
  for (const Number number : numbers) *columns++ = node[number];
}

}  // namespace

NodeGraph::NodeGraph(const FunctionSpace& space, std::span<const Node> cell_nodes)
    : threads_(space.device().threads()) {
  const Index node_count = space.node_count(), rows = Index{1} << block_bits, blocks = (node_count + rows - 1) / rows;
  const OrderedNodes ordered(space, cell_nodes, threads_);
  const CellsAtBlocks at = cells_at_blocks(space, ordered, blocks, threads_);
  blocks_.resize(static_cast<std::size_t>(blocks));
  columns_.resize(static_cast<std::size_t>(threads_));
  offsets_.assign(static_cast<std::size_t>(node_count) + 1, 0);
  std::atomic<bool> full = true;
  ParallelErrors errors;
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int part = 0; part < threads_; ++part)
    errors.run([&] {
      RowLister lister(space, ordered);
      for (Index block = part * blocks / threads_; block < (part + 1) * blocks / threads_; ++block) {
        const Index first = block * rows;
        const auto b = static_cast<std::size_t>(block);
        if (!lister.list(first, std::min(first + rows, node_count), at[b], offsets_.data() + first + 1,
                         columns_[static_cast<std::size_t>(part)], blocks_[b]))
          full = false;
      }
    });
  errors.rethrow();
  full_diagonal_ = full;
  for (std::size_t row = 1; row < offsets_.size(); ++row) offsets_[row] += offsets_[row - 1];
}

void NodeGraph::write_columns(std::span<std::int32_t> columns) {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::int32_t* const to = columns.data() + offsets_[b << block_bits];
    const Block& block = blocks_[b];
    if (block.wide.empty()) write(block.nodes, block.narrow, to);
    else write(block.nodes, block.wide, to);
  }
  blocks_ = {};
  columns_ = {};
}

}  // namespace ritz
