// Multigrid of K + shift M, two matrices of one pattern.
#pragma once

#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <optional>
#include <string>

namespace ritz {

class ShiftedMultigrid final : public LinearOperator {
 public:
  // K must outlive it where the shift is zero.
  ShiftedMultigrid(const SparseMatrix& K, const SparseMatrix& M, double shift, SmoothedAggregationOptions options,
                   const SolverGeometry& geometry) {
    options.coordinates = geometry.coordinates;
    options.dimension = geometry.dimension;
    options.nested = geometry.nested;
    const SparseMatrix* A = &K;
    if (shift > 0) {
      shifted_.emplace(K.shared_pattern(), K.block_size());
      shifted_->values().copy_from(K.values());
      axpy(shift, M.values(), shifted_->values());
      A = &*shifted_;
    }
    multigrid_.emplace(*A, options);
  }
  const Device& device() const override { return multigrid_->device(); }
  Index rows() const override { return multigrid_->rows(); }
  void apply(const Vector& b, Vector& x) const override { multigrid_->apply(b, x); }
  void apply_block(const MultiVector& B, MultiVector& X) const override { multigrid_->apply_block(B, X); }
  std::string name() const override { return multigrid_->name(); }

 private:
  std::optional<SparseMatrix> shifted_;
  std::optional<SmoothedAggregation> multigrid_;
};

}  // namespace ritz
