// Builds the levels of a smoothed-aggregation hierarchy, in double precision, one after the other: a level is handed over
// as soon as the next one exists, so that two at most are held here.
#pragma once

#include "solvers/multigrid/block_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <functional>
#include <vector>

namespace ritz {

struct SetupLevel {
  BlockMatrix A;                    // of the first level: empty, its view points to the caller's matrix
  BlockMatrixView<double> view;
  Index nonzeros = 0;               // blocks
  Vector inverse_diagonal;
  double largest_eigenvalue = 0;    // of D^-1 A, a bound
  Array<std::int32_t> aggregate;    // [node] of the next level, negative: none; empty on the last, as are P and R
  BlockMatrix P, R;                 // to and from the next level
  Vector coarsest_inverse;          // dense, row-major; on the last level, empty when that is too large for it
};

using TakeLevel = std::function<void(SetupLevel&)>;

// Those of options.nested that suit the matrix.
NestedLevels nested_levels(const SparseMatrix& A, const SmoothedAggregationOptions& options);

void set_up_hierarchy(const SparseMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested, const TakeLevel& take);

// What is kept of a level for new values: patterns (without values) and aggregates.
struct KnownLevel {
  BlockMatrixView<double> A, P, R;
  Index nonzeros = 0, transfer_nonzeros = 0;  // blocks of A, and of P
  const std::int32_t* aggregate = nullptr;      // unused between nested levels
};

struct RefreshedLevel {
  BlockMatrixView<double> A;
  Vector inverse_diagonal, P, R, coarsest_inverse;
  double largest_eigenvalue = 0;
};

using TakeValues = std::function<void(std::size_t level, RefreshedLevel&)>;

// The values of a hierarchy for new values of A. False when some would not fit the known patterns; the levels that were
// handed over until then are valid, the others are not.
bool refresh_hierarchy(const SparseMatrix& A, const SmoothedAggregationOptions& options, const NestedLevels& nested,
                       const std::vector<KnownLevel>& known, const TakeValues& take);

}  // namespace ritz
