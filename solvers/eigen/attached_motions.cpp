#include "solvers/eigen/attached_motions.hpp"

#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/eigen/orthonormal_block.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {

bool AttachedMotions::holds(int motion) const { return std::isinf(stiffness[static_cast<std::size_t>(motion)]); }

bool AttachedMotions::has_stiffness() const {
  return std::ranges::any_of(stiffness, [](double each) { return each != 0; });
}

WithMotions::WithMotions(const LinearOperator& A, const AttachedMotions& motions, const std::vector<double>& weights)
    : A_(A), motions_(motions), weights_(weights) {
  for (double& each : weights_)
    if (std::isinf(each)) each = 0;
}

void WithMotions::apply(const Vector& x, Vector& y) const {
  if (motions_.count() == 0) return A_.apply(x, y);
  MultiVector X(x.device(), x.size(), 1), Y(x.device(), x.size(), 1);
  X.set_column(0, x);
  apply_block(X, Y);
  Y.get_column(0, y);
}

void WithMotions::apply_block(const MultiVector& X, MultiVector& Y) const {
  A_.apply_block(X, Y);
  if (std::ranges::all_of(weights_, [](double each) { return each == 0; })) return;
  SmallMatrix C = gram(motions_.U, X);
  const auto columns = static_cast<std::size_t>(X.columns());
  for (std::size_t i = 0; i < C.size(); ++i) C[i] *= weights_[i / columns];
  combine(motions_.U, C, 1.0, Y);
}

void remove_held_forces(const AttachedMotions& motions, MultiVector& R) {
  std::vector<int> held;
  for (int j = 0; j < motions.count(); ++j)
    if (motions.holds(j)) held.push_back(j);
  if (held.empty()) return;
  const auto n = held.size(), columns = static_cast<std::size_t>(R.columns()),
             all = static_cast<std::size_t>(motions.count());
  SmallMatrix choice(all * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) choice[static_cast<std::size_t>(held[j]) * n + j] = 1;
  const MultiVector H = product(motions.U, choice, static_cast<int>(n));
  const SymmetricEigen eigen = symmetric_eigen(gram(H, H), static_cast<int>(n));
  const SmallMatrix along = gram(H, R);
  SmallMatrix C(n * columns, 0.0);  // -(H^T H)^-1 H^T R
  for (std::size_t e = 0; e < n; ++e) {
    if (!(eigen.values[e] > 1e-14 * eigen.values.back())) continue;  // held twice
    for (std::size_t c = 0; c < columns; ++c) {
      double part = 0;
      for (std::size_t j = 0; j < n; ++j) part += eigen.vectors[e * n + j] * along[j * columns + c];
      for (std::size_t j = 0; j < n; ++j) C[j * columns + c] -= eigen.vectors[e * n + j] * part / eigen.values[e];
    }
  }
  combine(H, C, 1.0, R);
}

}  // namespace ritz
