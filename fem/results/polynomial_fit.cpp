#include "fem/results/polynomial_fit.hpp"

#include <algorithm>
#include <cmath>

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

void LocalAxes::set(int dimension, std::span<const Point> points) {
  const auto d = static_cast<std::size_t>(dimension);
  centre = {};
  const double share = 1 / static_cast<double>(points.size());
  for (const Point& x : points)
    for (std::size_t i = 0; i < d; ++i) centre[i] += share * x[i];
  double L[3][3] = {}, trace = 0;
  for (const Point& x : points)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k <= i; ++k) L[i][k] += share * (x[i] - centre[i]) * (x[k] - centre[k]);
  for (std::size_t i = 0; i < d; ++i) trace += L[i][i];
  bool flat[3] = {};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t j = 0; j < k; ++j) L[i][k] -= L[i][j] * L[k][j];
      if (k < i) L[i][k] = flat[k] ? 0 : L[i][k] / L[k][k];
      else if (flat[i] = !(L[i][i] > 1e-13 * trace); !flat[i]) L[i][i] = std::sqrt(L[i][i]);
    }
  std::size_t entry = 0;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = i == k ? 1 : 0;
      for (std::size_t j = k; j < i; ++j) sum -= L[i][j] * inverse[j * (j + 1) / 2 + k];
      inverse[entry++] = flat[i] ? 0 : sum / L[i][i];
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
  double* L = matrix_.data();
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

}  // namespace ritz
