#include "fem/list_sizes.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ritz {
namespace {

// A chunk that is looked at.
struct Sample {
  const ElementGroup* group;
  Index first, last;                // elements
  std::vector<Node> nodes = {};     // as they are met
  std::vector<std::int32_t> times = {};                               // [node of the sample] by how many of its elements
  std::vector<std::pair<const ElementGroup*, Index>> around = {};     // elements of other chunks that touch its rows
};

std::vector<Sample> choose(const ChunkedGroup& chunked, int samples) {
  const ElementGroup& group = *chunked.group;
  const Index size = chunked.chunk_batches * lane_count, chunks = (group.element_count + size - 1) / size;
  const Index count = std::min<Index>(chunks, samples);
  std::vector<Sample> result;
  for (Index s = 0; s < count; ++s) {
    const Index chunk = chunks <= samples ? s : (2 * s + 1) * chunks / (2 * count);  // in the middle of equal parts
    result.push_back({&group, chunk * size, std::min((chunk + 1) * size, group.element_count)});
  }
  return result;
}

// Which samples have a node among their rows: their numbers, as a list threaded through `entries`.
class Touches {
 public:
  explicit Touches(Index nodes) : head_(static_cast<std::size_t>(nodes), -1) {}
  void add(Node node, int sample) {
    std::int32_t& head = head_[static_cast<std::size_t>(node)];
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

struct Counts {
  double elements = 0, slots = 0, extension = 0, runs = 0;
};

// Nodes of a sample, numbered from 0 as it meets them: at most 65536 of them (Operator::outline).
class SampleNodes {
 public:
  explicit SampleNodes(Index nodes) : number_(static_cast<std::size_t>(nodes), -1) {}
  std::int32_t add(Node node) {
    std::int32_t& number = number_[static_cast<std::size_t>(node)];
    if (number < 0) {
      number = static_cast<std::int32_t>(met_.size());
      met_.push_back(node);
    }
    return number;
  }
  std::int32_t find(Node node) const { return number_[static_cast<std::size_t>(node)]; }
  const std::vector<Node>& met() const { return met_; }
  void clear() {
    for (const Node node : met_) number_[static_cast<std::size_t>(node)] = -1;
    met_.clear();
  }

 private:
  std::vector<std::int32_t> number_;
  std::vector<Node> met_;
};

// Slots of equal fate, by how often they are met: a run each.
using Runs = std::set<std::pair<bool, std::int32_t>>;

void collect_nodes(Sample& sample, SampleNodes& nodes) {
  nodes.clear();
  for (Index e = sample.first; e < sample.last; ++e)
    for (int a = 0; a < sample.group->node_count(); ++a) {
      const auto at = static_cast<std::size_t>(nodes.add(sample.group->node(e, a)));
      if (at == sample.times.size()) sample.times.push_back(0);
      ++sample.times[at];
    }
  sample.nodes = nodes.met();
}

Counts count_nodes(const Sample& sample, const Incidences& elements) {
  Runs runs;
  Index shared = 0;
  for (std::size_t k = 0; k < sample.nodes.size(); ++k) {
    const bool elsewhere = elements.at(sample.nodes[k]) > sample.times[k];
    shared += elsewhere;
    runs.emplace(elsewhere, sample.times[k]);
  }
  return {double(sample.last - sample.first), double(sample.nodes.size()), double(shared), double(runs.size())};
}

// Around some nodes of large samples, chosen by a hash, for them all.
class ChosenRows {
 public:
  explicit ChosenRows(std::size_t nodes) : every_(std::max<std::size_t>(1, nodes / rows_of_a_sample)) {
    std::size_t chosen = 0;
    for (std::size_t node = 0; node < nodes; ++node) chosen += holds(static_cast<std::int32_t>(node));
    weight_ = double(nodes) / double(std::max<std::size_t>(1, chosen));
  }
  bool all() const { return every_ == 1; }
  bool holds(std::int32_t node) const { return every_ == 1 || ((static_cast<std::uint64_t>(node) + 1) * 0x9E3779B97F4A7C15ull >> 33) % every_ == 0; }
  double weight() const { return weight_; }

 private:
  static constexpr std::size_t rows_of_a_sample = 200;
  std::size_t every_;
  double weight_;
};

// Of ordered pairs, one stands for both where all rows are counted: an element has both or none. use(key)
template <class Use>
void each_pair(const std::vector<std::int32_t>& local, const ChosenRows& rows, const Use& use) {
  for (std::size_t a = 0; a < local.size(); ++a) {
    if (!rows.holds(local[a])) continue;
    for (std::size_t b = rows.all() ? a : 0; b < local.size(); ++b) {
      const bool swapped = rows.all() && local[b] < local[a];
      const std::int32_t row = local[swapped ? b : a], column = local[swapped ? a : b];
      use(static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(column));
    }
  }
}

void find_elements_around(Index node_count, std::span<const ChunkedGroup> groups, const Incidences& elements, std::vector<Sample>& samples) {
  Touches touches(node_count);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Sample& sample = samples[s];
    const ChosenRows rows(sample.nodes.size());
    for (std::size_t k = 0; k < sample.nodes.size(); ++k)
      if (rows.holds(static_cast<std::int32_t>(k)) && elements.at(sample.nodes[k]) > sample.times[k]) touches.add(sample.nodes[k], static_cast<int>(s));
  }
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

Counts count_pairs(const Sample& sample, SampleNodes& nodes) {
  nodes.clear();
  for (const Node node : sample.nodes) nodes.add(node);
  const ChosenRows rows(sample.nodes.size());
  std::vector<std::uint64_t> keys;
  std::vector<std::int32_t> local;
  for (Index e = sample.first; e < sample.last; ++e) {
    local.clear();
    for (int a = 0; a < sample.group->node_count(); ++a) local.push_back(nodes.find(sample.group->node(e, a)));
    each_pair(local, rows, [&](std::uint64_t key) { keys.push_back(key); });
  }
  std::ranges::sort(keys);
  std::vector<std::int32_t> times;  // [unique key]
  std::size_t unique = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k == 0 || keys[k] != keys[unique - 1]) {
      keys[unique++] = keys[k];
      times.push_back(0);
    }
    ++times.back();
  }
  keys.resize(unique);
  std::vector<std::uint8_t> shared(unique, 0);
  for (const auto& [group, e] : sample.around) {
    local.clear();
    for (int a = 0; a < group->node_count(); ++a)
      if (const std::int32_t number = nodes.find(group->node(e, a)); number >= 0) local.push_back(number);
    each_pair(local, rows, [&](std::uint64_t key) {
      const auto found = std::ranges::lower_bound(keys, key);
      if (found != keys.end() && *found == key) shared[static_cast<std::size_t>(found - keys.begin())] = 1;
    });
  }
  Counts result{double(sample.last - sample.first)};
  Runs runs;
  for (std::size_t k = 0; k < unique; ++k) {
    const bool off_diagonal = keys[k] >> 32 != (keys[k] & 0xffffffffu);
    const double slots = !rows.all() ? rows.weight() : off_diagonal ? 2 : 1;
    result.slots += slots;
    result.extension += shared[k] != 0 ? slots : 0;
    runs.emplace(shared[k] != 0, times[k]);
  }
  result.runs = double(runs.size());
  return result;
}

// use(sample, nodes), in parallel.
template <class Use>
void each_sample(std::vector<Sample>& samples, Index node_count, const Use& use) {
  ParallelErrors errors;
#pragma omp parallel
  errors.run([&] {
    SampleNodes nodes(node_count);
#pragma omp for schedule(dynamic) nowait
    for (std::size_t s = 0; s < samples.size(); ++s) errors.run([&] { use(s, nodes); });
  });
  errors.rethrow();
}

}  // namespace

Incidences::Incidences(Index node_count, std::span<const ElementGroup* const> groups) : counts_(static_cast<std::size_t>(node_count), 0) {
  const auto add = [this](Node node) {
    std::uint16_t& count = counts_[static_cast<std::size_t>(node)];
    count = static_cast<std::uint16_t>(count + (count < most));
  };
  for (const ElementGroup* group : groups) {
    const Index padded = group->element_count % lane_count == 0 ? 0 : 1, whole = (group->batch_count() - padded) * group->node_count() * lane_count;
    for (const Node node : std::span(group->host_nodes).first(static_cast<std::size_t>(whole))) add(node);
    for (Index e = (group->batch_count() - padded) * lane_count; e < group->element_count; ++e)
      for (int a = 0; a < group->node_count(); ++a) add(group->node(e, a));
  }
}

ScatterSizes estimated_sizes(const Incidences& elements, std::span<const ChunkedGroup> groups, bool of_pairs, Index pattern_pairs, int sample_count) {
  const Index node_count = elements.node_count();
  std::vector<Sample> samples;
  for (const ChunkedGroup& chunked : groups)
    for (Sample& sample : choose(chunked, sample_count)) samples.push_back(std::move(sample));
  each_sample(samples, node_count, [&](std::size_t s, SampleNodes& nodes) { collect_nodes(samples[s], nodes); });
  std::vector<Counts> counts(samples.size());
  if (of_pairs) {
    find_elements_around(node_count, groups, elements, samples);
    each_sample(samples, node_count, [&](std::size_t s, SampleNodes& nodes) { counts[s] = count_pairs(samples[s], nodes); });
  } else {
    std::ranges::transform(samples, counts.begin(), [&](const Sample& sample) { return count_nodes(sample, elements); });
  }
  ScatterSizes sizes;
  double slots = 0, extension = 0, runs = 0;
  for (const ChunkedGroup& chunked : groups) {
    const ElementGroup& group = *chunked.group;
    Counts seen;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      if (samples[s].group != &group) continue;
      const Counts& one = counts[s];
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
