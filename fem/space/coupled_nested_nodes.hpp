// Nested levels of a space in which nodes follow others: interpolation that satisfies the equations. Where a node would
// take the value of a coarser node that follows others, it takes theirs.
#pragma once

#include "fem/space/function_space.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <vector>

namespace ritz {

// Replaces such parents, from the first level on. False where components follow in ways of their own: then no level
// serves.
bool couple_levels(const NodeCouplings& couplings, std::vector<NestedNodes>& levels);

}  // namespace ritz
