// The diagonal of a matrix, inverted, as a preconditioner. Solvers see that it is a diagonal and fuse it.
//
//   JacobiPreconditioner jacobi(K);   ConjugateGradient{}.solve(K, b, x, &jacobi);
#pragma once

#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

class JacobiPreconditioner final : public LinearOperator {
 public:
  // Throws Error: Exit::model naming the first row whose diagonal entry is not positive and finite.
  explicit JacobiPreconditioner(const SparseMatrix& matrix) : JacobiPreconditioner(matrix.diagonal()) {}
  explicit JacobiPreconditioner(Vector diagonal);

  const Device& device() const override { return inverse_.device(); }
  Index rows() const override { return inverse_.size(); }
  void apply(const Vector& x, Vector& y) const override;
  void apply_block(const MultiVector& X, MultiVector& Y) const override;
  const Vector* diagonal_only() const override { return &inverse_; }
  std::string name() const override { return "Jacobi"; }

 private:
  Vector inverse_;
};

// 1 / diagonal; throws as above.
Vector inverse_diagonal(Vector diagonal);

}  // namespace ritz
