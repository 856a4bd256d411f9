// K + shift M of two matrices on one pattern, of one process or of the rows of each rank, and preconditioners of it.
//
//   const ShiftedMatrix sum = shifted_matrices(K, M);   DirectSolver factor(sum(2.5), kind);      // of K - 2.5 M
//   const ShiftedCycle cycle(K, M, 2.5, PreconditionerKind::multigrid, options, geometry);        // of K + 2.5 M
#pragma once

#include "solvers/eigen/eigen_solver.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"

#include <memory>
#include <string>

namespace ritz {

std::unique_ptr<const SparseMatrix> shifted(const SparseMatrix& K, double shift, const SparseMatrix& M);
std::unique_ptr<const DividedMatrix> shifted(const DividedMatrix& K, double shift, const DividedMatrix& M);
Index bytes_of_shifted(const DividedMatrix& K);

// Makes K - shift M of these matrices; the one before is gone.
template <class Matrix>
ShiftedMatrix shifted_matrices(const Matrix& K, const Matrix& M) {
  return [&K, &M, sum = std::shared_ptr<const Matrix>()](double shift) mutable -> DirectInput {
    sum.reset();
    sum = shifted(K, -shift, M);
    return *sum;
  };
}

SmoothedAggregationOptions with_geometry(SmoothedAggregationOptions options, const SolverGeometry& geometry);

// A preconditioner of K + shift M with that matrix. K must outlive it where the shift is zero.
template <class Matrix>
class ShiftedCycle final : public LinearOperator {
 public:
  ShiftedCycle(const Matrix& K, const Matrix& M, double shift, PreconditionerKind kind,
               const SmoothedAggregationOptions& multigrid, const SolverGeometry& geometry)
      : A_(shift > 0 ? shifted(K, shift, M) : nullptr),
        M_(preconditioner_of(A_ ? *A_ : K, kind, with_geometry(multigrid, geometry))) {}
  const Device& device() const override { return M_->device(); }
  Index rows() const override { return M_->rows(); }
  void apply(const Vector& b, Vector& x) const override { M_->apply(b, x); }
  void apply_block(const MultiVector& B, MultiVector& X) const override { M_->apply_block(B, X); }
  std::string name() const override { return M_->name(); }

 private:
  std::unique_ptr<const Matrix> A_;
  std::unique_ptr<LinearOperator> M_;
};

}  // namespace ritz
