// Rows of a square matrix of blocks on the host, with the columns of all ranks: what a rank has assembled, before the
// ranks know which rows they reach.
//
//   const auto A = divided_matrix(ranks, device, joined_rows(K));          // all ranks
#pragma once

#include "device/host_view.hpp"
#include "solvers/algebra/block_operator.hpp"
#include "solvers/algebra/divided_matrix.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

struct BlockRows {
  int block = 1;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;  // of the whole, in blocks
  std::vector<double> values;         // [entry][block][block]

  Index count() const { return std::ssize(offsets) - 1; }
};

// An assembled matrix for the host to read: nothing is copied on a CPU. It must outlive this.
class RowsOfMatrix {
 public:
  explicit RowsOfMatrix(const SparseMatrix& A);
  BlockRows range(Index first, Index last) const;  // rows of blocks from the first to below the last

 private:
  int block_;
  HostView<Index> offsets_;
  HostView<std::int32_t> columns_;
  HostView<double> values_;
};

// The owned rows of several fields over ranks, by scalars, each with its diagonal; columns are global_numbers() of the
// layout.
BlockRows joined_rows(const BlockOperator& K);

// The matrix of which this rank has these rows; all ranks make it together. The rows go piece by piece.
std::unique_ptr<DividedMatrix> divided_matrix(Ranks& ranks, const Device& device, BlockRows mine);

}  // namespace ritz
