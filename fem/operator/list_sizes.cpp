#include "fem/operator/list_sizes.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
  bool holds(int group) const {
    return static_cast<std::size_t>(group) < sizes_.size() && sizes_[static_cast<std::size_t>(group)] > 0;
  }
  Index of(const ElementsAround::Place& place) const {
    const auto g = static_cast<std::size_t>(place.group);
    return first_[g] + place.element / sizes_[g];
  }

 private:
  std::vector<Index> sizes_, first_;  // [group] elements in a chunk, 0: takes no part; its first chunk
  Index count_ = 0;
};

// Slots of equal fate in a chunk are a run.
struct Fate {
  Index chunk;
  bool shared;
  int times;
  auto operator<=>(const Fate&) const = default;
};

struct Counts {
  Index slots = 0, extension = 0, items = 0, shared = 0;
  std::vector<Fate> fates;  // of each row every one once
};

// Rows of the target one after the other: their items (the node itself, or the columns), and how often each chunk adds
// to each.
class Rows {
 public:
  Rows(const ElementsAround& elements, const ElementsAround& columns, const Chunks& chunks, bool of_pairs)
      : elements_(&elements), chunks_(&chunks), of_pairs_(of_pairs) {
    if (!of_pairs) return;
    item_.assign(static_cast<std::size_t>(columns.space().node_count()), -1);
    for (int g = 0; g < columns.group_count(); ++g) nodes_of_.emplace_back(columns.space(), columns.group(g));
  }

  void add(Index row, Counts& counts) {
    find_chunks(row);
    if (places_.empty()) return;
    count_times();
    sum(counts);
  }

 private:
  void find_chunks(Index row) {
    places_.clear();
    in_.clear();
    for (const ElementsAround::Place& place : elements_->of(row)) {
      if (!chunks_->holds(place.group)) continue;
      const auto slot = std::ranges::find(in_, chunks_->of(place));
      places_.emplace_back(place, slot - in_.begin());
      if (slot == in_.end()) in_.push_back(chunks_->of(place));
    }
  }
  void count_times() {
    times_.assign(of_pairs_ ? 0 : in_.size(), 0);
    for (const auto& [place, slot] : places_) {
      if (!of_pairs_) {
        ++times_[slot];
        continue;
      }
      for (const Node node : nodes_of_[static_cast<std::size_t>(place.group)](place.element)) {
        std::int32_t& item = item_[static_cast<std::size_t>(node)];
        if (item < 0) {
          item = static_cast<std::int32_t>(met_.size());
          met_.push_back(node);
          times_.resize(times_.size() + in_.size(), 0);
        }
        ++times_[static_cast<std::size_t>(item) * in_.size() + slot];
      }
    }
    for (const Node node : met_) item_[static_cast<std::size_t>(node)] = -1;
    met_.clear();
  }
  void sum(Counts& counts) {
    const std::size_t chunks = in_.size();
    seen_.assign(2 * chunks * (places_.size() + 1), 0);
    for (std::size_t first = 0; first < times_.size(); first += chunks) {
      const std::span<const int> times(times_.data() + first, chunks);
      const Index adding = std::ranges::count_if(times, [](int t) { return t > 0; });
      ++counts.items;
      counts.slots += adding;
      counts.shared += adding > 1;
      counts.extension += adding > 1 ? adding : 0;
      for (std::size_t c = 0; c < chunks; ++c)
        if (times[c] > 0 &&
            std::exchange(seen_[(2 * c + (adding > 1)) * (places_.size() + 1) + static_cast<std::size_t>(times[c])],
                          1) == 0)
          counts.fates.push_back({in_[c], adding > 1, times[c]});
    }
  }

  const ElementsAround* elements_;
  const Chunks* chunks_;
  bool of_pairs_;
  std::vector<ElementNodes> nodes_of_;  // [group]
  std::vector<std::int32_t> item_;      // [node] of the row, -1: not met
  std::vector<Node> met_;
  std::vector<Index> in_;                                              // chunks that add to the row
  std::vector<std::pair<ElementsAround::Place, std::size_t>> places_;  // elements, and the position of their chunk
  std::vector<int> times_;                                             // [item][chunk]
  std::vector<char> seen_;                                             // [chunk][shared][times]
};

// All fates from those that were seen, in how many rows: Chao's estimator ("Estimating the population size for
// capture-recapture data with unequal catchability", 1987), which is exact where all rows were.
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

Counts count_all(const ElementsAround& elements, const ElementsAround& columns, const Chunks& chunks, bool of_pairs) {
  const Index rows = elements.chosen().count(), threads = elements.space().device().threads();
  std::vector<Counts> parts(static_cast<std::size_t>(threads));
  ParallelErrors errors;
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(threads))
  for (Index part = 0; part < threads; ++part)
    errors.run([&] {
      Rows each(elements, columns, chunks, of_pairs);
      for (Index row = part * rows / threads; row < (part + 1) * rows / threads; ++row)
        each.add(row, parts[static_cast<std::size_t>(part)]);
    });
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

ElementsAround::ElementsAround(const FunctionSpace& space, std::vector<std::shared_ptr<const ElementGroup>> groups)
    : space_(space), groups_(std::move(groups)), chosen_(space), places_(static_cast<std::size_t>(chosen_.count())) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const ElementGroup& group = *groups_[g];
    ElementNodes nodes_of(space, group);
    for (Index e = 0; e < group.element_count; ++e) {
      if (!group.elements.empty() && !chosen_.has_near(group.elements[static_cast<std::size_t>(e)])) continue;
      for (const Node node : nodes_of(e))
        if (const std::int32_t number = chosen_.number(node); number >= 0)
          places_[static_cast<std::size_t>(number)].push_back({static_cast<int>(g), e});
    }
  }
}

ScatterSizes estimated_sizes(const ElementsAround& elements, std::span<const int> groups,
                             std::span<const Index> chunk_batches, bool of_pairs, Index pattern_pairs,
                             const ElementsAround* columns) {
  const Chunks chunks(elements, groups, chunk_batches);
  const ElementsAround& others = columns != nullptr ? *columns : elements;
  Counts counts = count_all(elements, others, chunks, of_pairs);
  const ChosenNodes& chosen = elements.chosen();
  const Index nodes = elements.space().node_count();
  ScatterSizes sizes{.chunks = chunks.count()};
  for (const int g : groups) {
    const ElementGroup& group = elements.group(g);
    sizes.sources += group.element_count *
                     (of_pairs ? Index{group.node_count()} * others.group(g).node_count() : group.node_count());
  }
  const auto for_all = [&](Index counted) { return std::llround(chosen.for_all(counted)); };
  sizes.slots = for_all(counts.slots);
  sizes.extension = for_all(counts.extension);
  sizes.shared = for_all(counts.shared);
  sizes.untouched = std::max<Index>(0, (of_pairs ? pattern_pairs : nodes) - for_all(counts.items));
  sizes.runs = std::llround(all_fates(counts.fates, chosen.count() == nodes));
  return sizes;
}

Index pairs_between(const ElementsAround& rows, const ElementsAround& columns) {
  std::vector<ElementNodes> nodes_of;
  for (int g = 0; g < columns.group_count(); ++g) nodes_of.emplace_back(columns.space(), columns.group(g));
  std::vector<Index> met(static_cast<std::size_t>(columns.space().node_count()), -1);  // [node] the last row with it
  Index pairs = 0;
  for (Index row = 0; row < rows.chosen().count(); ++row)
    for (const ElementsAround::Place& place : rows.of(row))
      for (const Node node : nodes_of[static_cast<std::size_t>(place.group)](place.element))
        pairs += std::exchange(met[static_cast<std::size_t>(node)], row) != row;
  return std::llround(rows.chosen().for_all(pairs));
}

}  // namespace ritz
