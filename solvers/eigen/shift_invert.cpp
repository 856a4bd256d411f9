#include "solvers/eigen/shift_invert.hpp"

#include "device/error.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/orthonormal_block.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {

ShiftInvert::ShiftInvert(const SparseMatrix& K, const SparseMatrix& M, const SolverGeometry& geometry,
                         const AttachedMotions& motions)
    : K_(K),
      M_(M),
      motions_(motions),
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
  U_ = {}, Z_ = {};
  negative_ = 0;
  if (n == 0) return;
  SmallMatrix choice(all * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) choice[static_cast<std::size_t>(acting[j]) * n + j] = 1;
  U_ = product(motions_.U, choice, static_cast<int>(n));
  Z_ = MultiVector(U_.device(), U_.rows(), U_.columns(), "eigenvectors");
  solver_->solve(U_, Z_);
  SmallMatrix N = gram(U_, Z_);
  for (std::size_t j = 0; j < n; ++j) N[j * n + j] += compliance[j];
  const SymmetricEigen eigen = symmetric_eigen(N, static_cast<int>(n));
  double largest = 0;
  for (const double value : eigen.values) largest = std::max(largest, std::abs(value));
  inverse_N_.assign(n * n, 0.0);
  for (const double each : compliance) negative_ -= each >= 0 ? 1 : 0;
  for (std::size_t e = 0; e < n; ++e) {
    negative_ += eigen.values[e] > 0 ? 1 : 0;
    if (std::abs(eigen.values[e]) <= 1e-13 * largest) continue;  // a motion that is held otherwise, too
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        inverse_N_[i * n + j] += eigen.vectors[e * n + i] * eigen.vectors[e * n + j] / eigen.values[e];
  }
}

Index ShiftInvert::count_below() const { return solver_->negative_pivots() + negative_; }

void ShiftInvert::apply(const MultiVector& X, MultiVector& Y) {
  solver_->solve(X, Y);
  if (U_.columns() == 0) return;
  const auto n = static_cast<std::size_t>(U_.columns()), columns = static_cast<std::size_t>(Y.columns());
  const SmallMatrix along = gram(U_, Y);
  SmallMatrix C(n * columns, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < columns; ++c) C[i * columns + c] -= inverse_N_[i * n + j] * along[j * columns + c];
  combine(Z_, C, 1.0, Y);
}

}  // namespace ritz
