// The near-null space of the levels of a hierarchy, [node][C][K]: the caller's vectors, constants, or rigid motions.
// Private to solvers/multigrid.
#pragma once

#include "solvers/multigrid/coarse_nodes.hpp"
#include "solvers/multigrid/level_matrix.hpp"
#include "solvers/multigrid/near_null_kernels.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

namespace ritz {

class NearNull {
 public:
  // Throws Error: Exit::input for vectors that do not fit the blocks of A.
  NearNull(const LevelMatrix& A, const SmoothedAggregationOptions& options);

  int count() const { return count_; }                // K: vectors, and unknowns per node of coarser levels
  int translations() const { return translations_; }  // the first of them; 0: they are no rigid motions

  Vector of_first_level(const LevelMatrix& A) const;
  // Vectors of the next level, at the nodes that it keeps.
  Vector injected(const NestedNodes& nodes, const BlockMatrixView<double>& A, const Vector& near_null) const;
  // How aggregates move nodes next to them [aggregate][K][K]; empty where there are no translations.
  Vector extension(const Vector& coarse, const CoarseNodes& aggregates) const;
  // Whether rows of A that couple to nothing are still those where P has entries that are all zero.
  bool suits(const BlockMatrixView<double>& A, const BlockMatrixView<double>& P) const {
    return kernels_.suits(device_, A, P);
  }

 private:
  Vector given(const BlockMatrixView<double>& A) const;

  Device device_;
  const SmoothedAggregationOptions& options_;
  const NearNullKernels& kernels_;
  int count_, translations_;
};

}  // namespace ritz
