// Eigenvalues and vectors of a dense real matrix by the LAPACK that the direct solver's library brings along: the
// module ritz_direct, table "dense eigen" of the back end "cpu". Private to solvers.
#pragma once

#include <complex>

namespace ritz {

struct DenseEigen {
  // columns: n x n, column by column, which is overwritten; vectors [vector][component], of length 1. False: there is
  // no LAPACK, or it does not converge.
  bool (*general)(int n, double* columns, std::complex<double>* values, std::complex<double>* vectors);
};

}  // namespace ritz
