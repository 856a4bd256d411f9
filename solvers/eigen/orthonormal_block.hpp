// Blocks of vectors that are orthonormal in the inner product of M: what both eigenvalue methods build their subspaces
// of.
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/multi_vector.hpp"

#include <vector>

namespace ritz {

using SmallMatrix = std::vector<double>;  // on the host, row-major

struct OrthonormalBlock {
  MultiVector Q, MQ;    // Q^T M Q = I; MQ = M Q
  SmallMatrix inside;   // [columns of the basis][columns of W]
  SmallMatrix outside;  // [columns of Q][columns of W]: W = basis * inside + Q * outside
};

// Removes the basis (M-orthonormal blocks) from W twice, and makes the remainder orthonormal by the eigenvectors of its
// Gram matrix (SVQB: Stathopoulos and Wu, SIAM J. Sci. Comput. 23, 2002); directions that depend on the others are
// dropped. Q has no columns when W lies in the span of the basis.
OrthonormalBlock orthonormalise(const LinearOperator& M, const std::vector<const MultiVector*>& basis, MultiVector W);

// X C
MultiVector product(const MultiVector& X, const SmallMatrix& C, int columns);
// [A, B]; A may have no columns.
MultiVector joined(const MultiVector& A, MultiVector B);
// Columns first .. first + count - 1.
MultiVector columns_of(const MultiVector& X, int first, int count);

}  // namespace ritz
