// Assembly on a GPU, in slabs: the element kernels fill the workspace with the results of as many chunks as it holds,
// then the slots of these chunks are summed; last the extension. Nothing is atomic, every sum has a fixed order.
#pragma once

#include "device/error.hpp"
#include "device/launch.hpp"
#include "fem/launch/assembly.hpp"

namespace ritz::RITZ_BACKEND {

// block = chunk, thread = number of a slot's block
template <int B, class Real>
__global__ void sum_chunks_kernel(const __grid_constant__ ScatterView s, Index first_chunk, const Real* elements,
                                  Index chunk_stride, Real* target, Real* extension) {
  const Index chunk = first_chunk + blockIdx.x;
  const Real* chunk_elements = elements + blockIdx.x * chunk_stride;
  const std::uint32_t* destinations = s.destinations + s.chunk_slots[chunk];
  const std::uint16_t* sources = s.sources + s.chunk_sources[chunk];
  for (Index r = s.chunk_runs[chunk]; r < s.chunk_runs[chunk + 1]; ++r) {
    const ScatterRun run = s.runs[r];
    Real* out = run.to_extension ? extension : target;
    for (Index i = threadIdx.x; i < Index{run.slot_count} * B; i += blockDim.x) {
      const Index slot = i / B;
      const int k = static_cast<int>(i % B);
      Real sum = 0;
      for (std::uint32_t n = 0; n < run.source_count; ++n) {
        const unsigned source = sources[Index{n} * run.slot_count + slot];
        sum += chunk_elements[Index{source / lane_count} * (B * lane_count) + k * lane_count + source % lane_count];
      }
      out[Index{destinations[slot]} * B + k] = sum;
    }
    destinations += run.slot_count;
    sources += Index{run.slot_count} * run.source_count;
  }
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

template <class Real>
struct ZeroUntouched {
  const std::uint32_t* untouched;
  int block;
  Real* target;
  constexpr void operator()(Index i) const { target[Index{untouched[i / block]} * block + i % block] = 0; }
};

template <int B, class Real>
void run_assembly(const Device& device, const AssemblyJob<Real>& job) {
  for_each(device, "zero untouched", job.scatter.untouched_count * B,
           ZeroUntouched<Real>{job.scatter.untouched, B, job.target});
  for (int g = 0; g < job.group_count; ++g) {
    const AssemblyGroup& group = job.groups[g];
    const Index stride = group.chunk_batches * group.items * B * lane_count;
    const Index slab = job.workspace_size / stride;  // chunks
    if (slab == 0) throw Error(Exit::internal, std::string(job.name) + ": the workspace holds no chunk");
    for (Index first = 0; first < group.chunk_count(); first += slab) {
      const Index last = std::min(first + slab, group.chunk_count());
      const Index first_batch = first * group.chunk_batches;
      for (int t = 0; t < group.term_count; ++t) {
        ElementArguments arguments = group.terms[t].arguments;
        arguments.first_batch = first_batch;
        arguments.batch_count = std::min(last * group.chunk_batches, group.batch_count) - first_batch;
        set_elements(arguments, job.workspace);
        arguments.accumulate = t > 0;
        group.terms[t].kernel(device, arguments);
      }
      const LaunchScope launch(device, "sum slots");
      start(device, {last - first}, sum_chunks_kernel<B, Real>, job.scatter, group.first_chunk + first, job.workspace, stride, job.target,
            job.extension);
    }
  }
  for_each(device, "sum extension", job.scatter.shared_count * B,
           SumExtension<Real>{job.scatter, B, job.extension, job.target});
}

}  // namespace ritz::RITZ_BACKEND
