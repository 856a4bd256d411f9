// The matrix of several fields: a grid of sparse blocks, of which any may be missing, as one linear operator on the
// parts one after the other (block_layout.hpp). Diagonal blocks are square matrices, the others rectangular ones.
//
//   BlockOperator K(device, {velocities, pressures});
//   K.set(0, std::make_unique<SparseMatrix>(...));   K.set(0, 1, std::make_unique<RectangularMatrix>(...));
//   Minres{}.solve(K, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/block_layout.hpp"
#include "solvers/algebra/rectangular_matrix.hpp"

#include <memory>
#include <vector>

namespace ritz {

class BlockOperator final : public LinearOperator {
 public:
  BlockOperator(const Device& device, BlockLayout layout);

  const Device& device() const override { return device_; }
  Index rows() const override { return layout_.total(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override { return "block matrix"; }

  const BlockLayout& layout() const { return layout_; }
  // Null where it is missing. Throw std::out_of_range beyond the grid.
  SparseMatrix* square(int block) { return square_.at(place(block)).get(); }
  const SparseMatrix* square(int block) const { return square_.at(place(block)).get(); }
  RectangularMatrix* coupling(int row, int column) { return coupling_.at(place(row, column)).get(); }
  const RectangularMatrix* coupling(int row, int column) const { return coupling_.at(place(row, column)).get(); }
  const LinearOperator* block(int row, int column) const;

  // Throw Error(Exit::internal) when the sizes do not fit.
  void set(int block, std::unique_ptr<SparseMatrix> matrix);
  void set(int row, int column, std::unique_ptr<RectangularMatrix> matrix);

  // y += factor * (row `row` without its diagonal block, of blocks first to last - 1) x; `product` is overwritten. For
  // triangular preconditioners. x: [column] parts, of which those named are read.
  void add_couplings(int row, int first, int last, double factor, const std::vector<Vector>& x, Vector& y,
                     Vector& product) const;

 private:
  std::size_t place(int block) const { return static_cast<std::size_t>(block); }
  std::size_t place(int row, int column) const { return place(row) * square_.size() + place(column); }

  Device device_;
  BlockLayout layout_;
  std::vector<std::unique_ptr<SparseMatrix>> square_;         // [block]
  std::vector<std::unique_ptr<RectangularMatrix>> coupling_;  // [row][column]
  mutable std::vector<Vector> x_, y_, product_;               // parts; made at the first product
};

// All blocks as one matrix of scalars on their device, which has every diagonal entry: for direct solvers. Throws
// Error(Exit::resources) where columns do not fit 32 bits.
SparseMatrix joined_matrix(const BlockOperator& matrix);
// A host copy of it, for tests and files.
HostMatrix host_matrix(const BlockOperator& matrix);

}  // namespace ritz
