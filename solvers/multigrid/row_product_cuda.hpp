// Block rows of a multigrid level times a vector on a GPU, by teams (row_team_cuda.hpp).
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/algebra/row_team_cuda.hpp"

namespace ritz::RITZ_BACKEND {

// team = block row, thread = a place of every `blocks`-th block of it
template <class Real, int L, int M, class Stored, class Then>
__global__ void row_kernel(const __grid_constant__ BlockMatrixView<Stored> A, const Real* x,
                           const __grid_constant__ Then then) {
  using Team = RowTeam<L, M>;
  const Index row = (Index{blockIdx.x} * block_threads + threadIdx.x) / Team::threads;
  const int thread = static_cast<int>(threadIdx.x) % Team::threads;
  const Real sum = team_sum<Team>(product_of_thread<Team, L, M>(A, A.column, row, thread, x));
  const int place = thread % Team::block;
  if (row < A.rows && thread < Team::block && place % Team::columns == 0) then(row * L + place / Team::columns, sum);
}

// then(n, (A x)_n) for every scalar row n.
template <class Real, int L, int M, class Stored, class Then>
void multiply_rows(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x,
                   const Then& then) {
  if (A.rows == 0) return;
  const LaunchScope launch(device, name);
  start(device, {(A.rows * RowTeam<L, M>::threads + block_threads - 1) / block_threads},
        row_kernel<Real, L, M, Stored, Then>, A, x, then);
}

// warp = row
template <class Real>
__global__ void dense_kernel(Index n, const double* matrix, const Real* x, Real* y) {
  constexpr int warp = 32;
  const Index row = (Index{blockIdx.x} * block_threads + threadIdx.x) / warp;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  double sum = 0;
  if (row < n)
    for (Index k = lane; k < n; k += warp) sum += matrix[row * n + k] * x[k];
  for (int half = warp / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, static_cast<unsigned>(half));
  if (row < n && lane == 0) y[row] = static_cast<Real>(sum);
}

// y = A x for a dense matrix of n rows
template <class Real>
void multiply_dense(const Device& device, const char* name, Index n, const double* matrix, const Real* x, Real* y) {
  if (n == 0) return;
  const LaunchScope launch(device, name);
  start(device, {(n * 32 + block_threads - 1) / block_threads}, dense_kernel<Real>, n, matrix, x, y);
}

// A cycle multiplies with block CSR as it is.
template <class Stored>
bool pack_rows(const Device&, const BlockMatrixView<double>&, CycleMatrix<Stored>&) {
  return false;
}
template <class Stored>
void unpack_rows(const Device&, const BlockMatrixView<Stored>&, std::int32_t*, double*) {}

}  // namespace ritz::RITZ_BACKEND
