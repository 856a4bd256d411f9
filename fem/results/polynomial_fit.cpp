#include "fem/results/polynomial_fit.hpp"

#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ritz {

Monomials::Monomials(int dimension, int degree) {
  steps_.push_back({0, 0});
  // Those of a degree are those of the one before times an axis that is not before their own last one.
  for (int begin = 0, d = 1; d <= degree; ++d) {
    const int end = count();
    for (int from = begin; from < end; ++from)
      for (int axis = from == 0 ? 0 : steps_[static_cast<std::size_t>(from)].axis; axis < dimension; ++axis)
        steps_.push_back({from, axis});
    begin = end;
  }
}

std::array<int, 3> Monomials::powers(int monomial) const {
  std::array<int, 3> result{};
  for (int at = monomial; at != 0; at = steps_[static_cast<std::size_t>(at)].from)
    ++result[static_cast<std::size_t>(steps_[static_cast<std::size_t>(at)].axis)];
  return result;
}

void LocalAxes::set(int dimension, std::span<const Point> points) {
  const auto d = static_cast<std::size_t>(dimension);
  centre = {};
  const double share = 1 / static_cast<double>(points.size());
  for (const Point& x : points)
    for (std::size_t i = 0; i < d; ++i) centre[i] += share * x[i];
  std::vector<double> C(d * d, 0.0);
  for (const Point& x : points)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k <= i; ++k) C[i * d + k] += share * (x[i] - centre[i]) * (x[k] - centre[k]);
  const SymmetricEigen axes = symmetric_eigen(std::move(C), dimension);
  std::ranges::fill(inverse, 0.0);
  for (std::size_t a = 0; a < d; ++a) {
    if (!(axes.values[a] > 1e-13 * axes.values[d - 1])) continue;
    std::size_t entry = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k <= i; ++k)
        inverse[entry++] += axes.vectors[a * d + i] * axes.vectors[a * d + k] / std::sqrt(axes.values[a]);
  }
}

void NormalEquations::clear() {
  std::ranges::fill(matrix_, 0.0);
  std::ranges::fill(right_, 0.0);
}

void NormalEquations::add(const double* basis, const double* sample, double weight) {
  for (std::size_t i = 0; i < n_; ++i) {
    const double own = weight * basis[i];
    for (std::size_t k = 0; k <= i; ++k) matrix_[i * n_ + k] += own * basis[k];
    for (std::size_t c = 0; c < columns_; ++c) right_[i * columns_ + c] += own * sample[c];
  }
}

int NormalEquations::solve(double* result) {
  factor_ = matrix_;
  double* L = factor_.data();
  int left_out = 0;
  const auto is_out = [&](std::size_t i) { return L[i * n_ + i] == 0; };
  for (std::size_t i = 0; i < n_; ++i) {
    const double own = L[i * n_ + i];
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = L[i * n_ + k];
      for (std::size_t j = 0; j < k; ++j) sum -= L[i * n_ + j] * L[k * n_ + j];
      if (k < i) L[i * n_ + k] = is_out(k) ? 0 : sum / L[k * n_ + k];
      else if (sum > least_pivot * own) L[i * n_ + i] = std::sqrt(sum);
      else {
        std::fill_n(L + i * n_, i + 1, 0.0);
        ++left_out;
      }
    }
  }
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t c = 0; c < columns_; ++c) {
      double sum = right_[i * columns_ + c];
      for (std::size_t j = 0; j < i; ++j) sum -= L[i * n_ + j] * result[j * columns_ + c];
      result[i * columns_ + c] = is_out(i) ? 0 : sum / L[i * n_ + i];
    }
  for (std::size_t i = n_; i-- > 0;)
    for (std::size_t c = 0; c < columns_; ++c) {
      double sum = result[i * columns_ + c];
      for (std::size_t j = i + 1; j < n_; ++j) sum -= L[j * n_ + i] * result[j * columns_ + c];
      result[i * columns_ + c] = is_out(i) ? 0 : sum / L[i * n_ + i];
    }
  return left_out;
}

// Block by block of a degree: functions that are orthonormal at the samples. Monomials of a degree are scaled so that
// the norm of their coefficients does not depend on the axes (Bombieri's norm).
void NormalEquations::solve_turning(const Monomials& monomials, double* result) const {
  const auto at = [&](std::size_t i, std::size_t k) { return matrix_[i > k ? i * n_ + k : k * n_ + i]; };
  const auto degree_of = [&](std::size_t i) {
    const auto p = monomials.powers(static_cast<int>(i));
    return p[0] + p[1] + p[2];
  };
  using Function = std::vector<double>;  // coefficients
  const auto product = [&](const Function& a, const Function& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) sum += a[i] * at(i, k) * b[k];
    return sum;
  };
  std::vector<Function> kept;
  for (std::size_t begin = 0, end = 0; begin < n_; begin = end) {
    std::vector<Function> own;
    double size = 0;
    for (; end < n_ && degree_of(end) == degree_of(begin); ++end) {
      const auto p = monomials.powers(static_cast<int>(end));
      Function f(n_, 0.0);
      f[end] = std::sqrt(std::tgamma(p[0] + p[1] + p[2] + 1) /
                         (std::tgamma(p[0] + 1) * std::tgamma(p[1] + 1) * std::tgamma(p[2] + 1)));
      size += product(f, f);
      for (int twice = 0; twice < 2; ++twice)
        for (const Function& lower : kept) {
          const double part = product(lower, f);
          for (std::size_t i = 0; i < n_; ++i) f[i] -= part * lower[i];
        }
      own.push_back(std::move(f));
    }
    const std::size_t count = own.size();
    std::vector<double> S(count * count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k <= i; ++k) S[i * count + k] = product(own[i], own[k]);
    const SymmetricEigen eigen = symmetric_eigen(std::move(S), static_cast<int>(count));
    for (std::size_t v = 0; v < count; ++v) {
      if (!(eigen.values[v] > least_pivot * size / static_cast<double>(count))) continue;
      Function f(n_, 0.0);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < n_; ++k)
          f[k] += eigen.vectors[v * count + i] / std::sqrt(eigen.values[v]) * own[i][k];
      kept.push_back(std::move(f));
    }
  }
  std::fill_n(result, n_ * columns_, 0.0);
  for (const Function& f : kept)
    for (std::size_t c = 0; c < columns_; ++c) {
      double part = 0;
      for (std::size_t i = 0; i < n_; ++i) part += f[i] * right_[i * columns_ + c];
      for (std::size_t i = 0; i < n_; ++i) result[i * columns_ + c] += part * f[i];
    }
}

}  // namespace ritz
