// (A + A^T) / 2 over ranks, on the pattern of A (SparseMatrix::symmetric_part is that of one): preconditioners of
// matrices that are not symmetric, or not definite, are made of it.
//
//   const DividedMatrix part(A.shared_ghosts(), symmetric_part(A, true));     // all ranks make theirs together
#pragma once

#include "solvers/algebra/divided_matrix.hpp"

namespace ritz {

// Rows as DividedMatrix takes them. An entry without a mirror image in the pattern becomes zero. With
// `diagonally_dominant`, every diagonal entry is raised a little above the sum of the magnitudes of the others in its
// row.
BlockMatrix symmetric_part(const DividedMatrix& A, bool diagonally_dominant);

}  // namespace ritz
