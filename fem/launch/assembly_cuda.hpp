// Assembly on a GPU, in slabs: the element kernels fill the workspace with the results of as many chunks as it holds,
// then the slots of these chunks are summed; last the extension. Kernels that sum chunks themselves need neither slabs
// nor workspace. Nothing is atomic, every sum has a fixed order.
#pragma once

#include "device/error.hpp"
#include "device/launch.hpp"
#include "fem/launch/assembly.hpp"
#include "fem/launch/chunk_sums_cuda.hpp"

namespace ritz::RITZ_BACKEND {

constexpr unsigned root(unsigned square) {
  unsigned root = 0;
  while (root * root < square) ++root;
  return root;
}

// block = part of a chunk, thread = number of a slot's block. Halves: of a symmetric matrix.
template <int B, bool Halves, class Real>
__global__ void sum_chunks_kernel(const __grid_constant__ ScatterView s, Index first_chunk, int parts,
                                  const Real* elements, Index chunk_stride, Real* target, Real* extension) {
  const Index chunk = blockIdx.x / parts;
  const Lanes lanes{blockIdx.x % parts * blockDim.x + threadIdx.x, parts * blockDim.x};
  const Real* const results = elements + chunk * chunk_stride;  // [batch][item][number][lane]
  const auto result = [results](unsigned source, unsigned k) {
    if constexpr (Halves) {
      constexpr unsigned C = root(B);
      const unsigned place = source & (transposed_source - 1u);
      if (place != source) k = k % C * C + k / C;
      source = place;
    }
    return results[source / lane_count * (B * lane_count) + k * lane_count + source % lane_count];
  };
  sum_chunk<B, B>(s, first_chunk + chunk, result, target, extension, lanes);
}

template <class Real>
struct SumExtension {
  ScatterView s;
  int block;
  const Real* extension;
  Real* target;
  constexpr void operator()(Index i) const {
    const Index item = i / block, k = i % block;
    Real sum = 0;
    for (Index e = s.shared_begin[item]; e < s.shared_begin[item + 1]; ++e) sum += extension[e * block + k];
    target[Index{s.shared_items[item]} * block + k] = sum;
  }
};

struct HalveSources {
  std::uint16_t* sources;
  int nodes;
  constexpr void operator()(Index i) const {
    const int source = sources[i], pairs = nodes * nodes, place = source / lane_count, pair = place % pairs;
    const int a = pair / nodes, b = pair % nodes, half = a <= b ? half_of(a, b) : half_of(b, a);
    const int halved = (place / pairs * half_count(nodes) + half) * lane_count + source % lane_count;
    sources[i] = static_cast<std::uint16_t>(a <= b ? halved : halved | transposed_source);
  }
};

inline void halve_sources(const Device& device, std::uint16_t* sources, Index count, int nodes) {
  for_each(device, "halved lists", count, HalveSources{sources, nodes});
}

template <class Real>
struct ZeroUntouched {
  const std::uint32_t* untouched;
  int block;
  Real* target;
  constexpr void operator()(Index i) const { target[Index{untouched[i / block]} * block + i % block] = 0; }
};

template <int B, class Real>
auto sum_kernel(bool halves) {
  if constexpr (root(B) * root(B) == B && sizeof(Real) == sizeof(double)) {
    if (halves) return sum_chunks_kernel<B, true, Real>;
  }
  return sum_chunks_kernel<B, false, Real>;
}

template <int B, class Real>
void run_assembly(const Device& device, const AssemblyJob<Real>& job) {
  for_each(device, "zero untouched", job.scatter.untouched_count * B,
           ZeroUntouched<Real>{job.scatter.untouched, B, job.target});
  for (int g = 0; g < job.group_count; ++g) {
    const AssemblyGroup& group = job.groups[g];
    if (group.terms->sums_chunks) {
      const ChunkSums sums{job.scatter, group.first_chunk, group.chunk_batches, job.target, job.extension};
      ElementArguments arguments = group.terms->arguments;
      arguments.first_batch = 0;
      arguments.batch_count = group.batch_count;
      arguments.sums = &sums;
      group.terms->kernel(device, arguments);
      continue;
    }
    const Index stride = group.chunk_batches * group.items * B * lane_count;
    const Index slab = job.workspace_size / stride;  // chunks
    if (slab == 0) throw Error(ErrorKind::internal, std::string(job.name) + ": the workspace holds no chunk");
    for (Index first = 0; first < group.chunk_count(); first += slab) {
      const Index last = std::min(first + slab, group.chunk_count());
      const Index first_batch = first * group.chunk_batches;
      for (int t = 0; t < group.term_count; ++t) {
        ElementArguments arguments = group.terms[t].arguments;
        arguments.first_batch = first_batch;
        arguments.batch_count = std::min(last * group.chunk_batches, group.batch_count) - first_batch;
        set_elements(arguments, job.workspace);
        arguments.accumulate = t > 0;
        arguments.halves = group.halves;
        group.terms[t].kernel(device, arguments);
      }
      const LaunchScope launch(device, "sum slots");
      // less is not worth to read a chunk's runs again
      constexpr Index wanted_blocks = 2048, results_of_part = 8 * block_threads;
      const Index parts = std::max<Index>(1, std::min(wanted_blocks / (last - first), stride / results_of_part));
      start(device, {(last - first) * parts}, sum_kernel<B, Real>(group.halves), job.scatter, group.first_chunk + first,
            static_cast<int>(parts), job.workspace, stride, job.target, job.extension);
    }
  }
  for_each(device, "sum extension", job.scatter.shared_count * B,
           SumExtension<Real>{job.scatter, B, job.extension, job.target});
}

}  // namespace ritz::RITZ_BACKEND
