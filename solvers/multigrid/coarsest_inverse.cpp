#include "solvers/multigrid/coarsest_inverse.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/dense_inverse_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ritz {
namespace {

// A square matrix, row by row: all loops below run along rows.
struct Dense {
  std::size_t n;
  std::vector<double> values;
  double* row(std::size_t i) { return values.data() + i * n; }
};

// y -= factor x
void subtract(std::size_t n, double factor, const double* x, double* y) {
  for (std::size_t k = 0; k < n; ++k) y[k] -= factor * x[k];
}

double dot(std::size_t n, const double* x, const double* y) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (std::size_t l = 0; l < 4; ++l) sum[l] += x[k + l] * y[k + l];
  for (; k < n; ++k) sum[0] += x[k] * y[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A = L L^T in the lower triangle. A row that depends on those above it has the pivot infinity.
void factorise(Dense& A) {
  for (std::size_t i = 0; i < A.n; ++i) {
    double* const a = A.row(i);
    const double smallest = dependent_row * a[i];
    for (std::size_t j = 0; j < i; ++j) a[j] = (a[j] - dot(j, a, A.row(j))) / A.row(j)[j];
    const double pivot = a[i] - dot(i, a, a);
    a[i] = pivot > smallest ? std::sqrt(pivot) : std::numeric_limits<double>::infinity();
  }
}

// X = L^-1, by rows: L_ii X_i = e_i - sum over k < i of L_ik X_k
Dense inverse_of_lower(Dense& L) {
  Dense X{L.n, std::vector<double>(L.n * L.n, 0.0)};
  for (std::size_t i = 0; i < L.n; ++i) {
    double* const x = X.row(i);
    x[i] = 1;
    for (std::size_t k = 0; k < i; ++k) subtract(k + 1, L.row(i)[k], X.row(k), x);
    for (std::size_t k = 0; k <= i; ++k) x[k] /= L.row(i)[i];
  }
  return X;
}

// A^-1 = L^-T L^-1 by Cholesky; unknowns without stiffness (zero rows) get a row of the identity. Dependent rows and
// columns become zero: their unknowns are held at zero, which solves all consistent systems of a singular matrix.
std::vector<double> dense_inverse(Dense A) {
  for (std::size_t i = 0; i < A.n; ++i)
    if (A.row(i)[i] <= 0)
      for (std::size_t j = 0; j < A.n; ++j) A.row(i)[j] = A.row(j)[i] = i == j ? 1 : 0;
  factorise(A);
  Dense X = inverse_of_lower(A), inverse{A.n, std::vector<double>(A.n * A.n, 0.0)};
  for (std::size_t k = 0; k < A.n; ++k)
    for (std::size_t i = 0; i <= k; ++i) subtract(i + 1, -X.row(k)[i], X.row(k), inverse.row(i));
  for (std::size_t i = 0; i < A.n; ++i)
    for (std::size_t j = 0; j < i; ++j) inverse.row(j)[i] = inverse.row(i)[j];
  return std::move(inverse.values);
}

template <class T>
std::vector<T> host_copy(const Device& device, const T* values, Index n) {
  std::vector<T> result(static_cast<std::size_t>(n));
  if (n > 0) device.machine().copy_to_host(result.data(), values, n * Index{sizeof(T)});
  return result;
}

std::vector<double> dense_matrix(const Device& device, const BlockMatrixView<double>& A, Index nonzeros) {
  const auto n = static_cast<std::size_t>(A.rows * A.row_block);
  const auto b = static_cast<std::size_t>(A.row_block);
  const std::vector<Index> offsets = host_copy(device, A.offsets, A.rows + 1);
  const std::vector<std::int32_t> columns = host_copy(device, A.column, nonzeros);
  const std::vector<double> values = host_copy(device, A.values, nonzeros * A.row_block * A.row_block);
  std::vector<double> dense(n * n, 0.0);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (auto k = static_cast<std::size_t>(offsets[i]); k < static_cast<std::size_t>(offsets[i + 1]); ++k)
      for (std::size_t r = 0; r < b; ++r)
        for (std::size_t c = 0; c < b; ++c)
          dense[(i * b + r) * n + static_cast<std::size_t>(columns[k]) * b + c] = values[(k * b + r) * b + c];
  return dense;
}

}  // namespace

namespace {

// On a device of its own: no transfer, and n / 8 short steps instead of one host thread's n^3 operations.
Vector inverse_on_device(const Device& device, const BlockMatrixView<double>& A) {
  const auto& kernels = ritz::kernels<DenseInverseKernels>(device, solver_kernels, "dense inverse");
  const Index n = A.rows * A.row_block;
  Vector matrix(device, n * n, "multigrid"), diagonal(device, n, "multigrid set-up");
  matrix.fill_zero();
  kernels.fill(device, A, matrix.data(), diagonal.data());
  Vector row_panel(device, inverse_step * n, "multigrid set-up"),
      column_panel(device, inverse_step * n, "multigrid set-up");
  kernels.invert(device, n, diagonal.data(), matrix.data(), row_panel.data(), column_panel.data());
  return matrix;
}

}  // namespace

Vector coarsest_inverse(const Device& device, const BlockMatrixView<double>& A, Index nonzeros) {
  if (device.machine().is_apart()) return inverse_on_device(device, A);
  const std::vector<double> inverse =
      dense_inverse({static_cast<std::size_t>(A.rows * A.row_block), dense_matrix(device, A, nonzeros)});
  return Vector(device, std::span<const double>(inverse), "multigrid");
}

}  // namespace ritz
