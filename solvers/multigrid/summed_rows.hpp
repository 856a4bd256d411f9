// Rows of a scalar matrix to which several ranks contribute, summed by their owners: what products of coupled fields
// make of divided blocks.
//
//   BlockRows mine = summed_by_owners(A, global, first, ranks);      // all ranks call it
#pragma once

#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <span>
#include <vector>

namespace ritz {

// global: [row, and column, of A] its number among those of all ranks, of which rank r owns those from first[r] on.
// Returns the rows that this rank owns with the columns of all ranks, ascending. Contributions are added in the order
// of the ranks.
BlockRows summed_by_owners(const HostMatrix& A, std::span<const Index> global, std::span<const Index> first,
                           Ranks& ranks);

}  // namespace ritz
