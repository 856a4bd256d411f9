// The slots of a chunk on a GPU, summed from its element results (scatter_view.hpp).
#pragma once

#include "device/device.hpp"
#include "device/pack.hpp"
#include "fem/launch/scatter_view.hpp"

namespace ritz::RITZ_BACKEND {

// Which threads do it: this one is number `rank` of `count`.
struct Lanes {
  unsigned rank, count;
};

// result(source, k): number k of an element's item, as lists say where it is. `Width` numbers from the target on, which
// has B per item.
template <int B, int Width, class Real, class Result>
__device__ void sum_chunk(const ScatterView& s, Index chunk, const Result& result, Real* target, Real* extension,
                          const Lanes& lanes) {
  const std::uint32_t* destinations = s.destinations + s.chunk_slots[chunk];
  const std::uint16_t* sources = s.sources + s.chunk_sources[chunk];
  for (Index r = s.chunk_runs[chunk]; r < s.chunk_runs[chunk + 1]; ++r) {
    const ScatterRun run = s.runs[r];
    Real* out = run.to_extension ? extension : target;
    for (unsigned i = lanes.rank; i < run.slot_count * Width; i += lanes.count) {
      const unsigned slot = i / Width, k = i % Width;
      Real sum = 0;
      for (unsigned n = 0; n < run.source_count; ++n) sum += result(sources[n * run.slot_count + slot], k);
      out[Index{destinations[slot]} * B + k] = sum;
    }
    destinations += run.slot_count;
    sources += run.slot_count * run.source_count;
  }
}

}  // namespace ritz::RITZ_BACKEND
