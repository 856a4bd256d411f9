// A block matrix as compressed rows of scalars on its device, as libraries want it.
//
//   ScalarRows rows = scalar_rows(A, "direct solver");      // then, with new values: scalar_values(A, rows.values);
#pragma once

#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

// Arrays like those of HostMatrix.
struct ScalarRows {
  Array<Index> offsets;
  Array<std::int32_t> columns;
  Vector values;
  Index rows() const { return offsets.size() - 1; }
};

// The arrays have the tag `what`. Throws Error: Exit::resources where columns do not fit 32 bits.
ScalarRows scalar_rows(const SparseMatrix& A, const char* what);
void scalar_values(const SparseMatrix& A, Vector& values);  // of the same pattern

}  // namespace ritz
