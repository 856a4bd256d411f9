#include "solvers/eigen/shift_invert.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <cmath>

namespace ritz {

ShiftInvert::ShiftInvert(const SparseMatrix& K, const SparseMatrix& M, const SolverGeometry& geometry)
    : K_(K),
      M_(M),
      options_{.coordinates = geometry.coordinates, .dimension = geometry.dimension},
      A_(K.shared_pattern(), K.block_size()) {}

void ShiftInvert::move_to(double shift) {
  auto phase = K_.device().profile().phase("factorisation");
  shift_ = shift;
  for (int attempt = 0;; ++attempt) {
    A_.values().copy_from(K_.values());
    axpy(-shift_, M_.values(), A_.values());
    ++factorisations_;
    try {
      if (solver_ == nullptr) solver_ = std::make_unique<DirectSolver>(A_, DirectKind::symmetric, options_);
      else solver_->refactorise();
      break;
    } catch (const Error& error) {
      if (error.exit() != Exit::model || shift_ == 0 || attempt == 3) throw;
      shift_ *= 1 + 1e-7 * std::pow(10, attempt);  // singular: an eigenvalue
    }
  }
  solver_->max_refinements = 0;  // the iteration around it corrects itself
}

}  // namespace ritz
