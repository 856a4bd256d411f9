// Rows of a square matrix of blocks on the host, with the columns of all ranks: what a rank has assembled, before the
// ranks know which rows they reach.
//
//   const RowsOfFields all(K);   BlockRows rows;   all.append(0, 0, owned, place, rows);
//   const auto A = divided_matrix(ranks, device, std::move(rows));          // all ranks
#pragma once

#include "device/host_view.hpp"
#include "solvers/algebra/block_operator.hpp"
#include "solvers/algebra/divided_matrix.hpp"

#include <cstdint>
#include <memory>
#include <optional>
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

// Likewise of several fields, by scalars.
class RowsOfFields {
 public:
  explicit RowsOfFields(const BlockOperator& K);
  ~RowsOfFields();
  // Appends the unknowns of a field from `first` to below `last`, each with its diagonal. place: [unknown of all
  // fields] its column.
  void append(int field, Index first, Index last, std::span<const Index> place, BlockRows& rows) const;

 private:
  struct Block;
  const BlockLayout& layout_;
  std::vector<std::vector<std::optional<Block>>> blocks_;  // [row][column]
};

// The matrix of which this rank has these rows; all ranks make it together. The rows go piece by piece.
std::unique_ptr<DividedMatrix> divided_matrix(Ranks& ranks, const Device& device, BlockRows mine);

}  // namespace ritz
