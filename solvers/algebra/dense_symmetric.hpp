// All eigenvalues and eigenvectors of a small dense symmetric matrix, on the host: what projections onto a subspace end
// in.
#pragma once

#include <vector>

namespace ritz {

struct SymmetricEigen {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // [vector][component], orthonormal
};

// A: row-major, n x n; its lower triangle is read. Householder reflections to a tridiagonal matrix, then QL with
// implicit shifts (Wilkinson and Reinsch, Handbook for Automatic Computation II, 1971, contributions II/2 and II/4).
// Throws Error: Exit::not_converged when an entry is not finite.
SymmetricEigen symmetric_eigen(std::vector<double> A, int n);

}  // namespace ritz
