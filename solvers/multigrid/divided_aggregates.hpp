// Aggregates that all ranks make together, and the tentative prolongator over them. Private to solvers/multigrid. All
// ranks call these functions.
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"

#include <span>
#include <vector>

namespace ritz {

struct DividedAggregates {
  Graph strong;                // connections of owned nodes
  Array<std::int32_t> number;  // [owned node] of its aggregate among those of all ranks, or -1
  Index here = 0;              // aggregates with their root on this rank
};

// translations: near-null space of [owned | ghosts], or none.
DividedAggregates aggregates_of_all(const DividedMatrix& A, const Strength& strength, const Translations& translations);

// T [owned | ghosts][C][K]: the near-null space made orthonormal in each aggregate, on the rank of its root.
// number: as above. first [rank + 1]: the first aggregate of each rank. near_null [owned][C][K]; coarse
// [aggregate here][K][K]: near-null space of the coarser level.
Vector tentative_of_all(const Ghosts& ghosts, std::span<const std::int32_t> number, std::span<const Index> first, int C,
                        int K, const Vector& near_null, Vector& coarse);

}  // namespace ritz
