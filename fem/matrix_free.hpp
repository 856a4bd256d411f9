// The tangent of equations as a linear operator without a matrix: elements are computed anew at every application. With
// prescribed unknowns eliminated as SparseMatrix::eliminate does it: their rows and columns are empty but for a pivot.
//
//   MatrixFree K(equations, fixed, u);   JacobiPreconditioner jacobi(K.diagonal());   ConjugateGradient{}.solve(K, b, x, &jacobi);
#pragma once

#include "fem/constraints.hpp"
#include "fem/operator.hpp"

namespace ritz {

class MatrixFree final : public LinearOperator {
 public:
  // The tangent at u, which is copied unless it is zero. Equations and constraints must outlive this.
  MatrixFree(const Operator& equations, const Constraints& constraints, const Vector& u);

  const Device& device() const override { return equations_.space().device(); }
  Index rows() const override { return equations_.space().unknown_count(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override { return "matrix-free operator"; }

  Vector diagonal() const;                  // exact
  const Operator& equations() const { return equations_; }
  const Vector& state() const { return u_; }  // where the tangent is taken; empty: zero
  const Operator::MarkedNodes& marked() const { return marked_; }
  const Constraints& constraints() const { return constraints_; }
  double pivot() const { return pivot_; }   // in the prescribed rows: the largest entry of the diagonal

 private:
  const Operator& equations_;
  const Constraints& constraints_;
  Vector u_, diagonal_;
  double pivot_;
  Operator::MarkedNodes marked_;
};

}  // namespace ritz
