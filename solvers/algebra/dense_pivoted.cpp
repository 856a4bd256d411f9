#include "solvers/algebra/dense_pivoted.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ritz {

PivotedFactor::PivotedFactor(std::vector<double> A, std::size_t n, std::size_t with_diagonal, double least)
    : size_(n), rows_(std::move(A)) {
  scale(with_diagonal);
  eliminate(least);
}

void PivotedFactor::scale(std::size_t with_diagonal) {
  for (std::size_t i = 0; i < with_diagonal; ++i)
    scales_.push_back(at(i, i) != 0 ? 1 / std::sqrt(std::abs(at(i, i))) : 1);
  for (std::size_t k = with_diagonal; k < size_; ++k) {
    double largest = std::sqrt(std::abs(at(k, k)));
    for (std::size_t i = 0; i < with_diagonal; ++i) largest = std::max(largest, std::abs(at(k, i)) * scales_[i]);
    scales_.push_back(largest > 0 ? 1 / largest : 1);
  }
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < size_; ++j) at(i, j) *= scales_[i] * scales_[j];
}

// Multipliers stay below the pivots.
void PivotedFactor::eliminate(double least) {
  row_.resize(size_);
  std::iota(row_.begin(), row_.end(), std::size_t{0});
  column_ = row_;
  for (std::size_t step = 0; step < size_; ++step) {
    std::size_t r = step, c = step;
    for (std::size_t i = step; i < size_; ++i)
      for (std::size_t j = step; j < size_; ++j)
        if (std::abs(at(row_[i], column_[j])) > std::abs(at(row_[r], column_[c]))) r = i, c = j;
    const double pivot = at(row_[r], column_[c]);
    if (!(std::abs(pivot) > least)) {
      dependent_.assign(row_.begin() + static_cast<std::ptrdiff_t>(step), row_.end());
      std::ranges::sort(dependent_);
      return;
    }
    std::swap(row_[step], row_[r]);
    std::swap(column_[step], column_[c]);
    for (std::size_t i = step + 1; i < size_; ++i) {
      const double factor = at(row_[i], column_[step]) /= pivot;
      for (std::size_t j = step + 1; j < size_; ++j) at(row_[i], column_[j]) -= factor * at(row_[step], column_[j]);
    }
  }
}

std::vector<double> PivotedFactor::solve(const std::vector<double>& b) const {
  const std::size_t rank = size_ - dependent_.size();
  std::vector<double> y(size_, 0.0), x(size_, 0.0);
  for (std::size_t step = 0; step < rank; ++step) {
    y[step] = b[row_[step]] * scales_[row_[step]];
    for (std::size_t k = 0; k < step; ++k) y[step] -= at(row_[step], column_[k]) * y[k];
  }
  for (std::size_t step = rank; step-- > 0;) {
    double value = y[step];
    for (std::size_t k = step + 1; k < rank; ++k) value -= at(row_[step], column_[k]) * x[column_[k]];
    x[column_[step]] = value / at(row_[step], column_[step]);
  }
  for (std::size_t i = 0; i < size_; ++i) x[i] *= scales_[i];
  return x;
}

}  // namespace ritz
