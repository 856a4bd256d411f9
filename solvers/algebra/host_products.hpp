// Products of sparse matrices on the host, for set-ups: what auxiliary spaces and Schur complements are made of.
#pragma once

#include "solvers/algebra/rectangular_matrix.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

HostMatrix transposed(const HostMatrix& A, Index column_count);
// A B; column_count: of B. Entries that cancel stay, as zeros.
HostMatrix product(const HostMatrix& A, const HostMatrix& B, Index column_count);
// A + factor * B
HostMatrix sum(const HostMatrix& A, double factor, const HostMatrix& B);
// value * I
HostMatrix scaled_identity(Index rows, double value);
// A with row i multiplied by factors[i].
HostMatrix scaled_rows(HostMatrix A, std::span<const double> factors);

RectangularMatrix rectangular_matrix(const Device& device, const HostMatrix& A, Index column_count);

}  // namespace ritz
