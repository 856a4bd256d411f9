// Assembly on a CPU: threads take chunks as they come; a chunk's element results stay in the thread's L2 cache. Which
// thread does a chunk does not matter for the result.
#pragma once

#include "device/launch.hpp"
#include "device/parallel_errors.hpp"
#include "fem/launch/assembly.hpp"
#include "fem/launch/element_kernels_cpu.hpp"

#include <new>

namespace ritz::RITZ_BACKEND {

// Sums the sources of `count` slots, block 1: eight slots at a time.
template <class Real>
void sum_slots(const ScatterRun& run, const std::uint32_t* destinations, const std::uint16_t* sources,
               const Real* elements, Real* target) {
  using Lanes = PackOf<Real, lane_count>;
  const Index slots = run.slot_count;
  Index slot = 0;
  for (; slot + lane_count <= slots; slot += lane_count) {
    Lanes sum = 0.0;
    for (std::uint32_t k = 0; k < run.source_count; ++k) {
      const std::uint16_t* source = sources + k * slots + slot;
      // many short streams, which the processor does not prefetch
      __builtin_prefetch(source + 16 * lane_count);
      sum += Lanes::gathered([&](int l) { return elements[source[l]]; });
    }
    Real sums[lane_count];
    sum.store(sums);
    for (int l = 0; l < lane_count; ++l) target[destinations[slot + l]] = sums[l];
  }
  for (; slot < slots; ++slot) {
    Real sum = 0;
    for (std::uint32_t k = 0; k < run.source_count; ++k) sum += elements[sources[k * slots + slot]];
    target[destinations[slot]] = sum;
  }
}

// The same for blocks of B numbers; in the element buffer the numbers of a block are lane_count apart.
template <int B, class Real>
void sum_blocks(const ScatterRun& run, const std::uint32_t* destinations, const std::uint16_t* sources,
                const Real* elements, Real* target) {
  const Index slots = run.slot_count;
  for (Index slot = 0; slot < slots; ++slot) {
    Real sum[B] = {};
    for (std::uint32_t k = 0; k < run.source_count; ++k) {
      const unsigned source = sources[k * slots + slot];
      const Real* block = elements + Index{source / lane_count} * (B * lane_count) + source % lane_count;
      for (int i = 0; i < B; ++i) sum[i] += block[i * lane_count];
    }
    Real* out = target + Index{destinations[slot]} * B;
    for (int i = 0; i < B; ++i) out[i] = sum[i];
  }
}

template <int B, class Real>
void sum_chunk(const AssemblyJob<Real>& job, Index chunk, const Real* elements) {
  const ScatterView& s = job.scatter;
  const std::uint32_t* destinations = s.destinations + s.chunk_slots[chunk];
  const std::uint16_t* sources = s.sources + s.chunk_sources[chunk];
  for (Index r = s.chunk_runs[chunk]; r < s.chunk_runs[chunk + 1]; ++r) {
    const ScatterRun run = s.runs[r];
    Real* target = run.to_extension ? job.extension : job.target;
    if constexpr (B == 1) sum_slots(run, destinations, sources, elements, target);
    else sum_blocks<B>(run, destinations, sources, elements, target);
    destinations += run.slot_count;
    sources += Index{run.slot_count} * run.source_count;
  }
}

template <int B, class Real>
void sum_extension(const AssemblyJob<Real>& job, Index first, Index last) {
  const ScatterView& s = job.scatter;
  for (Index i = first; i < last; ++i) {
    Real sum[B] = {};
    for (Index e = s.shared_begin[i]; e < s.shared_begin[i + 1]; ++e)
      for (int k = 0; k < B; ++k) sum[k] += job.extension[e * B + k];
    Real* out = job.target + Index{s.shared_items[i]} * B;
    for (int k = 0; k < B; ++k) out[k] = sum[k];
  }
}

template <class Real>
void compute_chunk(const Device& device, const AssemblyGroup& group, Index chunk, Real* elements) {
  const Index first = chunk * group.chunk_batches;
  for (int t = 0; t < group.term_count; ++t) {
    ElementArguments arguments = group.terms[t].arguments;
    arguments.first_batch = first;
    arguments.batch_count = std::min(group.chunk_batches, group.batch_count - first);
    set_elements(arguments, elements);
    arguments.accumulate = t > 0;
    group.terms[t].kernel(device, arguments);
  }
}

template <int B, class Real>
void run_assembly(const Device& device, const AssemblyJob<Real>& job) {
  const LaunchScope launch(device, job.name);
  Index buffer_size = 0, chunks = 0;
  for (int g = 0; g < job.group_count; ++g) {
    const AssemblyGroup& group = job.groups[g];
    buffer_size = std::max(buffer_size, group.chunk_batches * group.items * B * lane_count);
    chunks += group.chunk_count();
  }
  const Index last = job.last_chunk < 0 ? chunks : job.last_chunk;
  const ScatterView& s = job.scatter;
  for (Index i = 0; i < s.untouched_count; ++i)
    for (int k = 0; k < B; ++k) job.target[Index{s.untouched[i]} * B + k] = 0;
  ParallelErrors errors;
#pragma omp parallel num_threads(device.team(last - job.first_chunk))
  {
    Real* const buffer =
        static_cast<Real*>(std::aligned_alloc(64, static_cast<std::size_t>(buffer_size) * sizeof(double)));
    if (buffer == nullptr) errors.run([] { throw std::bad_alloc(); });
#pragma omp for schedule(dynamic)
    for (Index chunk = job.first_chunk; chunk < last; ++chunk)
      errors.run([&] {
        int g = job.group_count - 1;
        while (chunk < job.groups[g].first_chunk) --g;
        compute_chunk(device, job.groups[g], chunk - job.groups[g].first_chunk, buffer);
        sum_chunk<B>(job, chunk, buffer);
      });
    constexpr Index grain = 4096;
#pragma omp for schedule(static)
    for (Index first = 0; first < s.shared_count; first += grain)
      sum_extension<B>(job, first, std::min(first + grain, s.shared_count));
    std::free(buffer);
  }
  errors.rethrow();
}

}  // namespace ritz::RITZ_BACKEND
