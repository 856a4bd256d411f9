// Solutions of a small dense system without symmetry or definiteness, on the host: what superpositions end in. By
// elimination with full pivoting, in place (Golub and Van Loan, Matrix Computations, 2013, section 3.4.8), of rows and
// columns that were scaled to a common size. Equations that follow from others have no pivot, and their unknowns are
// zero.
//
//   const PivotedFactor factor(A, n, n, 1e-12);
//   if (factor.dependent().empty()) x = factor.solve(b);
#pragma once

#include <cstddef>
#include <vector>

namespace ritz {

class PivotedFactor {
 public:
  // A: row-major, n x n. Row i and column i are scaled alike: the first ones by their diagonal, which becomes 1, and
  // those of multipliers after them by their largest entry in these. `least`: of a pivot.
  PivotedFactor(std::vector<double> A, std::size_t n, std::size_t with_diagonal, double least);

  std::vector<double> solve(const std::vector<double>& b) const;
  const std::vector<std::size_t>& dependent() const { return dependent_; }  // rows without a pivot, ascending

 private:
  void scale(std::size_t with_diagonal);
  void eliminate(double least);
  double& at(std::size_t i, std::size_t j) { return rows_[i * size_ + j]; }
  double at(std::size_t i, std::size_t j) const { return rows_[i * size_ + j]; }

  std::size_t size_;
  std::vector<double> rows_, scales_;
  std::vector<std::size_t> row_, column_;  // [step] of the pivot
  std::vector<std::size_t> dependent_;
};

}  // namespace ritz
