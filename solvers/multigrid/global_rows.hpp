// Rows of a block matrix on their way between ranks: with global numbers. Private to solvers/multigrid.
#pragma once

#include "device/ranks/ranks.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ritz {

struct GlobalRows {
  std::vector<Index> row, count, column;  // [row], [row] entries, [entry]
  std::vector<double> values;             // [entry][block]

  // Row `local` of A under the number `as`; global(column) is the number of a column.
  template <class Global>
  void append(const BlockMatrixView<double>& A, Index local, Index as, const Global& global) {
    const Index begin = A.offsets[local], end = A.offsets[local + 1];
    const Index block = Index{A.row_block} * A.column_block;
    row.push_back(as);
    count.push_back(end - begin);
    for (Index e = begin; e < end; ++e) column.push_back(global(A.column[e]));
    values.insert(values.end(), A.values + begin * block, A.values + end * block);
  }
};

// to_each [rank] of this one; returns those of each rank to this one. All ranks call it.
std::vector<GlobalRows> swap_rows(Ranks& ranks, std::span<const GlobalRows> to_each);

}  // namespace ritz
