// A bound of the largest eigenvalue of D^-1 A of a level, D the diagonal of A.
#pragma once

#include "solvers/multigrid/level_matrix.hpp"

namespace ritz {

struct EigenvalueBound {
  double early = 0, early_residual = 0;  // result of few Lanczos steps,
  double full = 0;                       // and what more of them did, with a margin: the bound
};

// All throw Error: Exit::not_converged when A is not positive definite.
EigenvalueBound eigenvalue_bound(const LevelMatrix& A, const Vector& inverse_diagonal);
// For other values of a matrix whose bound is known: the few steps, unless these say something else than they did. Both
// results count: coefficients that jump from cell to cell may leave the early value as it was, and not its residual.
EigenvalueBound eigenvalue_bound_again(const LevelMatrix& A, const Vector& inverse_diagonal,
                                       const EigenvalueBound& before);
// A bound from many more steps. Chebyshev's polynomial for eigenvalues from b/r to b is indefinite as soon as one of
// them is above b (1 + 1/r) or so: r = 8 of a smoother forgives what few steps miss, r = 500 of a coarsest level
// without an inverse does not.
double sure_eigenvalue_bound(const LevelMatrix& A, const Vector& inverse_diagonal);

}  // namespace ritz
