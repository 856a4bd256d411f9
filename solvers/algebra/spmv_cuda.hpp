// Sparse matrix times vector on a GPU, and x.y in the same pass. Sums are taken in a fixed order, so results repeat bit
// by bit. Bytes: those of the matrix, and x and y once.
#pragma once

#include "device/launch.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/row_team_cuda.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// block = `share` neighbouring block rows, team = every 256/team-th of them. WithDot: *xy = x.y, added by the last
// block.
template <int B, bool WithDot>
__global__ void spmv_kernel(const __grid_constant__ MatrixView A, Index share, const double* x, double* y,
                            Sums<1>* partial, unsigned* ticket, double* xy) {
  using Team = RowTeam<B, B>;
  constexpr int rows_at_once = block_threads / Team::threads;
  const Index first = Index{blockIdx.x} * share, last = first + share < A.rows ? first + share : A.rows;
  const int thread = static_cast<int>(threadIdx.x) % Team::threads, place = thread % Team::block;
  const bool writes = thread < Team::block && place % Team::columns == 0;
  Sums<1> mine;
  for (Index begin = first; begin < last; begin += rows_at_once) {  // all threads go round as often
    const Index row = begin + threadIdx.x / Team::threads;
    const double sum = team_sum<Team>(product_of_thread<Team, B, B>(A, A.columns, row, thread, x));
    if (!writes || row >= last) continue;
    const Index n = row * B + place / Team::columns;
    y[n] = sum;
    if constexpr (WithDot) mine.value[0] += x[n] * sum;
  }
  if constexpr (WithDot) sum_of_blocks(sum_block(mine), partial, ticket, xy);
}

template <int B, bool WithDot>
void multiply_blocks(const Device& device, const MatrixView& A, const double* x, double* y, double* xy) {
  const Index share = share_of_block(A.rows, block_threads / RowTeam<B, B>::threads),
              blocks = std::max<Index>((A.rows + share - 1) / share, 1);
  Array<Sums<1>> partial(device, WithDot ? blocks : 0, "reductions");
  const LaunchScope launch(device, WithDot ? "spmv and dot" : "spmv");
  start(device, {blocks}, spmv_kernel<B, WithDot>, A, share, x, y, partial.data(), device.machine().ticket(), xy);
}

template <bool WithDot>
void multiply_any(const Device& device, const MatrixView& A, const double* x, double* y, double* xy) {
  if (A.block_size == 1) multiply_blocks<1, WithDot>(device, A, x, y, xy);
  if (A.block_size == 2) multiply_blocks<2, WithDot>(device, A, x, y, xy);
  if (A.block_size == 3) multiply_blocks<3, WithDot>(device, A, x, y, xy);
  if (A.block_size == 4) multiply_blocks<4, WithDot>(device, A, x, y, xy);
  if (A.block_size == 5) multiply_blocks<5, WithDot>(device, A, x, y, xy);
  if (A.block_size == 6) multiply_blocks<6, WithDot>(device, A, x, y, xy);
}

void multiply(const Device& device, const MatrixView& A, const double* x, double* y) {
  if (A.rows > 0) multiply_any<false>(device, A, x, y, nullptr);
}

void multiply_dot(const Device& device, const MatrixView& A, const double* x, double* y, double* xy) {
  multiply_any<true>(device, A, x, y, xy);
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
