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

ChunkLister::ChunkLister(Index node_count)
    : local_(static_cast<std::size_t>(node_count), -1), column_(static_cast<std::size_t>(node_count)) {}

// Numbers the nodes of the chunk in the order of their first use and sorts the (element, node) pairs by node.
void ChunkLister::collect(const ElementGroup& group, Index first, Index last) {
  const int n = group.node_count();
  nodes_.clear();
  begin_.assign(1, 0);
  for (Index e = first; e < last; ++e)
    for (int a = 0; a < n; ++a) {
      std::int32_t& local = local_[static_cast<std::size_t>(group.node(e, a))];
      if (local < 0) {
        local = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(group.node(e, a));
        begin_.push_back(0);
      }
      ++begin_[static_cast<std::size_t>(local) + 1];
    }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  next_.assign(begin_.begin(), begin_.end() - 1);
  incidences_.resize(begin_.back());
  for (Index e = first; e < last; ++e)
    for (int a = 0; a < n; ++a) {
      const auto local = static_cast<std::size_t>(local_[static_cast<std::size_t>(group.node(e, a))]);
      incidences_[next_[local]++] = static_cast<std::uint32_t>((e - first) * n + a);
    }
  for (const Node node : nodes_) local_[static_cast<std::size_t>(node)] = -1;
}

void ChunkLister::list_nodes(const ElementGroup& group, Index first, Index last, ChunkSlots& out) {
  collect(group, first, last);
  const auto n = static_cast<std::uint32_t>(group.node_count());
  out.clear();
  for (std::size_t local = 0; local < nodes_.size(); ++local) {
    out.destinations.push_back(static_cast<std::uint32_t>(nodes_[local]));
    out.source_counts.push_back(static_cast<std::uint16_t>(begin_[local + 1] - begin_[local]));
    for (std::uint32_t i = begin_[local]; i < begin_[local + 1]; ++i)
      out.sources.push_back(source_of(incidences_[i] / n, n, incidences_[i] % n));
  }
}

void ChunkLister::list_pairs(const ElementGroup& group, const FunctionSpace::HostPattern& pattern, Index first,
                             Index last, ChunkSlots& out) {
  collect(group, first, last);
  const auto n = static_cast<std::uint32_t>(group.node_count());
  out.clear();
  out.sources.reserve(static_cast<std::size_t>(last - first) * n * n);
  for (std::size_t local = 0; local < nodes_.size(); ++local) {
    const auto row = static_cast<std::size_t>(nodes_[local]);
    const Index begin = pattern.offsets[row];
    const auto length = static_cast<std::size_t>(pattern.offsets[row + 1] - begin);
    for (std::size_t k = 0; k < length; ++k)
      column_[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(begin) + k])] =
          static_cast<std::int32_t>(k);
    counts_.assign(length, 0);
    entries_.clear();
    for (std::uint32_t i = begin_[local]; i < begin_[local + 1]; ++i) {
      const std::uint32_t element = incidences_[i] / n;
      for (std::uint32_t b = 0; b < n; ++b) {
        const std::int32_t k = column_[static_cast<std::size_t>(group.node(first + element, static_cast<int>(b)))];
        entries_.push_back(static_cast<std::uint32_t>(k));
        ++counts_[static_cast<std::size_t>(k)];
      }
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
    for (std::uint32_t i = begin_[local]; i < begin_[local + 1]; ++i) {
      const std::uint32_t element = incidences_[i] / n, a = incidences_[i] % n;
      for (std::uint32_t b = 0; b < n; ++b)
        out.sources[base + next_[entries_[entry++]]++] = source_of(element, n * n, a * n + b);
    }
  }
}

}  // namespace ritz
