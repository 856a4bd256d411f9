// Kernels on a GPU of which a block computes the elements of a chunk, with their results in shared memory, and sums
// them. Elements of few numbers have a thread each, which keeps them in its registers; others a team of threads, and
// scratch in shared memory.
//
//   template <Form F>
//   __global__ void kernel(F form, ElementArguments arguments, int elements, ChunkSums sums) {
//     // Traits: a ChunkTraits
//     compute_chunk<Traits>(arguments, elements, sums, [&](team, memory, batch) { ...; });
//   }
//   launch_chunks<Traits>(device, "name", arguments, form, kernel<F>, items);   // more arguments of the kernel: last
#pragma once

#include "fem/launch/chunk_sums_cuda.hpp"
#include "fem/launch/element_blocks_cuda.hpp"

#include <algorithm>

namespace ritz::RITZ_BACKEND {

// Scratch: numbers of an element. Items: its results, of Block numbers each. Parts: that many times a block computes
// its elements, to sum as large a part of their results. Threads: of a block, if each has an element.
template <class R, bool InRegisters, int Scratch, int Items, int Block, int Parts, int Threads>
struct ChunkTraits {
  using Real = R;
  static constexpr bool in_registers = InRegisters;
  static constexpr int scratch = Scratch, items = Items, block = Block, parts = Parts, threads = Threads;
  static constexpr int width = Block / Parts;  // numbers of an item in a part
  static_assert(Block % Parts == 0);
};

// Layout of the numbers of an item in the results of a batch, from the item's first on: [number][lane], or
// [lane][number] for sums, whose threads have an item's numbers side by side: so these come from different banks of
// shared memory.
struct ChunkLayout {
  int lane_stride, number_stride;
};

template <class Traits, int Part>
struct ChunkTeam : GpuTeamOf<typename Traits::Real> {
  using Real = typename Traits::Real;
  static constexpr bool in_registers = Traits::in_registers, tiles_pairs = false;
  Real* results;  // from batch `first` on; of the part, or of all where Part is -1
  Index first;
  bool accumulate;
  ChunkLayout layout;

  template <class F>
  __device__ void each(int count, const F& f) const {
    if constexpr (in_registers) {
#pragma unroll
      for (int i = 0; i < count; ++i) f(i);
    } else {
      GpuTeamOf<Real>::each(count, f);
    }
  }
  template <class F>
  __device__ void each_tile(int count, int tile, const F& f) const {
    if constexpr (in_registers) {
#pragma unroll
      for (int first = 0; first < count; first += tile) f(first);
    } else {
      GpuTeamOf<Real>::each_tile(count, tile, f);
    }
  }
  __device__ void sync() const {
    if constexpr (!in_registers) __syncthreads();
  }
  __device__ void store(const ElementArguments&, Index batch, int entry, int, Real value) const {
    constexpr int width = Part < 0 ? Traits::block : Traits::width;
    const int item = entry / Traits::block, number = entry % Traits::block - (Part < 0 ? 0 : Part * width);
    if (number < 0 || number >= width) return;
    Real& target = results[((batch - first) * Traits::items + item) * (width * lane_count) +
                           this->lane * layout.lane_stride + number * layout.number_stride];
    target = accumulate ? target + value : value;
  }
};

template <class Real>
struct RegisterMemory {
  Real* data;
  __device__ Real& at(int i) const { return data[i]; }
};

template <class Real>
__device__ Real* elements_of(const ElementArguments& arguments) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return arguments.single_elements;
  } else {
    return arguments.elements;
  }
}

// Part `Part` and all later ones. If the sums have no target, all results are stored as in other kernels: that is part
// -1, or the only one.
template <class Traits, int Part, class Element>
__device__ void compute_parts(const ElementArguments& arguments, int elements, const ChunkSums& sums,
                              const Element& element) {
  using Real = typename Traits::Real;
  const Index skipped = blockIdx.x * sums.chunk_batches, left = arguments.batch_count - skipped;
  const Index batches = left < sums.chunk_batches ? left : sums.chunk_batches, first = arguments.first_batch + skipped;
  Real* const scratch = reinterpret_cast<Real*>(block_scratch());
  Real* results = scratch + (Traits::in_registers ? 0 : elements * Traits::scratch);
  if (sums.target == nullptr)
    results = elements_of<Real>(arguments) + skipped * Traits::items * Traits::block * lane_count;
  const ChunkLayout layout = sums.target == nullptr ? ChunkLayout{1, lane_count} : ChunkLayout{Traits::width, 1};
  const int mine = static_cast<int>(threadIdx.x) % elements, rank = static_cast<int>(threadIdx.x) / elements,
            size = static_cast<int>(blockDim.x) / elements;
  for (Index e = mine; e < batches * lane_count; e += elements) {
    const ChunkTeam<Traits, Part> team{
        {rank, size, static_cast<int>(e % lane_count)}, results, first, arguments.accumulate, layout};
    if constexpr (Traits::in_registers) {
      Real numbers[Traits::scratch];
      element(team, RegisterMemory<Real>{numbers}, first + e / lane_count);
    } else {
      element(team, GpuMemoryOf<Real>{scratch, elements, mine}, first + e / lane_count);
      __syncthreads();
    }
  }
  if constexpr (Part >= 0) {
    if (sums.target == nullptr) return;
    __syncthreads();
    const auto result = [results](unsigned source, unsigned k) { return results[source * Traits::width + k]; };
    sum_chunk<Traits::block, Traits::width>(
        sums.scatter, sums.first_chunk + blockIdx.x, result, static_cast<Real*>(sums.target) + Part * Traits::width,
        static_cast<Real*>(sums.extension) + Part * Traits::width, Lanes{threadIdx.x, blockDim.x});
    if constexpr (Part + 1 < Traits::parts) {
      __syncthreads();
      compute_parts<Traits, Part + 1>(arguments, elements, sums, element);
    }
  }
}

// block = sums.chunk_batches batches of elements, `elements` of them at once; thread = (item, element), or element.
template <class Traits, class Element>
__device__ void compute_chunk(const ElementArguments& arguments, int elements, const ChunkSums& sums,
                              const Element& element) {
  if constexpr (Traits::parts > 1) {
    if (sums.target == nullptr) return compute_parts<Traits, -1>(arguments, elements, sums, element);
  }
  compute_parts<Traits, 0>(arguments, elements, sums, element);
}

// items: of the widest loop over an element's points or nodes.
template <class Traits, class F, class... More>
void launch_chunks(const Device& device, const char* name, const ElementArguments& arguments, const F& form,
                   void (*kernel)(F, ElementArguments, int, ChunkSums, More...), int items, const More&... more) {
  if (arguments.batch_count == 0) return;
  constexpr int number = sizeof(typename Traits::Real),
                result_bytes = lane_count * Traits::items * Traits::width * number;
  ChunkSums sums{};
  sums.chunk_batches = Traits::in_registers ? Traits::threads / lane_count : 1;
  if (arguments.sums != nullptr) sums = *arguments.sums;
  const int held = sums.target != nullptr ? static_cast<int>(sums.chunk_batches) * result_bytes : 0;
  constexpr Index warp = 32;
  const int threads =
      static_cast<int>(std::min<Index>(Traits::threads, (sums.chunk_batches * lane_count + warp - 1) / warp * warp));
  BlockShape block{threads, threads, held};
  if constexpr (!Traits::in_registers) block = block_for(device, Traits::scratch * number, items, name, held);
  start_blocks(device, name, (arguments.batch_count + sums.chunk_batches - 1) / sums.chunk_batches, block, kernel, form,
               arguments, block.elements, sums, more...);
}

}  // namespace ritz::RITZ_BACKEND
