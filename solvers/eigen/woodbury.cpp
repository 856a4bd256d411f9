#include "solvers/eigen/woodbury.hpp"

#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {

Woodbury::Woodbury(MultiVector U, MultiVector Z, const std::vector<double>& compliance)
    : U_(std::move(U)), Z_(std::move(Z)) {
  const std::size_t n = compliance.size();
  std::vector<double> N = gram(U_, Z_);
  for (std::size_t j = 0; j < n; ++j) N[j * n + j] += compliance[j];
  const SymmetricEigen eigen = symmetric_eigen(N, static_cast<int>(n));
  values_ = eigen.values;
  double largest = 0;
  for (const double value : values_) largest = std::max(largest, std::abs(value));
  inverse_N_.assign(n * n, 0.0);
  for (std::size_t e = 0; e < n; ++e) {
    if (std::abs(values_[e]) <= 1e-13 * largest) continue;  // a motion that is held otherwise, too
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        inverse_N_[i * n + j] += eigen.vectors[e * n + i] * eigen.vectors[e * n + j] / values_[e];
  }
}

void Woodbury::correct(MultiVector& Y) const {
  const auto n = static_cast<std::size_t>(U_.columns()), columns = static_cast<std::size_t>(Y.columns());
  const std::vector<double> along = gram(U_, Y);
  std::vector<double> C(n * columns, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < columns; ++c) C[i * columns + c] -= inverse_N_[i * n + j] * along[j * columns + c];
  combine(Z_, C, 1.0, Y);
}

}  // namespace ritz
