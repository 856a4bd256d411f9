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

// How many elements stand at each node.
class Incidences {
 public:
  Incidences(Index node_count, std::span<const ElementGroup* const> groups);
  std::int32_t at(Node node) const { return counts_[static_cast<std::size_t>(node)]; }  // 65535: as many or more
  Index node_count() const { return static_cast<Index>(counts_.size()); }

 private:
  static constexpr std::uint16_t most = 65535;
  std::vector<std::uint16_t> counts_;
};

// `groups`: all that take part, in the plan's order; `elements`: theirs. of_pairs: the lists of a matrix with `pattern_pairs` entries, else
// those of a vector. Exact where no group has more than `samples` chunks, and chunks of a matrix less than 400 nodes. For a matrix one pass
// over the connectivity.
ScatterSizes estimated_sizes(const Incidences& elements, std::span<const ChunkedGroup> groups, bool of_pairs, Index pattern_pairs, int samples = 12);

}  // namespace ritz
