// A step of the inversion on a CPU, which devices of their own that have no GPU take.
#pragma once

#include "device/launch.hpp"
#include "solvers/multigrid/dense_inverse_kernels.hpp"

#include <algorithm>
#include <vector>

namespace ritz::RITZ_BACKEND {
namespace {

constexpr int step = inverse_step;

// Inverts [step][step] numbers in place; dependent rows become zero. diagonal: of the first `rows`
void invert_pivots(double* D, Index rows, const double* diagonal) {
  for (int p = 0; p < step; ++p) {
    const double pivot = D[p * step + p], smallest = p < rows ? dependent_row * diagonal[p] : 0;
    const double inverse = pivot > smallest ? 1 / pivot : 0;
    for (int r = 0; r < step; ++r)
      for (int c = 0; c < step; ++c)
        if (r != p && c != p) D[r * step + c] -= D[r * step + p] * inverse * D[p * step + c];
    for (int q = 0; q < step; ++q)
      if (q != p) {
        D[p * step + q] *= inverse;
        D[q * step + p] *= -inverse;
      }
    D[p * step + p] = inverse;
  }
}

void eliminate(const Device& device, Index n, Index first, const double* diagonal, double* matrix, double* row_panel,
               double* column_panel) {
  const LaunchScope launch(device, "inverse: elimination");
  const Index rows = std::min<Index>(step, n - first);
  std::vector<double> D(step * step, 0.0);
  for (int r = 0; r < step; ++r)
    for (int c = 0; c < step; ++c)
      D[static_cast<std::size_t>(r * step + c)] =
          r < rows && c < rows ? matrix[(first + r) * n + first + c] : double(r == c);
  invert_pivots(D.data(), rows, diagonal + first);
  for (Index r = 0; r < step; ++r)
    for (Index j = 0; j < n; ++j) {
      const double* const pivots = D.data() + r * step;
      const bool inside = j >= first && j < first + step;
      double sum = 0;
      for (Index m = 0; m < rows; ++m)
        sum += pivots[m] * (inside ? double(j - first == m) : matrix[(first + m) * n + j]);
      row_panel[r * n + j] = sum;
      column_panel[j * step + r] = r < rows ? matrix[j * n + first + r] : 0.0;
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double& value = matrix[i * n + j];
      if (i >= first && i < first + step) {
        value = row_panel[(i - first) * n + j];
        continue;
      }
      if (j >= first && j < first + step) value = 0;
      for (Index m = 0; m < step; ++m) value -= column_panel[i * step + m] * row_panel[m * n + j];
    }
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
