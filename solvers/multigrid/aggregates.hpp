// Aggregates of a level's nodes, and the tentative prolongator over them; over ranks all make them together. Private to
// solvers/multigrid. All ranks call these functions.
#pragma once

#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/coarse_nodes.hpp"
#include "solvers/multigrid/level_matrix.hpp"

namespace ritz {

// translations: near-null space of [owned | ghosts], or none. strong: connections of owned nodes. aggregate: [owned
// node] of its aggregate among those of all ranks, or -1. Returns the aggregates with their root on this rank.
Index make_aggregates(const LevelMatrix& A, const Strength& strength, const Translations& translations, Graph& strong,
                      Array<std::int32_t>& aggregate);

// T [owned | ghosts][C][K]: the near-null space made orthonormal in each aggregate, on the rank of its root.
// near_null [owned][C][K]; coarse [own aggregate][K][K]: near-null space of the coarser level.
Vector tentative_prolongator(const LevelMatrix& A, const std::int32_t* aggregate, const CoarseNodes& aggregates, int K,
                             const Vector& near_null, Vector& coarse);

}  // namespace ritz
