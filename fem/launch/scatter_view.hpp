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

// Results of a symmetric matrix may be half of an element's blocks, those of nodes a <= b. Then a source counts these
// in place of all pairs, and has one more bit where the transposed block is wanted: fifteen are left for the place.
constexpr int half_count(int nodes) { return nodes * (nodes + 1) / 2; }
constexpr int half_of(int a, int b) { return half_count(b) + a; }  // number of the block of a <= b
struct NodePair {
  int a, b;
};
constexpr NodePair nodes_of_half(int half) {
  int b = 0;
  while (half > b) half -= ++b;
  return {half, b};
}
inline constexpr std::uint16_t transposed_source = 1 << 15;

struct ScatterView {
  Index chunk_count;
  const Index* chunk_runs;     // [chunk + 1] first run
  const Index* chunk_slots;    // [chunk + 1] first slot
  const Index* chunk_sources;  // [chunk + 1] first source
  const ScatterRun* runs;
  const std::uint32_t* destinations;  // [slot] item of the target or of the extension
  // per run [source][slot]: (batch in chunk * items + item) * lanes + lane; item = a * nodes + b of a matrix
  const std::uint16_t* sources;
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
