#include "fem/operator/chunk_lists.hpp"

#include <algorithm>

namespace ritz {
namespace {

// (batch in chunk * items + item) * lanes + lane: where scatter_view.hpp expects the entry in the chunk's buffer.
std::uint16_t source_of(std::uint32_t element, std::uint32_t items, std::uint32_t item) {
  return static_cast<std::uint16_t>((element / lane_count * items + item) * lane_count + element % lane_count);
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

}  // namespace ritz
