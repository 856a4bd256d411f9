#include "fem/operator/scatter_plan.hpp"

#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/parallel_errors.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <omp.h>

namespace ritz {
namespace {

constexpr const char* lists_tag = "assembly lists";
constexpr Index largest_item = std::numeric_limits<std::uint32_t>::max();

void check_fits(Index items) {
  if (items > largest_item)
    throw Error(ErrorKind::device_memory,
                fmt::format("the matrix has {} blocks; at most {} can be assembled", items, largest_item),
                "destinations of element entries are 32-bit", "use a coarser mesh");
}

// How many chunks touch each item.
std::vector<std::uint32_t> count_touches(Index items, const std::vector<ChunkSlots>& chunks) {
  std::vector<std::uint32_t> touches(static_cast<std::size_t>(items), 0);
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t c = 0; c < chunks.size(); ++c)
    for (const std::uint32_t item : chunks[c].destinations)
      std::atomic_ref(touches[item]).fetch_add(1, std::memory_order_relaxed);
  return touches;
}

// A chunk's slots sorted into runs: first those of the target, then those of the extension, each by source count.
struct SortedChunk {
  std::vector<ScatterRun> runs;
  std::vector<std::uint32_t> destinations;
  std::vector<std::uint16_t> sources;
};

SortedChunk sorted_into_runs(const ChunkSlots& chunk, const std::vector<bool>& to_extension) {
  const std::size_t slots = chunk.destinations.size();
  std::vector<std::uint32_t> order(slots), first_source(slots);
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    order[i] = static_cast<std::uint32_t>(i);
    first_source[i] = begin;
    begin += chunk.source_counts[i];
  }
  // Counting sort by (to_extension, source count), stable, so that slots keep their order within a run.
  const std::size_t largest = slots == 0 ? 0 : *std::ranges::max_element(chunk.source_counts);
  std::vector<std::uint32_t> start(2 * (largest + 1) + 1, 0);
  const auto key = [&](std::size_t i) { return (to_extension[i] ? largest + 1 : 0) + chunk.source_counts[i]; };
  for (std::size_t i = 0; i < slots; ++i) ++start[key(i) + 1];
  for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
  std::vector<std::uint32_t> next = start;
  for (std::size_t i = 0; i < slots; ++i) order[next[key(i)]++] = static_cast<std::uint32_t>(i);

  SortedChunk sorted;
  sorted.destinations.resize(slots);
  sorted.sources.resize(chunk.sources.size());
  std::size_t source = 0;
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    const std::uint32_t first = start[k], count = start[k + 1] - start[k];
    if (count == 0) continue;
    const auto sources = static_cast<std::uint32_t>(k % (largest + 1));
    sorted.runs.push_back({sources, count, k > largest ? 1u : 0u});
    for (std::uint32_t s = 0; s < count; ++s) {
      const std::uint32_t slot = order[first + s];
      sorted.destinations[first + s] = chunk.destinations[slot];
      for (std::uint32_t n = 0; n < sources; ++n)
        sorted.sources[source + std::size_t{n} * count + s] = chunk.sources[first_source[slot] + n];
    }
    source += std::size_t{count} * sources;
  }
  return sorted;
}

// Lengths per chunk to first positions, with the total at the end.
template <class F>
std::vector<Index> starts(std::size_t chunks, const F& length) {
  std::vector<Index> first(chunks + 1, 0);
  for (std::size_t c = 0; c < chunks; ++c) first[c + 1] = first[c] + static_cast<Index>(length(c));
  return first;
}

// The parts are given back on the way: they are as large as what becomes of them.
template <class T>
std::vector<T> concatenated(const std::vector<Index>& first, std::vector<SortedChunk>& chunks,
                            std::vector<T> SortedChunk::*part) {
  std::vector<T> all(static_cast<std::size_t>(first.back()));
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    std::ranges::copy(chunks[c].*part, all.begin() + first[c]);
    chunks[c].*part = std::vector<T>();
  }
  return all;
}

std::vector<ChunkSlots> slots_of_chunks(Index chunk_count, FunctionRef<void(Index, ChunkSlots&)> slots_of) {
  std::vector<ChunkSlots> chunks(static_cast<std::size_t>(chunk_count));
  ParallelErrors errors;
#pragma omp parallel
  {
    ChunkSlots found;  // whose vectors have grown: what stays is a copy without their slack
#pragma omp for schedule(dynamic, 4)
    for (Index c = 0; c < chunk_count; ++c)
      errors.run([&] {
        found.clear();
        slots_of(c, found);
        chunks[static_cast<std::size_t>(c)] = found;
      });
  }
  errors.rethrow();
  return chunks;
}

// Target items by the number of chunks that add to them; those of several have an extension item for each.
struct TargetItems {
  std::vector<std::uint32_t> shared, untouched, shared_begin{0};
};

// [chunk][destination] is it an extension item? Destinations of shared items are replaced by those.
using IsExtension = std::vector<std::vector<bool>>;

IsExtension extend_shared_items(Index target_items, std::vector<ChunkSlots>& chunks, TargetItems& items) {
  const std::vector<std::uint32_t> touches = count_touches(target_items, chunks);
  std::vector<std::uint32_t> next(static_cast<std::size_t>(target_items));  // extension item of the next toucher
  for (Index item = 0; item < target_items; ++item) {
    const std::uint32_t count = touches[static_cast<std::size_t>(item)];
    if (count == 0) items.untouched.push_back(static_cast<std::uint32_t>(item));
    if (count < 2) continue;
    items.shared.push_back(static_cast<std::uint32_t>(item));
    next[static_cast<std::size_t>(item)] = items.shared_begin.back();
    check_fits(Index{items.shared_begin.back()} + count);
    items.shared_begin.push_back(items.shared_begin.back() + count);
  }
  // Extension items of one target item follow the order of the chunks: this loop must stay serial.
  IsExtension is_extension(chunks.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    is_extension[c].assign(chunks[c].destinations.size(), false);
    for (std::size_t i = 0; i < chunks[c].destinations.size(); ++i) {
      std::uint32_t& item = chunks[c].destinations[i];
      if (touches[item] < 2) continue;
      is_extension[c][i] = true;
      item = next[item]++;
    }
  }
  return is_extension;
}

// Takes the slots, chunk by chunk.
std::vector<SortedChunk> sorted_chunks(std::vector<ChunkSlots>& chunks, const IsExtension& is_extension) {
  std::vector<SortedChunk> sorted(chunks.size());
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t c = 0; c < chunks.size(); ++c)
    errors.run([&] {
      sorted[c] = sorted_into_runs(chunks[c], is_extension[c]);
      chunks[c] = {};
    });
  errors.rethrow();
  return sorted;
}

}  // namespace

void ChunkSlots::clear() {
  destinations.clear();
  source_counts.clear();
  sources.clear();
}

ScatterPlan::ScatterPlan(const Device& device, Index target_items, Index chunk_count,
                         FunctionRef<void(Index, ChunkSlots&)> slots_of) {
  check_fits(target_items);
  std::vector<ChunkSlots> chunks = slots_of_chunks(chunk_count, slots_of);
  TargetItems items;
  const IsExtension is_extension = extend_shared_items(target_items, chunks, items);
  lists_.extension_items = items.shared_begin.back();
  std::vector<SortedChunk> sorted = sorted_chunks(chunks, is_extension);
  const std::vector<Index> runs = starts(sorted.size(), [&](std::size_t c) { return sorted[c].runs.size(); });
  const std::vector<Index> slots = starts(sorted.size(), [&](std::size_t c) { return sorted[c].destinations.size(); });
  const std::vector<Index> sources = starts(sorted.size(), [&](std::size_t c) { return sorted[c].sources.size(); });
  const auto upload = [&](auto& array, const auto& values) {
    array = std::remove_reference_t<decltype(array)>(device, std::span(values), lists_tag);
  };
  upload(lists_.chunk_runs, runs);
  upload(lists_.chunk_slots, slots);
  upload(lists_.chunk_sources, sources);
  upload(lists_.runs, concatenated(runs, sorted, &SortedChunk::runs));
  upload(lists_.destinations, concatenated(slots, sorted, &SortedChunk::destinations));
  upload(lists_.sources, concatenated(sources, sorted, &SortedChunk::sources));
  upload(lists_.shared_items, items.shared);
  upload(lists_.shared_begin, items.shared_begin);
  upload(lists_.untouched, items.untouched);
  return_freed_host_memory();  // the parts of chunks: blocks that the C library would keep
}

ScatterSizes ScatterPlan::sizes() const {
  return {lists_.chunk_runs.size() - 1, lists_.runs.size(),     lists_.destinations.size(), lists_.sources.size(),
          lists_.shared_items.size(),   lists_.extension_items, lists_.untouched.size()};
}

MemoryNeeds ScatterPlan::memory_needs(const ScatterSizes& s) {
  MemoryNeeds needs;
  needs.array<Index>(lists_tag, s.chunks + 1, 3).array<ScatterRun>(lists_tag, s.runs);
  needs.array<std::uint32_t>(lists_tag, s.slots).array<std::uint16_t>(lists_tag, s.sources);
  needs.array<std::uint32_t>(lists_tag, s.shared)
      .array<std::uint32_t>(lists_tag, s.shared + 1)
      .array<std::uint32_t>(lists_tag, s.untouched);
  return needs;
}

ScatterView ScatterPlan::view() const {
  return {lists_.chunk_runs.size() - 1, lists_.chunk_runs.data(),   lists_.chunk_slots.data(),
          lists_.chunk_sources.data(),  lists_.runs.data(),         lists_.destinations.data(),
          lists_.sources.data(),        lists_.shared_items.size(), lists_.shared_items.data(),
          lists_.shared_begin.data(),   lists_.untouched.size(),    lists_.untouched.data()};
}

}  // namespace ritz
