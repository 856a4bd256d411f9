// How results of elements are summed into a global vector or matrix: without atomics, in a fixed order, and with the
// same lists on every machine. Elements are grouped into chunks of consecutive elements. A chunk computes its element
// results into a buffer; then every slot of the chunk sums its sources from the buffer. Most slots belong to one chunk
// and are stored at their final place; slots that several chunks touch go to an extension, which a second pass sums.
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace ritz {

// Slots with equally many sources, one after the other.
struct ScatterRun {
  std::uint32_t source_count, slot_count;
  std::uint32_t to_extension;  // 1: destinations count items of the extension, 0: of the target
};

struct ScatterView {
  Index chunk_count;
  const Index* chunk_runs;     // [chunk + 1] first run
  const Index* chunk_slots;    // [chunk + 1] first slot
  const Index* chunk_sources;  // [chunk + 1] first source
  const ScatterRun* runs;
  const std::uint32_t* destinations;  // [slot] item of the target or of the extension
  const std::uint16_t* sources;       // per run [source][slot]: (batch in chunk * items + item) * lanes + lane
  Index shared_count;                 // items of the target that more than one chunk touches
  const std::uint32_t* shared_items;  // [shared] item of the target
  const std::uint32_t* shared_begin;  // [shared + 1] first item of the extension
  Index untouched_count;              // items of the target that no element touches: set to zero
  const std::uint32_t* untouched;
};

// Destinations of the results of chunks first_chunk, first_chunk + 1, ..., each of `chunk_batches` batches of elements
// (the last may have fewer).
struct ChunkSums {
  ScatterView scatter;
  Index first_chunk, chunk_batches;
  void *target, *extension;  // [item][component], of the kernel's precision
};

}  // namespace ritz
