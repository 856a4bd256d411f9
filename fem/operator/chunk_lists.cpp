#include "fem/operator/chunk_lists.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// (batch in chunk * items + item) * lanes + lane: where scatter_view.hpp expects the entry in the chunk's buffer.
std::uint16_t source_of(std::uint32_t element, std::uint32_t items, std::uint32_t item) {
  return static_cast<std::uint16_t>((element / lane_count * items + item) * lane_count + element % lane_count);
}

// Positions in the arrays of a slot's sources and where they go, sorted by destination.
class SlotEntries {
 public:
  void add(Index destination, Index element, int items, int item) {
    entries_.emplace_back(static_cast<std::uint32_t>(destination),
                          source_of(static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(items),
                                    static_cast<std::uint32_t>(item)));
  }
  void write(ChunkSlots& out) {
    std::ranges::sort(entries_);
    out.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i == 0 || entries_[i].first != entries_[i - 1].first) {
        out.destinations.push_back(entries_[i].first);
        out.source_counts.push_back(0);
      }
      ++out.source_counts.back();
      out.sources.push_back(entries_[i].second);
    }
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint16_t>> entries_;
};

Index position_in_row(const FunctionSpace::HostPattern& pattern, Node row, Node column) {
  const auto first = pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(row)];
  const auto last = pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(row) + 1];
  return std::lower_bound(first, last, column) - first;
}

}  // namespace

Index batches_per_chunk(Index batch_count, int items, int block, const ChunkLimits& limits) {
  const Index by_bytes = limits.bytes / (Index{items} * block * lane_count * Index{sizeof(double)});
  const Index by_index = 65536 / (Index{items} * lane_count);  // sources are 16-bit
  return std::max<Index>(1, std::min({by_bytes, by_index, batch_count / limits.least_count}));
}

ChunkLister::ChunkLister(Index node_count) : rows_(node_count), column_(static_cast<std::size_t>(node_count)) {}

void ChunkLister::list_nodes(const ElementGroup& group, Index first, Index last, ChunkSlots& out) {
  rows_.collect(group, first, last);
  const auto n = static_cast<std::uint32_t>(group.node_count());
  out.clear();
  for (std::size_t local = 0; local < rows_.nodes().size(); ++local) {
    out.destinations.push_back(static_cast<std::uint32_t>(rows_.nodes()[local]));
    out.source_counts.push_back(static_cast<std::uint16_t>(rows_.places(local).size()));
    for (const auto [element, a] : rows_.places(local)) out.sources.push_back(source_of(element, n, a));
  }
}

void ChunkLister::list_pairs(const ElementGroup& group, const FunctionSpace::HostPattern& pattern, Index first,
                             Index last, ChunkSlots& out) {
  rows_.collect(group, first, last);
  const auto n = static_cast<std::uint32_t>(group.node_count());
  out.clear();
  out.sources.reserve(static_cast<std::size_t>(last - first) * n * n);
  for (std::size_t local = 0; local < rows_.nodes().size(); ++local) {
    const auto row = static_cast<std::size_t>(rows_.nodes()[local]);
    const Index begin = pattern.offsets[row];
    const auto length = static_cast<std::size_t>(pattern.offsets[row + 1] - begin);
    for (std::size_t k = 0; k < length; ++k)
      column_[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(begin) + k])] =
          static_cast<std::int32_t>(k);
    counts_.assign(length, 0);
    entries_.clear();
    for (const auto [element, a] : rows_.places(local))
      for (const Node node : rows_.nodes_of(element)) {
        const std::int32_t k = column_[static_cast<std::size_t>(node)];
        entries_.push_back(static_cast<std::uint32_t>(k));
        ++counts_[static_cast<std::size_t>(k)];
      }
    const std::size_t base = out.sources.size();
    out.sources.resize(base + entries_.size());
    next_.resize(length);
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < length; ++k) {
      next_[k] = sum;
      sum += counts_[k];
      if (counts_[k] == 0) continue;
      out.destinations.push_back(static_cast<std::uint32_t>(begin + static_cast<Index>(k)));
      out.source_counts.push_back(counts_[k]);
    }
    std::size_t entry = 0;
    for (const auto [element, a] : rows_.places(local))
      for (std::uint32_t b = 0; b < n; ++b)
        out.sources[base + next_[entries_[entry++]]++] = source_of(element, n * n, a * n + b);
  }
}

void list_unknowns(std::span<const FieldOfGroup> fields, Index first, Index last, ChunkSlots& out) {
  int items = 0;
  for (const FieldOfGroup& field : fields) items += field.elements->node_count() * field.components;
  SlotEntries entries;
  for (Index e = first; e < last; ++e) {
    int item = 0;
    for (const FieldOfGroup& field : fields)
      for (int a = 0; a < field.elements->node_count(); ++a)
        for (int i = 0; i < field.components; ++i)
          entries.add(field.first + Index{field.elements->node(e, a)} * field.components + i, e - first, items, item++);
  }
  entries.write(out);
}

void list_couplings(const FieldOfGroup& rows, const FieldOfGroup& columns, const FunctionSpace::HostPattern& pattern,
                    Index first, Index last, ChunkSlots& out) {
  const Index c = rows.components, d = columns.components;
  const int row_nodes = rows.elements->node_count(), column_nodes = columns.elements->node_count(),
            items = row_nodes * column_nodes * rows.components * columns.components;
  SlotEntries entries;
  for (Index e = first; e < last; ++e) {
    int item = 0;
    for (int a = 0; a < row_nodes; ++a) {
      const auto row = static_cast<std::size_t>(rows.elements->node(e, a));
      const Index begin = pattern.offsets[row], length = pattern.offsets[row + 1] - begin;
      for (int b = 0; b < column_nodes; ++b) {
        const Index k = position_in_row(pattern, static_cast<Node>(row), columns.elements->node(e, b));
        for (Index i = 0; i < c; ++i)
          for (Index j = 0; j < d; ++j) entries.add(begin * c * d + (i * length + k) * d + j, e - first, items, item++);
      }
    }
  }
  entries.write(out);
}

}  // namespace ritz
