// Norms of the blocks of a matrix of several fields, before supports put pivots, which have the unit of another field,
// on its diagonal. Private to fem/analysis.
//
//   const BlockNorms sizes(K);   sizes.norm(0, 1);
#pragma once

#include "solvers/algebra/block_operator.hpp"

#include <vector>

namespace ritz {

class BlockNorms {
 public:
  explicit BlockNorms(const BlockOperator& K);                             // over ranks: of the rows of all of them
  double norm(int row, int column) const { return at(row, column).norm; }  // of Frobenius; 0: no block
  double largest(int row, int column) const { return at(row, column).largest; }
  double pivot() const { return pivot_; }  // the largest number on the diagonal; 1 where there is none

 private:
  struct Size {
    double norm = 0, largest = 0;
  };
  const Size& at(int row, int column) const { return sizes_[static_cast<std::size_t>(row * count_ + column)]; }
  int count_;
  std::vector<Size> sizes_;
  double pivot_ = 1;
};

}  // namespace ritz
