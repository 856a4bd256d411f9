// Builds and owns the lists of scatter_view.hpp for a set of elements: where each element's entries go. Built once per
// operator on the host, used at every assembly.
#pragma once

#include "device/array.hpp"
#include "device/memory_needs.hpp"
#include "fem/launch/scatter_view.hpp"

#include <functional>
#include <span>
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
              const std::function<void(Index chunk, ChunkSlots& out)>& slots_of);

  ScatterView view() const;
  Array<std::uint16_t>& sources() { return sources_; }  // of all chunks, as many for each element
  Index extension_items() const { return extension_items_; }
  ScatterSizes sizes() const;
  static MemoryNeeds memory_needs(const ScatterSizes& sizes);

 private:
  Index extension_items_ = 0;
  Array<Index> chunk_runs_, chunk_slots_, chunk_sources_;
  Array<ScatterRun> runs_;
  Array<std::uint32_t> destinations_;
  Array<std::uint16_t> sources_;
  Array<std::uint32_t> shared_items_, shared_begin_, untouched_;
};

}  // namespace ritz
