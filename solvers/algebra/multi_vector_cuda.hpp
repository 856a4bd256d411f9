// Products and combinations of lanes on a GPU.
#pragma once

#include "solvers/algebra/lane_rows.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

inline constexpr int gram_size = lane_count * lane_count;

// The sums over the threads of a block with the same place in the 8 x 8 result; in its first 64 threads.
__device__ inline double sum_gram_of_block(double mine) {
  __shared__ double shared[block_threads];
  shared[threadIdx.x] = mine;
  for (int half = block_threads / 2; half >= gram_size; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  return shared[threadIdx.x];
}

// block = lane_block rows, thread = one of the 64 products over every 4th of them
__global__ void gram_kernel(Index rows, const double* x, const double* y, double* partial) {
  const int i = threadIdx.x % gram_size / lane_count, j = threadIdx.x % lane_count;
  const Index first = Index{blockIdx.x} * lane_block;
  const Index last = first + lane_block < rows ? first + lane_block : rows;
  double mine = 0;
  for (Index row = first + threadIdx.x / gram_size; row < last; row += block_threads / gram_size)
    mine += x[row * lane_count + i] * y[row * lane_count + j];
  const double sum = sum_gram_of_block(mine);
  if (threadIdx.x < gram_size) partial[Index{blockIdx.x} * gram_size + threadIdx.x] = sum;
}

// one block: thread = one of the 64 products over every 4th partial sum
__global__ void gram_partial_kernel(Index blocks, const double* partial, double* result) {
  double mine = 0;
  for (Index block = threadIdx.x / gram_size; block < blocks; block += block_threads / gram_size)
    mine += partial[block * gram_size + threadIdx.x % gram_size];
  const double sum = sum_gram_of_block(mine);
  if (threadIdx.x < gram_size) result[threadIdx.x] = sum;
}

void gram(const Device& device, Index rows, const double* x, const double* y, double* result) {
  const Index blocks = (rows + lane_block - 1) / lane_block;
  Vector partial(device, std::max<Index>(blocks, 1) * gram_size, "reductions");
  const LaunchScope launch(device, "gram");
  if (blocks > 0) start(device, {blocks}, gram_kernel, rows, x, y, partial.data());
  start(device, {1}, gram_partial_kernel, blocks, partial.data(), result);
}

// thread = (row, lane) with a stride of the whole grid: its column of C stays in registers
template <int Groups>
__global__ void combine_kernel(Index rows, const double* x, const __grid_constant__ LaneMatrices C, double beta,
                               double* y) {
  const int lane = threadIdx.x % lane_count;
  double c[Groups * lane_count + 1];
  for (int i = 0; i < Groups * lane_count; ++i) c[i] = C.value[i][lane];
  const Index stride = Index{gridDim.x} * block_threads / lane_count;
  for (Index row = (Index{blockIdx.x} * block_threads + threadIdx.x) / lane_count; row < rows; row += stride) {
    double sum = beta == 0 ? 0.0 : beta * y[row * lane_count + lane];
    for (int g = 0; g < Groups; ++g)
      for (int i = 0; i < lane_count; ++i) sum += x[(g * rows + row) * lane_count + i] * c[g * lane_count + i];
    y[row * lane_count + lane] = sum;
  }
}

void combine(const Device& device, Index rows, const double* x, const LaneMatrices& C, double beta, double* y) {
  if (rows == 0) return;
  const LaunchScope launch(device, "combine");
  const Grid grid{std::min<Index>((rows * lane_count + block_threads - 1) / block_threads, 4096)};
  if (C.count == 0) start(device, grid, combine_kernel<0>, rows, x, C, beta, y);
  if (C.count == 1) start(device, grid, combine_kernel<1>, rows, x, C, beta, y);
  if (C.count == 2) start(device, grid, combine_kernel<2>, rows, x, C, beta, y);
  if (C.count == 3) start(device, grid, combine_kernel<3>, rows, x, C, beta, y);
  if (C.count == 4) start(device, grid, combine_kernel<4>, rows, x, C, beta, y);
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
