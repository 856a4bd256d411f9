// All eigenvalues and eigenvectors of a small dense matrix without symmetry, on the host: what damped and gyroscopic
// vibration ends in when it is projected onto modes.
#pragma once

#include <complex>
#include <vector>

namespace ritz {

struct GeneralEigen {
  std::vector<std::complex<double>> values;   // in no order
  std::vector<std::complex<double>> vectors;  // [vector][component], of length 1
};

// A: row-major, n x n. Large real ones by LAPACK, where the direct solver of the CPU has it. Else Householder
// reflections to Hessenberg's form, then QR with Wilkinson's shifts (Golub and Van Loan, Matrix Computations, 2013,
// sections 7.4 to 7.6), all complex. Eigenvalues are exact for a matrix within rounding of A; those of a defective one
// are off by the root of it. Throws Error: Exit::not_converged when an entry is not finite, or a shift does not
// converge.
GeneralEigen general_eigen(std::vector<std::complex<double>> A, int n);

}  // namespace ritz
