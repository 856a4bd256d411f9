#include "fem/list_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ritz {
namespace {

// A chunk that is looked at, and the elements of other chunks that touch its nodes.
struct Sample {
  const ElementGroup* group;
  Index first, last;  // elements
  std::vector<std::pair<const ElementGroup*, Index>> around;
};

std::vector<Sample> choose(const ChunkedGroup& chunked, int samples) {
  const ElementGroup& group = *chunked.group;
  const Index size = chunked.chunk_batches * lane_count, chunks = (group.element_count + size - 1) / size;
  const Index count = std::min<Index>(chunks, samples);
  std::vector<Sample> result;
  for (Index s = 0; s < count; ++s) {
    const Index chunk = chunks <= samples ? s : (2 * s + 1) * chunks / (2 * count);  // in the middle of equal parts
    result.push_back({&group, chunk * size, std::min((chunk + 1) * size, group.element_count), {}});
  }
  return result;
}

// Which samples touch a node: their numbers + 1, as a list threaded through `entries`.
class Touches {
 public:
  explicit Touches(Index nodes) : head_(static_cast<std::size_t>(nodes), -1) {}
  void add(Node node, int sample) {
    std::int32_t& head = head_[static_cast<std::size_t>(node)];
    if (head >= 0 && entries_[static_cast<std::size_t>(head)].first == sample) return;
    entries_.emplace_back(sample, head);
    head = static_cast<std::int32_t>(entries_.size()) - 1;
  }
  bool any(Node node) const { return head_[static_cast<std::size_t>(node)] >= 0; }
  template <class Use>
  void each(Node node, const Use& use) const {
    for (std::int32_t e = head_[static_cast<std::size_t>(node)]; e >= 0; e = entries_[static_cast<std::size_t>(e)].second)
      use(entries_[static_cast<std::size_t>(e)].first);
  }

 private:
  std::vector<std::int32_t> head_;                           // [node]
  std::vector<std::pair<int, std::int32_t>> entries_;        // sample, next
};

void find_neighbours(Index node_count, std::span<const ChunkedGroup> groups, std::vector<Sample>& samples) {
  Touches touches(node_count);
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (Index e = samples[s].first; e < samples[s].last; ++e)
      for (int a = 0; a < samples[s].group->node_count(); ++a) touches.add(samples[s].group->node(e, a), static_cast<int>(s));
  for (const ChunkedGroup& chunked : groups) {
    const ElementGroup& group = *chunked.group;
    std::vector<std::uint8_t> near(static_cast<std::size_t>(group.element_count));
#pragma omp parallel for schedule(static)
    for (Index e = 0; e < group.element_count; ++e)
      for (int a = 0; a < group.node_count(); ++a)
        if (touches.any(group.node(e, a))) near[static_cast<std::size_t>(e)] = 1;
    for (Index e = 0; e < group.element_count; ++e)
      for (int a = 0; near[static_cast<std::size_t>(e)] != 0 && a < group.node_count(); ++a)
        touches.each(group.node(e, a), [&](int number) {
          Sample& sample = samples[static_cast<std::size_t>(number)];
          if (sample.group == &group && e >= sample.first && e < sample.last) return;
          const std::pair entry(&group, e);
          if (sample.around.empty() || sample.around.back() != entry) sample.around.push_back(entry);
        });
  }
}

// Calls use(key) for every item of an element: its nodes, or their ordered pairs.
template <class Use>
void each_item(const ElementGroup& group, Index e, bool of_pairs, const Use& use) {
  const int n = group.node_count();
  for (int a = 0; a < n; ++a) {
    const auto row = static_cast<std::uint64_t>(group.node(e, a));
    if (!of_pairs) use(row);
    for (int b = 0; of_pairs && b < n; ++b) use(row << 32 | static_cast<std::uint64_t>(group.node(e, b)));
  }
}

struct Counts {
  double elements = 0, slots = 0, extension = 0, runs = 0;
};

Counts count(const Sample& sample, bool of_pairs) {
  std::vector<std::uint64_t> own, around;
  for (Index e = sample.first; e < sample.last; ++e) each_item(*sample.group, e, of_pairs, [&](std::uint64_t key) { own.push_back(key); });
  for (const auto& [group, e] : sample.around) each_item(*group, e, of_pairs, [&](std::uint64_t key) { around.push_back(key); });
  std::ranges::sort(own);
  std::ranges::sort(around);
  Counts result{double(sample.last - sample.first)};
  std::set<std::pair<bool, std::ptrdiff_t>> runs;
  for (auto slot = own.begin(); slot != own.end();) {
    const auto next = std::upper_bound(slot, own.end(), *slot);
    const bool shared = std::ranges::binary_search(around, *slot);
    result.slots += 1;
    result.extension += shared ? 1 : 0;
    runs.emplace(shared, next - slot);
    slot = next;
  }
  result.runs = double(runs.size());
  return result;
}

}  // namespace

ScatterSizes estimated_sizes(Index node_count, std::span<const ChunkedGroup> groups, bool of_pairs, Index pattern_pairs, int sample_count) {
  std::vector<Sample> samples;
  for (const ChunkedGroup& chunked : groups)
    for (Sample& sample : choose(chunked, sample_count)) samples.push_back(std::move(sample));
  find_neighbours(node_count, groups, samples);
  ScatterSizes sizes;
  double slots = 0, extension = 0, runs = 0;
  for (const ChunkedGroup& chunked : groups) {
    const ElementGroup& group = *chunked.group;
    Counts seen;
    for (const Sample& sample : samples) {
      if (sample.group != &group) continue;
      const Counts one = count(sample, of_pairs);
      seen.elements += one.elements;
      seen.slots += one.slots;
      seen.extension += one.extension;
      seen.runs += one.runs;
    }
    const double all = double(group.element_count) / seen.elements;
    slots += all * seen.slots;
    extension += all * seen.extension;
    runs += all * seen.runs;
    const Index items = of_pairs ? Index{group.node_count()} * group.node_count() : group.node_count();
    sizes.sources += group.element_count * items;
    sizes.chunks += (group.batch_count() + chunked.chunk_batches - 1) / chunked.chunk_batches;
  }
  sizes.slots = std::llround(slots);
  sizes.extension = std::llround(extension);
  sizes.runs = std::llround(runs);
  const Index targets = of_pairs ? pattern_pairs : node_count;
  const Index alone = sizes.slots - sizes.extension;
  // Items that no element touches are rare: then fewer are shared. Every shared item has two places in the extension at least.
  sizes.shared = std::clamp<Index>(targets - alone, 0, sizes.extension / 2);
  sizes.untouched = std::max<Index>(0, targets - alone - sizes.shared);
  return sizes;
}

}  // namespace ritz
