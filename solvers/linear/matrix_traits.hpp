// Properties of a matrix, found from its numbers on its device in one pass, for the choice of a solver.
//
//   if (!inspect(K).symmetric) ...
#pragma once

#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

struct MatrixTraits {
  bool finite = true;
  bool symmetric = true;          // values and pattern, up to the rounding of an assembly (1e-10 of the entries)
  bool positive_diagonal = true;  // which every positive definite matrix has
  bool indefinite = false;        // found out by a solver; inspect() does not know
};
MatrixTraits inspect(const SparseMatrix& A);

// The first entry that is NaN or infinite, searched on the host: for messages. row = -1: none.
struct MatrixEntry {
  Index row = -1, column = -1;
  double value = 0;
};
MatrixEntry first_not_finite(const SparseMatrix& A);

}  // namespace ritz
