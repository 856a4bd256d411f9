#include "solvers/eigen/shift_invert.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/orthonormal_block.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {

ShiftInvert::ShiftInvert(const ShiftedMatrix& shifted, const SolverGeometry& geometry, const AttachedMotions& motions)
    : shifted_(shifted),
      motions_(motions),
      options_{.coordinates = geometry.coordinates, .dimension = geometry.dimension} {}

void ShiftInvert::move_to(double shift) {
  shift_ = shift;
  for (int attempt = 0;; ++attempt) {
    const DirectInput A = shifted_(shift_);
    auto phase = A.device().profile().phase("factorisation");
    ++factorisations_;
    try {
      if (solver_ == nullptr) solver_ = std::make_unique<DirectSolver>(A, DirectKind::symmetric, options_);
      else solver_->refactorise(A);
      break;
    } catch (const Error& error) {
      if (error.exit() != Exit::model || shift_ == 0 || attempt == 3) throw;
      shift_ *= 1 + 1e-7 * std::pow(10, attempt);  // singular: an eigenvalue
    }
  }
  solver_->max_refinements = 0;  // the iteration around it corrects itself
  attach();
}

void ShiftInvert::attach() {
  std::vector<int> acting;
  std::vector<double> compliance;  // D^-1 of these
  for (int j = 0; j < motions_.count(); ++j) {
    const auto m = static_cast<std::size_t>(j);
    const double D = motions_.stiffness[m] - shift_ * motions_.mass[m];
    if (D == 0) continue;
    acting.push_back(j);
    compliance.push_back(motions_.holds(j) ? 0 : 1 / D);
  }
  const auto n = acting.size(), all = static_cast<std::size_t>(motions_.count());
  woodbury_.reset();
  negative_ = 0;
  if (n == 0) return;
  SmallMatrix choice(all * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) choice[static_cast<std::size_t>(acting[j]) * n + j] = 1;
  MultiVector U = product(motions_.U, choice, static_cast<int>(n));
  MultiVector Z(U.device(), U.rows(), U.columns(), "eigenvectors");
  solver_->solve(U, Z);
  woodbury_.emplace(std::move(U), std::move(Z), compliance);
  for (const double each : compliance) negative_ -= each >= 0 ? 1 : 0;
  for (const double each : woodbury_->values()) negative_ += each > 0 ? 1 : 0;
}

Index ShiftInvert::count_below() const { return solver_->negative_pivots() + negative_; }

void ShiftInvert::apply(const MultiVector& X, MultiVector& Y) {
  solver_->solve(X, Y);
  if (woodbury_) woodbury_->correct(Y);
}

}  // namespace ritz
