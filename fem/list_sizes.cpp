#include "fem/list_sizes.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ritz {
namespace {

// Which chunk of the plan an element belongs to.
class Chunks {
 public:
  Chunks(const ElementsAround& elements, std::span<const int> groups, std::span<const Index> chunk_batches) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto number = static_cast<std::size_t>(groups[g]);
      if (sizes_.size() <= number) sizes_.resize(number + 1, 0), first_.resize(number + 1, 0);
      sizes_[number] = chunk_batches[g] * lane_count;
      first_[number] = count_;
      count_ += (elements.group(groups[g]).batch_count() + chunk_batches[g] - 1) / chunk_batches[g];
    }
  }
  Index count() const { return count_; }
  bool holds(int group) const { return static_cast<std::size_t>(group) < sizes_.size() && sizes_[static_cast<std::size_t>(group)] > 0; }
  Index of(const ElementsAround::Place& place) const {
    const auto g = static_cast<std::size_t>(place.group);
    return first_[g] + place.element / sizes_[g];
  }

 private:
  std::vector<Index> sizes_, first_;  // [group] elements in a chunk, 0: takes no part; its first chunk
  Index count_ = 0;
};

// What the chunks add to one item of the target, the node itself or a column of its row: once for each element.
struct Entry {
  Node item;
  Index chunk;
  auto operator<=>(const Entry&) const = default;
};

// Slots of equal fate in a chunk are a run.
struct Fate {
  Index chunk;
  bool shared;
  Index times;
  auto operator<=>(const Fate&) const = default;
};

struct Counts {
  Index slots = 0, extension = 0, items = 0, shared = 0;
  std::vector<Fate> fates;  // of each row every one once
};

// The entries of a row, sorted.
void count_row(std::span<const Entry> entries, Counts& counts) {
  const std::size_t begin = counts.fates.size();
  for (std::size_t first = 0, last = 0; first < entries.size(); first = last) {
    const std::size_t own = counts.fates.size();
    for (std::size_t next = first; last < entries.size() && entries[last].item == entries[first].item; last = next) {
      while (next < entries.size() && entries[next] == entries[last]) ++next;
      counts.fates.push_back({entries[last].chunk, false, static_cast<Index>(next - last)});
    }
    const std::size_t chunks = counts.fates.size() - own;
    ++counts.items;
    counts.slots += static_cast<Index>(chunks);
    if (chunks == 1) continue;
    ++counts.shared;
    counts.extension += static_cast<Index>(chunks);
    for (std::size_t f = own; f < counts.fates.size(); ++f) counts.fates[f].shared = true;
  }
  const auto row = counts.fates.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(row, counts.fates.end());
  counts.fates.erase(std::unique(row, counts.fates.end()), counts.fates.end());
}

Counts count_rows(const ElementsAround& elements, const Chunks& chunks, bool of_pairs, Index first, Index last) {
  Counts counts;
  std::vector<Entry> entries;
  std::optional<ElementNodes> nodes_of;
  int group = -1;
  for (Index row = first; row < last; ++row) {
    entries.clear();
    for (const ElementsAround::Place& place : elements.of(row)) {
      if (!chunks.holds(place.group)) continue;
      if (!of_pairs) {
        entries.push_back({0, chunks.of(place)});
        continue;
      }
      if (place.group != group) nodes_of.emplace(elements.space(), elements.group(place.group)), group = place.group;
      for (const Node node : (*nodes_of)(place.element)) entries.push_back({node, chunks.of(place)});
    }
    std::ranges::sort(entries);
    count_row(entries, counts);
  }
  return counts;
}

// All fates from those that were seen, in how many rows: Chao's estimator ("Estimating the population size for capture-recapture data
// with unequal catchability", 1987), which is exact where all rows were.
double all_fates(std::vector<Fate>& seen, bool all_rows) {
  std::ranges::sort(seen);
  double different = 0, once = 0, twice = 0;
  for (std::size_t first = 0, last = 0; first < seen.size(); first = last) {
    while (last < seen.size() && seen[last] == seen[first]) ++last;
    ++different;
    once += last - first == 1;
    twice += last - first == 2;
  }
  return all_rows ? different : different + once * (once - 1) / (2 * (twice + 1));
}

Counts count_all(const ElementsAround& elements, const Chunks& chunks, bool of_pairs) {
  const Index rows = elements.chosen().count(), threads = elements.space().device().threads();
  std::vector<Counts> parts(static_cast<std::size_t>(threads));
  ParallelErrors errors;
#pragma omp parallel for schedule(static) num_threads(static_cast<int>(threads))
  for (Index part = 0; part < threads; ++part)
    errors.run([&] { parts[static_cast<std::size_t>(part)] = count_rows(elements, chunks, of_pairs, part * rows / threads, (part + 1) * rows / threads); });
  errors.rethrow();
  Counts all = std::move(parts.front());
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const Counts& one = parts[part];
    all.slots += one.slots;
    all.extension += one.extension;
    all.items += one.items;
    all.shared += one.shared;
    all.fates.insert(all.fates.end(), one.fates.begin(), one.fates.end());
  }
  return all;
}

}  // namespace

ElementsAround::ElementsAround(const FunctionSpace& space, std::span<const ElementGroup> groups)
    : space_(&space), groups_(groups), chosen_(space), places_(static_cast<std::size_t>(chosen_.count())) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ElementGroup& group = groups[g];
    ElementNodes nodes_of(space, group);
    for (Index e = 0; e < group.element_count; ++e) {
      if (!group.elements.empty() && !chosen_.has_near(group.elements[static_cast<std::size_t>(e)])) continue;
      for (const Node node : nodes_of(e))
        if (const std::int32_t number = chosen_.number(node); number >= 0) places_[static_cast<std::size_t>(number)].push_back({static_cast<int>(g), e});
    }
  }
}

ScatterSizes estimated_sizes(const ElementsAround& elements, std::span<const int> groups, std::span<const Index> chunk_batches, bool of_pairs, Index pattern_pairs) {
  const Chunks chunks(elements, groups, chunk_batches);
  Counts counts = count_all(elements, chunks, of_pairs);
  const ChosenNodes& chosen = elements.chosen();
  const Index nodes = elements.space().node_count();
  ScatterSizes sizes{.chunks = chunks.count()};
  for (const int g : groups) {
    const ElementGroup& group = elements.group(g);
    sizes.sources += group.element_count * (of_pairs ? Index{group.node_count()} * group.node_count() : group.node_count());
  }
  const auto for_all = [&](Index counted) { return std::llround(chosen.for_all(counted)); };
  sizes.slots = for_all(counts.slots);
  sizes.extension = for_all(counts.extension);
  sizes.shared = for_all(counts.shared);
  sizes.untouched = std::max<Index>(0, (of_pairs ? pattern_pairs : nodes) - for_all(counts.items));
  sizes.runs = std::llround(all_fates(counts.fates, chosen.count() == nodes));
  return sizes;
}

}  // namespace ritz
