// Block rows of a matrix, and the values of a range of them, for the host to read. Private to solvers/multigrid.
#pragma once

#include "device/host_view.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <span>

namespace ritz {

// Without values.
class HostRows {
 public:
  HostRows(const Device& device, const BlockMatrixView<double>& A)
      : offsets_(device, A.offsets, A.rows + 1), columns_(device, A.column, offsets_[A.rows]) {}

  Index begin(Index row) const { return offsets_[row]; }
  std::span<const Index> offsets() const { return offsets_.span(); }
  std::span<const std::int32_t> columns() const { return columns_.span(); }
  std::span<const std::int32_t> columns(Index row) const { return columns(row, row + 1); }
  std::span<const std::int32_t> columns(Index first, Index last) const {
    return columns_.span().subspan(static_cast<std::size_t>(begin(first)),
                                   static_cast<std::size_t>(begin(last) - begin(first)));
  }

 private:
  HostView<Index> offsets_;
  HostView<std::int32_t> columns_;
};

// The blocks of rows [first, last).
class HostBlocks {
 public:
  HostBlocks(const Device& device, const BlockMatrixView<double>& A, const HostRows& rows, Index first, Index last)
      : rows_(rows),
        block_(Index{A.row_block} * A.column_block),
        begin_(rows.begin(first)),
        values_(device, A.values + begin_ * block_, (rows.begin(last) - begin_) * block_) {}
  std::span<const double> of(Index row) const {
    return values_.span().subspan(static_cast<std::size_t>((rows_.begin(row) - begin_) * block_),
                                  rows_.columns(row).size() * static_cast<std::size_t>(block_));
  }

 private:
  const HostRows& rows_;
  Index block_, begin_;
  HostView<double> values_;
};

}  // namespace ritz
