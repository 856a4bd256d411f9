// A sparse matrix whose blocks are diagonal, as the masses of a body are: a number for each unknown of a node in place
// of a block, so that products read a third of it.
//
//   if (const std::optional<DiagonalBlocks> light = DiagonalBlocks::of(M)) light->apply_block(X, Y);
#pragma once

#include "solvers/algebra/sparse_matrix.hpp"

#include <optional>

namespace ritz {

class DiagonalBlocks final : public LinearOperator {
 public:
  // A copy of the matrix; none where a block has an entry off its diagonal, or is smaller than 2 x 2 or larger
  // than 3 x 3.
  static std::optional<DiagonalBlocks> of(const SparseMatrix& A);

  const Device& device() const override { return pattern_->device(); }
  Index rows() const override { return pattern_->rows() * block_size_; }
  void apply(const Vector& x, Vector& y) const override;  // as a block of one column
  void apply_block(const MultiVector& X, MultiVector& Y) const override;
  std::string name() const override { return "matrix of diagonal blocks"; }

 private:
  DiagonalBlocks(std::shared_ptr<const SparsityPattern> pattern, int block_size);

  std::shared_ptr<const SparsityPattern> pattern_;
  int block_size_;
  Vector values_;  // [block][component]
};

}  // namespace ritz
