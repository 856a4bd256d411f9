#include "solvers/algebra/dense_symmetric.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace ritz {
namespace {

struct Tridiagonal {
  std::vector<double> diagonal, below;  // below[i] couples i and i + 1
  std::vector<double> rotation;         // rows are the basis in which the matrix is tridiagonal
};

// A <- H A H with H = I - beta v v^T on the rows and columns from `first` on; rotation <- H rotation.
void reflect(std::vector<double>& A, std::vector<double>& rotation, std::size_t n, std::size_t first,
             const std::vector<double>& v, double beta) {
  std::vector<double> w(n, 0.0);
  for (std::size_t i = first; i < n; ++i)
    for (std::size_t j = first; j < n; ++j) w[i] += beta * A[i * n + j] * v[j];
  double overlap = 0;
  for (std::size_t i = first; i < n; ++i) overlap += w[i] * v[i];
  for (std::size_t i = first; i < n; ++i) w[i] -= 0.5 * beta * overlap * v[i];
  for (std::size_t i = first; i < n; ++i)
    for (std::size_t j = first; j < n; ++j) A[i * n + j] -= v[i] * w[j] + w[i] * v[j];
  std::vector<double> t(n, 0.0);
  for (std::size_t i = first; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) t[j] += beta * v[i] * rotation[i * n + j];
  for (std::size_t i = first; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rotation[i * n + j] -= v[i] * t[j];
}

Tridiagonal tridiagonal(std::vector<double> A, std::size_t n) {
  Tridiagonal T{std::vector<double>(n), std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) T.rotation[i * n + i] = 1;
  std::vector<double> v(n);
  for (std::size_t k = 0; k + 2 < n; ++k) {
    double length = 0;
    for (std::size_t i = k + 1; i < n; ++i) length = std::hypot(length, v[i] = A[i * n + k]);
    const double head = v[k + 1];
    T.below[k] = head > 0 ? -length : length;
    v[k + 1] -= T.below[k];
    if (length == 0 || v[k + 1] == 0) continue;
    const double beta = 1 / (length * std::abs(v[k + 1]));  // 2 / v.v
    reflect(A, T.rotation, n, k + 1, v, beta);
  }
  if (n > 1) T.below[n - 2] = A[(n - 1) * n + n - 2];
  for (std::size_t i = 0; i < n; ++i) T.diagonal[i] = A[i * n + i];
  return T;
}

void rotate_rows(std::vector<double>& rows, std::size_t n, std::size_t i, double s, double c) {
  double* low = &rows[i * n];
  double* high = low + n;
  for (std::size_t k = 0; k < n; ++k) {
    const double f = high[k];
    high[k] = s * low[k] + c * f;
    low[k] = c * low[k] - s * f;
  }
}

// One sweep of QL with an implicit shift on rows low .. high.
void sweep(Tridiagonal& T, std::size_t n, std::size_t low, std::size_t high) {
  auto& d = T.diagonal;
  auto& e = T.below;
  double g = (d[low + 1] - d[low]) / (2 * e[low]), r = std::hypot(g, 1.0);
  g = d[high] - d[low] + e[low] / (g + std::copysign(r, g));
  double s = 1, c = 1, p = 0;
  for (std::size_t i = high; i-- > low;) {
    const double f = s * e[i], b = c * e[i];
    r = std::hypot(f, g);
    e[i + 1] = r;
    if (r == 0) {  // the matrix has split
      d[i + 1] -= p;
      e[high] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotate_rows(T.rotation, n, i, s, c);
  }
  d[low] -= p;
  e[low] = g;
  e[high] = 0;
}

void diagonalise(Tridiagonal& T, std::size_t n) {
  constexpr int sweep_limit = 100;  // two or three are usual
  for (std::size_t low = 0; low < n; ++low)
    for (int sweeps = 0;; ++sweeps) {
      std::size_t high = low;
      while (high + 1 < n &&
             std::abs(T.below[high]) >
                 std::numeric_limits<double>::epsilon() * (std::abs(T.diagonal[high]) + std::abs(T.diagonal[high + 1])))
        ++high;
      if (high == low) break;
      if (sweeps == sweep_limit)
        throw Error(ErrorKind::modes_not_converged,
                    fmt::format("the eigenvalues of a projected matrix of {} rows did not converge", n));
      sweep(T, n, low, high);
    }
}

}  // namespace

SymmetricEigen symmetric_eigen(std::vector<double> A, int size) {
  const auto n = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (!std::isfinite(A[i * n + j]))
        throw Error(ErrorKind::modes_not_converged,
                    fmt::format("entry ({}, {}) of a projected matrix is {}", i, j, A[i * n + j]),
                    "the eigenvalue iteration has left the range of double precision", "check material data and units");
      A[j * n + i] = A[i * n + j];
    }
  Tridiagonal T = tridiagonal(std::move(A), n);
  diagonalise(T, n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return T.diagonal[a] < T.diagonal[b]; });
  SymmetricEigen result;
  for (const std::size_t i : order) {
    result.values.push_back(T.diagonal[i]);
    result.vectors.insert(result.vectors.end(), T.rotation.begin() + static_cast<std::ptrdiff_t>(i * n),
                          T.rotation.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
  }
  return result;
}

}  // namespace ritz
