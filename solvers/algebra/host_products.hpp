// Products of sparse matrices on the host, where rows have more columns than a GPU takes.
#pragma once

#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

// A B; column_count: of B. Entries that cancel stay, as zeros.
HostMatrix product(const HostMatrix& A, const HostMatrix& B, Index column_count);

}  // namespace ritz
