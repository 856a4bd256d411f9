#include "fem/operator/inner_chunks.hpp"

#include <algorithm>

namespace ritz {
namespace {

void append(std::vector<RowRange>& ranges, Index chunk, Index longest) {
  if (!ranges.empty() && ranges.back().last == chunk && chunk - ranges.back().first < longest) ++ranges.back().last;
  else ranges.push_back({chunk, chunk + 1});
}

bool reaches_ghosts(const AssemblyGroup& group, const ElementGroup& elements, Index chunk, Node owned) {
  const Index entries = elements.node_count() * lane_count;  // of a batch
  const Index first = chunk * group.chunk_batches * entries;
  const Index last = std::min((chunk + 1) * group.chunk_batches, group.batch_count) * entries;
  const std::span<const Node> nodes = elements.host_nodes;
  return std::any_of(nodes.begin() + first, nodes.begin() + last, [owned](Node node) { return node >= owned; });
}

}  // namespace

InnerChunks inner_chunks(std::span<const AssemblyGroup> groups, std::span<const ElementGroup* const> elements,
                         Node owned, int threads) {
  constexpr Index most_pieces = 8;
  Index chunks = 0;
  for (const AssemblyGroup& group : groups) chunks += group.chunk_count();
  const Index longest = std::max<Index>(2 * threads, (chunks + most_pieces - 1) / most_pieces);
  InnerChunks result;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (Index chunk = 0; chunk < groups[g].chunk_count(); ++chunk) {
      const bool reaches = reaches_ghosts(groups[g], *elements[g], chunk, owned);
      append(reaches ? result.border : result.inner, groups[g].first_chunk + chunk, reaches ? chunks : longest);
    }
  return result;
}

}  // namespace ritz
