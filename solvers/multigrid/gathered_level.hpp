// A level over ranks of which every rank takes the whole, for a hierarchy below it. Private to solvers/multigrid.
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/sparse_matrix.hpp"
#include "solvers/multigrid/nested_levels.hpp"

namespace ritz {

struct GatheredLevel {
  SparseMatrix A;    // on the device alone; unknowns that couple to nothing have a diagonal entry of 1
  Vector near_null;  // [node][block][near_null_count]
  int near_null_count, translations = 0;  // as in SmoothedAggregationOptions, with the next
  double strength = -1;
  NestedLevels nested = {};  // below it
};

// Matrix and near-null space, of which near_null has that of owned nodes. All ranks call it.
GatheredLevel gathered(const DividedMatrix& A, const Vector& near_null, int count);

}  // namespace ritz
