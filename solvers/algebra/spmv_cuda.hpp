// Sparse matrix times vector on a GPU, in kernels of our own: for patterns that cuSPARSE cannot index or does not
// support. Sums are taken in a fixed order.
#pragma once

#include "device/launch.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// team = 8 neighbouring threads = block row; thread = every 8th block of it
template <int B>
__global__ void spmv_kernel(const __grid_constant__ MatrixView A, const double* x, double* y) {
  constexpr int team = 8;
  const Index row = (Index{blockIdx.x} * block_threads + threadIdx.x) / team;
  const int lane = threadIdx.x % team;
  double sum[B] = {};
  if (row < A.rows)
    for (Index k = A.offsets[row] + lane; k < A.offsets[row + 1]; k += team) {
      const double* block = A.values + k * (B * B);
      const double* xk = x + Index{A.columns[k]} * B;
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j) sum[i] += block[i * B + j] * xk[j];
    }
  for (int distance = team / 2; distance > 0; distance /= 2)
    for (int i = 0; i < B; ++i) sum[i] += __shfl_down_sync(0xffffffffu, sum[i], distance, team);
  if (row < A.rows && lane == 0)
    for (int i = 0; i < B; ++i) y[row * B + i] = sum[i];
}

struct ProductOf {
  const double *x, *y;
  constexpr Sums<1> operator()(Index i) const { return {{x[i] * y[i]}}; }
};

void multiply(const Device& device, const MatrixView& A, const double* x, double* y) {
  if (A.rows == 0) return;
  const LaunchScope launch(device, "spmv");
  const Grid grid{(A.rows * 8 + block_threads - 1) / block_threads};
  if (A.block_size == 1) start(device, grid, spmv_kernel<1>, A, x, y);
  if (A.block_size == 2) start(device, grid, spmv_kernel<2>, A, x, y);
  if (A.block_size == 3) start(device, grid, spmv_kernel<3>, A, x, y);
  if (A.block_size == 4) start(device, grid, spmv_kernel<4>, A, x, y);
  if (A.block_size == 5) start(device, grid, spmv_kernel<5>, A, x, y);
  if (A.block_size == 6) start(device, grid, spmv_kernel<6>, A, x, y);
}

void multiply_dot(const Device& device, const MatrixView& A, const double* x, double* y, double* xy) {
  multiply(device, A, x, y);
  reduce<1>(device, "dot", A.rows * A.block_size, ProductOf{x, y}, xy);
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
