// Blocks of vectors that are orthonormal in the inner product of M: what both eigenvalue methods build their subspaces
// of.
#pragma once

#include "solvers/eigen/vector_pieces.hpp"

#include <optional>

namespace ritz {

struct OrthonormalBlock {
  MultiVector Q;        // Q^T M Q = I
  SmallMatrix inside;   // [columns of the basis][columns of W]
  SmallMatrix outside;  // [columns of Q][columns of W]: W = basis * inside + Q * outside
};

// Removes the basis (M-orthonormal blocks) from W twice, and makes the remainder orthonormal by the eigenvectors of its
// Gram matrix (SVQB: Stathopoulos and Wu, SIAM J. Sci. Comput. 23, 2002); directions that depend on the others are
// dropped. Q has no columns when W lies in the span of the basis.
OrthonormalBlock orthonormalise(const LinearOperator& M, const std::vector<const MultiVector*>& basis, MultiVector W);

// The same in place, with a piece of memory beside W and one product with M for each round: as many as rounding asks
// for, mostly one. W has no columns when it lies in the span of the basis.
void make_orthonormal(const LinearOperator& M, const PieceBlocks& basis, VectorPieces& W);

// Coefficients of the sums of [basis, W] that make_orthonormal() makes of W, [columns of both][columns that are left],
// so that they need not be formed. Nothing where rounding asks for more than one round, or W is in the span.
std::optional<SmallMatrix> orthonormal_sums(const LinearOperator& M, const PieceBlocks& basis, const VectorPieces& W);

// X C
MultiVector product(const MultiVector& X, const SmallMatrix& C, int columns);
// [A, B]; A may have no columns.
MultiVector joined(const MultiVector& A, MultiVector B);
// Columns first .. first + count - 1.
MultiVector columns_of(const MultiVector& X, int first, int count);

}  // namespace ritz
