#include "fem/analysis/ground_correction.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <span>
#include <utility>

namespace ritz {

void GroundCorrection::apply(Multiply multiply, const Vector& b, Vector& x) {
  if (factor_.empty()) factorise(multiply, x);
  if (!definite_) return;
  Vector r(x.device(), x.size(), "vectors");
  multiply(x, r);
  axpby(1.0, b, -1.0, r);
  std::vector<double> work;
  for (std::size_t k = 0; k < motions_->size(); ++k) work.push_back(dot(motion(k, x), r));
  const std::vector<double> sizes = solve(std::move(work));
  for (std::size_t k = 0; k < sizes.size(); ++k) axpy(sizes[k], motion(k, x), x);
}

Vector GroundCorrection::motion(std::size_t k, const Vector& like) const {
  return Vector(like.device(), std::span<const double>((*motions_)[k]), "vectors");
}

// Nothing is corrected where rounding leaves a stiffness that is not positive.
void GroundCorrection::factorise(Multiply multiply, const Vector& like) {
  const std::size_t count = motions_->size();
  factor_.assign(count, std::vector<double>(count, 0.0));
  scale_.assign(count, 0.0);
  Vector product(like.device(), like.size(), "vectors");
  for (std::size_t j = 0; j < count; ++j) {
    multiply(motion(j, like), product);
    for (std::size_t i = j; i < count; ++i) factor_[i][j] = dot(motion(i, like), product);
  }
  definite_ = true;
  for (std::size_t j = 0; j < count; ++j) {
    definite_ = definite_ && factor_[j][j] > 0;
    scale_[j] = definite_ ? 1 / std::sqrt(factor_[j][j]) : 0;
  }
  for (std::size_t j = 0; definite_ && j < count; ++j)
    for (std::size_t i = j; i < count; ++i) {
      double value = factor_[i][j] * scale_[i] * scale_[j];
      for (std::size_t k = 0; k < j; ++k) value -= factor_[i][k] * factor_[j][k];
      if (i == j) definite_ = value > 1e-10;
      if (!definite_) return;
      factor_[i][j] = i == j ? std::sqrt(value) : value / factor_[j][j];
    }
}

std::vector<double> GroundCorrection::solve(std::vector<double> b) const {
  const std::size_t count = b.size();
  for (std::size_t i = 0; i < count; ++i) {
    b[i] *= scale_[i];
    for (std::size_t k = 0; k < i; ++k) b[i] -= factor_[i][k] * b[k];
    b[i] /= factor_[i][i];
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) b[i] -= factor_[k][i] * b[k];
    b[i] /= factor_[i][i];
  }
  for (std::size_t i = 0; i < count; ++i) b[i] *= scale_[i];
  return b;
}

}  // namespace ritz
