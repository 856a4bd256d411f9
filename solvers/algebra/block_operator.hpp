// The matrix of several fields: a grid of sparse blocks, of which any may be missing, as one linear operator on the
// fields one after the other (layout.hpp). Diagonal blocks are square matrices, the others rectangular ones. Over ranks
// blocks have the rows and columns of [owned | ghosts]; rows of ghosts take no part in products.
//
//   BlockOperator K(device, layout);
//   K.set(0, std::make_unique<SparseMatrix>(...));   K.set(0, 1, std::make_unique<RectangularMatrix>(...));
//   Minres{}.solve(K, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/layout.hpp"
#include "solvers/algebra/rectangular_matrix.hpp"

#include <memory>
#include <vector>

namespace ritz {

class BlockOperator final : public LinearOperator {
 public:
  BlockOperator(const Device& device, Layout layout);  // a layout that is divided: of the device of all ranks

  const Device& device() const override { return device_; }
  Index rows() const override { return layout_.total(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override { return "block matrix"; }

  const Layout& layout() const { return layout_; }
  // Null where it is missing. Throw std::out_of_range beyond the grid.
  SparseMatrix* square(int block) { return square_.at(place(block)).get(); }
  const SparseMatrix* square(int block) const { return square_.at(place(block)).get(); }
  RectangularMatrix* coupling(int row, int column) { return coupling_.at(place(row, column)).get(); }
  const RectangularMatrix* coupling(int row, int column) const { return coupling_.at(place(row, column)).get(); }
  const LinearOperator* block(int row, int column) const;

  // Throw Error: Exit::internal when the sizes do not fit.
  void set(int block, std::unique_ptr<SparseMatrix> matrix);
  void set(int row, int column, std::unique_ptr<RectangularMatrix> matrix);

  // y = one block times x, of a block that is there: owned unknowns.
  void multiply(int row, int column, const Vector& x, Vector& y) const;
  // y += factor * (row `row` without its diagonal block, of blocks first to last - 1) x; `product` is overwritten. For
  // triangular preconditioners. x: [column] owned unknowns, of which those named are read.
  void add_couplings(int row, int first, int last, double factor, const std::vector<Vector>& x, Vector& y,
                     Vector& product) const;

 private:
  std::size_t place(int block) const { return static_cast<std::size_t>(block); }
  std::size_t place(int row, int column) const { return place(row) * square_.size() + place(column); }
  // A field with its ghosts, once for all blocks that read it: x itself in one process.
  const Vector& with_ghosts(int field, const Vector& x) const;
  void multiply_local(int row, int column, const Vector& x, Vector& y) const;
  Index entries_of_owned_rows(int row, int column) const;

  Device device_;
  Layout layout_, local_;
  std::vector<std::unique_ptr<SparseMatrix>> square_;         // [block]
  std::vector<std::unique_ptr<RectangularMatrix>> coupling_;  // [row][column]
  mutable std::vector<Vector> x_, y_, product_;               // of fields; made at the first product
  mutable std::vector<Vector> all_;                           // [field] with ghosts; empty in one process
  mutable std::vector<Index> entries_;                        // [row][column] of owned rows, once they were asked for
};

// All blocks as one matrix of scalars on their device, which has every diagonal entry: for direct solvers. Throws
// Error: Exit::resources where columns do not fit 32 bits.
SparseMatrix joined_matrix(const BlockOperator& matrix);
// A host copy of it, for tests and files.
HostMatrix host_matrix(const BlockOperator& matrix);

}  // namespace ritz
