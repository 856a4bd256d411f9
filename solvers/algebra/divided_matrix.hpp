// The rows of a square matrix that this rank owns, with columns [owned | ghosts]: a product fetches the ghosts' values,
// one message from each neighbour, and multiplies the rows that reach none meanwhile. Vectors hold what their rank
// owns.
//
//   const DividedMatrix A(ghosts, std::move(rows));            // rows on the device of ranks.among_all(device)
//   ConjugateGradient{}.solve(A, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/algebra/inner_rows.hpp"
#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <memory>
#include <span>

namespace ritz {

class DividedMatrix final : public LinearOperator {
 public:
  // Square blocks; rows: ghosts.owned(), columns: ghosts.size(). Its columns have room for ghost_entries() after the
  // entries, values for as many or more, and offsets for all columns.
  DividedMatrix(std::shared_ptr<const Ghosts> ghosts, BlockMatrix rows);

  const Device& device() const override { return rows_.values.device(); }
  Index rows() const override { return rows_.scalar_rows(); }
  void apply(const Vector& x, Vector& y) const override;
  void apply_dot(const Vector& x, Vector& y, double* xy) const override;  // this rank's part of x.y
  std::string name() const override { return "divided matrix"; }

  int block_size() const { return rows_.row_block; }
  const Ghosts& ghosts() const { return *ghosts_; }
  std::shared_ptr<const Ghosts> shared_ghosts() const { return ghosts_; }
  BlockMatrixView<double> owned_rows() const;
  Index nonzeros() const { return nonzeros_; }  // blocks of owned rows
  const InnerRows& inner_rows() const { return ranges_; }
  // The owned rows, and after them for each ghost the half of what this rank knows of its row: with the halves of the
  // other rank the entries between both count once. Square.
  BlockMatrixView<double> with_ghost_rows() const;
  Index nonzeros_with_ghost_rows() const { return rows_.column.size(); }
  static Index ghost_entries(std::span<const std::int32_t> columns, Index owned);  // of those that reach ghosts
  Vector diagonal() const;                                                         // [rows]

 private:
  struct Piece {
    Index first, begin, nonzeros;  // row, entries
    Array<Index> offsets;
    Index rows() const { return offsets.size() - 1; }
  };
  void append_ghost_rows(std::span<const Index> offsets, std::span<const std::int32_t> column);
  std::vector<Piece> pieces(const std::vector<RowRange>& ranges, std::span<const Index> offsets) const;
  void multiply(const Piece& piece, Vector& y) const;

  std::shared_ptr<const Ghosts> ghosts_;
  BlockMatrix rows_;
  Index nonzeros_ = 0;
  InnerRows ranges_;
  std::vector<Piece> inner_, border_;
  mutable Vector extended_;  // [owned | ghosts]
};

// The first `owned` rows of a part's matrix, whose nodes are [owned | ghosts]. Values stay where they are: those of the
// other rows leave their room to the rows of ghosts.
BlockMatrix owned_rows_of(SparseMatrix K, Index owned);

}  // namespace ritz
