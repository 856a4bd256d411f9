#include "fem/operator/task_outline.hpp"

#include "device/cache_size.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/slab_buffer.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Numbers of a slab of element results on a GPU with this second-level cache, 0: on one that is not here. Chunks of all
// groups have about as many numbers, so that those of the fewest batches have the largest elements.
Index slab_of(Index widest, Index largest, const std::vector<Index>& chunk_batches, Index second_level_cache) {
  if (widest == 0) return 0;
  const Index of_element = widest / (std::ranges::min(chunk_batches) * lane_count);
  return std::min(largest, std::max(widest, slab_size(second_level_cache, of_element)));
}

}  // namespace

const AssemblyKernels& assembly_kernels(const Device& device) {
  return kernels<AssemblyKernels>(device, "ritz_fem_kernels", "assembly");
}

ListKey list_key(const TaskOutline& outline) {
  const TaskJob& job = outline.job;
  return {outline.groups, outline.chunk_batches, job.is_matrix(), job.row, job.column};
}

void TaskOutline::add(const Device& device, GroupTask group, const char* remedy) {
  if (!has_lists(group.items))
    throw Error(ErrorKind::device_memory,
                fmt::format("element {} of {} entries cannot be assembled", job.is_matrix() ? "matrices" : "results",
                            group.items),
                "the lists that say where these go count to 65536", remedy);
  const AssemblyKernels& assembly = assembly_kernels(device);
  const bool can_sum = group.summed_numbers > 0;
  const ChunkLimits& limits = job.is_matrix() && !can_sum ? assembly.matrices : assembly.vectors;
  const int numbers = can_sum ? group.summed_numbers : block;
  const Index batch_count = group.fields.front().elements->batch_count();
  const Index batches = batches_per_chunk(batch_count, group.items, numbers, limits);
  // sources of halves have fifteen bits
  const bool half = group.half_items > 0 && batches * group.half_items * lane_count <= transposed_source;
  const Index results = batches * (half ? group.half_items : group.items) * numbers * lane_count;
  const Index chunks = (batch_count + batches - 1) / batches;
  chunk_batches.push_back(batches);
  first_chunk.push_back(first_chunk.back() + chunks);
  sums_chunks.push_back(can_sum && results * Index{sizeof(double)} <= limits.bytes);
  halves.push_back(half && assembly.needs_workspace);
  if (!sums_chunks.back()) {
    widest = std::max(widest, results);
    largest = std::max(largest, chunks * results);
  }
  groups.push_back(group.group);
  fields.push_back(std::move(group.fields));
  integrals.push_back(std::move(group.integrals));
  items.push_back(group.items);
}

const FieldOfGroup* TaskOutline::field(std::size_t g, int number) const {
  const auto found = std::ranges::find(fields[g], number, &FieldOfGroup::field);
  return found == fields[g].end() ? nullptr : &*found;
}

TaskOutline::Chunk TaskOutline::chunk(Index number) const {
  const auto g = static_cast<std::size_t>(std::ranges::upper_bound(first_chunk, number) - first_chunk.begin() - 1);
  const Index size = chunk_batches[g] * lane_count, first = (number - first_chunk[g]) * size;
  return {g, first, std::min(first + size, elements(g).element_count)};
}

Index workspace_size(const Device& device, const TaskOutline& outline) {
  if (!assembly_kernels(device).needs_workspace) return 0;
  return slab_of(outline.widest, outline.largest, outline.chunk_batches, second_level_cache(device));
}

Index TaskOutline::slab() const { return slab_of(widest, largest, chunk_batches, 0); }

}  // namespace ritz
