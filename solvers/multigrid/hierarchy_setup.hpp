// Builds the levels of a smoothed-aggregation hierarchy, in double precision.
#pragma once

#include "solvers/multigrid/block_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <vector>

namespace ritz {

struct SetupLevel {
  BlockMatrix A;                    // of the first level: empty, its view points to the caller's matrix
  BlockMatrixView<double> view;
  Index nonzeros = 0;               // blocks
  Vector inverse_diagonal;
  double largest_eigenvalue = 0;    // of D^-1 A, a bound
  BlockMatrix P, R;                 // to and from the next level; empty on the last
};

struct Setup {
  std::vector<SetupLevel> levels;
  Vector coarsest_inverse;          // dense, row-major; empty when the last level is too large for it
};

Setup set_up_hierarchy(const SparseMatrix& A, const SmoothedAggregationOptions& options);

}  // namespace ritz
