// Chunks of an assembly loop on a part of a space, whose nodes are [owned | ghosts]: those whose elements reach no
// ghost are run while the ghosts' values travel, the others afterwards. Sums have the bits of a run at once.
//
//   const InnerChunks chunks = inner_chunks(groups, elements, owned, threads);
//   ghosts.begin_fetch(x, 3);   run_inner_first(device, job, chunks, ghosts, kernels.run);
#pragma once

#include "fem/launch/assembly.hpp"
#include "fem/operator/element_groups.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/algebra/inner_rows.hpp"

#include <span>
#include <vector>

namespace ritz {

// Ranges of the chunks of all groups, ascending.
struct InnerChunks {
  std::vector<RowRange> inner, border;
};

// elements: of each group. Inner ranges are cut into a few pieces, each of work for all threads.
InnerChunks inner_chunks(std::span<const AssemblyGroup> groups, std::span<const ElementGroup* const> elements,
                         Node owned, int threads);

template <class Real, class Run>
void run_inner_first(const Device& device, const AssemblyJob<Real>& whole, const InnerChunks& chunks,
                     const Ghosts& ghosts, const Run& run) {
  std::vector<RowRange> ranges = chunks.inner;
  ranges.insert(ranges.end(), chunks.border.begin(), chunks.border.end());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (k == chunks.inner.size()) ghosts.finish_fetch();
    else if (k > 0 && k < chunks.inner.size()) ghosts.look();
    AssemblyJob<Real> job = whole;
    job.first_chunk = ranges[k].first;
    job.last_chunk = ranges[k].last;
    if (k > 0) job.scatter.untouched_count = 0;
    if (k + 1 < ranges.size()) job.scatter.shared_count = 0;  // summed when all chunks have been run
    run(device, job);
  }
  if (chunks.border.empty()) ghosts.finish_fetch();
}

}  // namespace ritz
