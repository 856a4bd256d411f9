// Builds and owns the lists of scatter_view.hpp for a set of elements: where each element's entries go. Built once per
// operator on the host, or by a GPU (gpu_lists.hpp), used at every assembly.
#pragma once

#include "device/array.hpp"
#include "device/function_ref.hpp"
#include "device/memory_needs.hpp"
#include "fem/launch/list_kernels.hpp"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

// The contributions of a chunk of elements: `destination` of each slot (an item of the target), how many sources it
// sums, and the sources, slot after slot.
struct ChunkSlots {
  std::vector<std::uint32_t> destinations;
  std::vector<std::uint16_t> source_counts;
  std::vector<std::uint16_t> sources;
  void clear();
};

// Numbers of entries of the lists; destinations, sources and runs of all chunks together.
struct ScatterSizes {
  Index chunks = 0, runs = 0, slots = 0, sources = 0;
  Index shared = 0, extension = 0, untouched = 0;
};

class ScatterPlan {
 public:
  // slots_of(chunk, out) is called once per chunk, from several threads.
  ScatterPlan(const Device& device, Index target_items, Index chunk_count,
              FunctionRef<void(Index chunk, ChunkSlots& out)> slots_of);
  explicit ScatterPlan(ScatterLists made) : lists_(std::move(made)) {}

  ScatterView view() const;
  Array<std::uint16_t>& sources() { return lists_.sources; }  // of all chunks, as many for each element
  Index extension_items() const { return lists_.extension_items; }
  ScatterSizes sizes() const;
  static MemoryNeeds memory_needs(const ScatterSizes& sizes);

 private:
  ScatterLists lists_;
};

}  // namespace ritz
