// How a GPU makes the lists of scatter_view.hpp: bitwise those that ScatterPlan makes on the host. Entries of elements
// are sorted by chunk, row and column, so that equal ones are a slot; slots by chunk, fate and number of sources, so
// that equal ones are a run. A million entries at a time.
#pragma once

#include "device/array.hpp"
#include "device/pack.hpp"
#include "fem/launch/scatter_view.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace ritz {

// The arrays of a ScatterView.
struct ScatterLists {
  Index extension_items = 0;
  Array<Index> chunk_runs, chunk_slots, chunk_sources;
  Array<ScatterRun> runs;
  Array<std::uint32_t> destinations;
  Array<std::uint16_t> sources;
  Array<std::uint32_t> shared_items, shared_begin, untouched;
};

// Elements of equal shape, in chunks of `chunk_batches` batches.
struct ListedGroup {
  const std::int32_t* nodes;  // [batch][node][lane]
  int width;                  // nodes of an element
  Index elements, chunk_batches;
  Index chunk_elements() const { return chunk_batches * lane_count; }
  Index chunk_count() const { return (elements + chunk_elements() - 1) / chunk_elements(); }
};

// Items of the target: nodes, or of a matrix the entries of this pattern.
struct ListedItems {
  Index count;
  const Index* offsets;         // nullptr: nodes
  const std::int32_t* columns;  // [offsets]
};

struct ListKernels {
  // together: entries that are sorted at a time, or a chunk's if these are more. nullopt: more slots than 32 bits
  // count. Throws Error: Exit::resources.
  std::optional<ScatterLists> (*make)(const Device&, std::span<const ListedGroup>, const ListedItems&, Index together);
};

// Entries that are sorted at a time where nobody wants another number.
inline constexpr Index listed_entries = Index{1} << 20;

// [bytes] Memory of make() beside the lists.
constexpr Index list_scratch(Index items, Index entries, Index slots, Index extension) {
  const Index sorted = std::min(entries, listed_entries);
  return 6 * slots + 4 * items + 4 * extension + 80 * sorted;
}

}  // namespace ritz
