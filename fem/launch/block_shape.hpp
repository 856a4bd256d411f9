// Shape of a GPU's block in element kernels: elements of a batch, threads, shared memory. Plain numbers, so that shapes
// for GPUs that are not here can be tested.
#pragma once

#include <algorithm>

namespace ritz {

// A kernel has at most 255 registers per thread, given out in eights, and a block of every architecture has 65536: any
// kernel fits.
inline constexpr int largest_block_threads = 256;
static_assert(largest_block_threads * 256 <= 65536);

struct BlockShape {
  int elements = 0, threads = 0, bytes = 0;  // elements 0: not even one fits, `bytes` are what it wants
};

// Lanes of a block's warps that have an item, in the mean over the rounds of the widest loop.
constexpr double busy_lanes(int elements, int items) {
  constexpr int warp = 32;
  const int ranks = std::clamp(items, 1, largest_block_threads / elements);
  const int rounds = (items + ranks - 1) / ranks, lanes = (elements * ranks + warp - 1) / warp * warp;
  return double(elements) * items / (double(rounds) * lanes);
}

// scratch: of one element [bytes]. items: of the widest loop over points or nodes. limit: shared memory that a block
// may have on this GPU [bytes]: 64 KB of Turing, 99 KB of 8.6, 8.9 and 12.0, 163 KB of 8.0, 227 KB of 9.0 and 10.0
// (CUDA C++ Programming Guide, Compute Capabilities). held: for the block besides scratch [bytes]. Two blocks of 112 KB
// fit a multiprocessor of the larger ones. Fewer elements than fit are taken where many more lanes are busy then: 36
// lines of eight elements go round twice, the second time with 4 of 32 threads of each; four elements go round once.
constexpr BlockShape block_shape(int lanes, int scratch, int items, int limit, int held = 0) {
  const int wanted = std::min(limit, 112 << 10);
  int elements = lanes;
  while (elements > 1 && held + elements * scratch > wanted) elements /= 2;
  constexpr double more = 1.25;  // less is not worth that a warp reads fewer elements side by side
  for (int fewer = elements / 2; fewer > 0; fewer /= 2)
    if (busy_lanes(fewer, items) > more * busy_lanes(elements, items)) elements = fewer;
  const int bytes = held + elements * scratch;
  if (bytes > limit) return {0, 0, bytes};
  return {elements, elements * std::clamp(items, 1, largest_block_threads / elements), bytes};
}

}  // namespace ritz
