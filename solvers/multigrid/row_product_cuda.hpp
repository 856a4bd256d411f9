// Block rows times a vector on a GPU: a team of neighbouring threads has a row, and reads its values side by side. Sums
// are taken in a fixed order.
#pragma once

#include "device/launch.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <bit>

namespace ritz::RITZ_BACKEND {

// Threads of a team: [block][row of the block][column], for as many blocks of a matrix row as are read at once.
template <int L, int M>
struct RowTeam {
  static constexpr int shares = L * M > 32 ? 2 : 1;  // places of a block that a thread has, side by side in none
  static constexpr int columns = M / shares, block = L * columns;
  static constexpr int threads = block == 1 ? 8 : block <= 6 ? 16 : 32;
  static constexpr int blocks = threads / block;
};

// Result of thread [0][l][0] of the team: the sum over all [block][l][column].
template <class Team, class Real>
__device__ Real team_sum(Real mine) {
  constexpr unsigned all = 0xffffffffu;
  Real row = mine;
  for (int m = 1; m < Team::columns; ++m) row += __shfl_down_sync(all, mine, static_cast<unsigned>(m), Team::threads);
  if constexpr (std::has_single_bit(static_cast<unsigned>(Team::blocks))) {
    for (int half = Team::blocks / 2; half > 0; half /= 2)
      row += __shfl_down_sync(all, row, static_cast<unsigned>(half * Team::block), Team::threads);
    return row;
  } else {
    Real sum = row;
    for (int j = 1; j < Team::blocks; ++j)
      sum += __shfl_down_sync(all, row, static_cast<unsigned>(j * Team::block), Team::threads);
    return sum;
  }
}

// team = block row, thread = a place of every `blocks`-th block of it
template <class Real, int L, int M, class Stored, class Then>
__global__ void row_kernel(const __grid_constant__ BlockMatrixView<Stored> A, const Real* x,
                           const __grid_constant__ Then then) {
  using Team = RowTeam<L, M>;
  const Index row = (Index{blockIdx.x} * block_threads + threadIdx.x) / Team::threads;
  const int thread = static_cast<int>(threadIdx.x) % Team::threads, place = thread % Team::block,
            l = place / Team::columns, m = place % Team::columns;
  Real mine{};
  if (row < A.rows && thread < Team::blocks * Team::block)
    for (Index k = A.offsets[row] + thread / Team::block; k < A.offsets[row + 1]; k += Team::blocks) {
      const Stored* a = A.values + k * (L * M) + l * M + m;
      const Real* xk = x + Index{A.column[k]} * M + m;
      for (int share = 0; share < Team::shares; ++share)
        mine += static_cast<Real>(a[share * Team::columns]) * xk[share * Team::columns];
    }
  const Real sum = team_sum<Team>(mine);
  if (row < A.rows && thread < Team::block && m == 0) then(row * L + l, sum);
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
__global__ void dense_kernel(Index n, const Real* matrix, const Real* x, Real* y) {
  constexpr int warp = 32;
  const Index row = (Index{blockIdx.x} * block_threads + threadIdx.x) / warp;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  Real sum{};
  if (row < n)
    for (Index k = lane; k < n; k += warp) sum += matrix[row * n + k] * x[k];
  for (int half = warp / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, static_cast<unsigned>(half));
  if (row < n && lane == 0) y[row] = sum;
}

// y = A x for a dense matrix of n rows
template <class Real>
void multiply_dense(const Device& device, const char* name, Index n, const Real* matrix, const Real* x, Real* y) {
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
