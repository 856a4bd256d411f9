// How large the lists of a ScatterPlan will be, before they are made: some chunks are looked at closely, and the others
// count like them.
#pragma once

#include "fem/element_groups.hpp"
#include "fem/scatter_plan.hpp"

#include <span>

namespace ritz {

struct ChunkedGroup {
  const ElementGroup* group;
  Index chunk_batches;
};

// `groups`: all that take part, in the plan's order. of_pairs: the lists of a matrix with `pattern_pairs` entries, else those of
// a vector on `node_count` nodes. Exact where no group has more than `samples` chunks, and chunks of a matrix less than 400 nodes. One pass
// over the connectivity.
ScatterSizes estimated_sizes(Index node_count, std::span<const ChunkedGroup> groups, bool of_pairs, Index pattern_pairs, int samples = 12);

}  // namespace ritz
