// Whether nested levels suit a matrix. Private to solvers/multigrid.
#pragma once

#include "solvers/multigrid/level_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

namespace ritz {

// Those of options.nested that suit the matrix, the same answer on all ranks.
NestedLevels suitable_levels(const LevelMatrix& A, const SmoothedAggregationOptions& options);

}  // namespace ritz
