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

// block = `share` rows, thread = one of the 64 products over every 4th of them; the last block adds those of all
// blocks, in their order
__global__ void gram_kernel(Index rows, Index share, const double* x, const double* y, double* partial,
                            unsigned* ticket, double* result) {
  constexpr int rows_at_once = block_threads / gram_size;
  const int i = threadIdx.x % gram_size / lane_count, j = threadIdx.x % lane_count;
  const Index first = Index{blockIdx.x} * share;
  const Index last = first + share < rows ? first + share : rows;
  double mine = 0;
  for (Index row = first + threadIdx.x / gram_size; row < last; row += rows_at_once)
    mine += x[row * lane_count + i] * y[row * lane_count + j];
  const double of_block = sum_gram_of_block(mine);
  if (threadIdx.x < gram_size) partial[Index{blockIdx.x} * gram_size + threadIdx.x] = of_block;
  if (!is_last_block(ticket)) return;
  mine = 0;
  for (unsigned block = threadIdx.x / gram_size; block < gridDim.x; block += rows_at_once)
    mine += partial[Index{block} * gram_size + threadIdx.x % gram_size];
  const double sum = sum_gram_of_block(mine);
  if (threadIdx.x < gram_size) result[threadIdx.x] = sum;
}

void gram(const Device& device, Index rows, const double* x, const double* y, double* result) {
  const Index share = share_of_block(rows, block_threads / lane_count),
              blocks = std::max<Index>((rows + share - 1) / share, 1);
  Vector partial(device, blocks * gram_size, "reductions");
  const LaunchScope launch(device, "gram");
  start(device, {blocks}, gram_kernel, rows, share, x, y, partial.data(), device.machine().ticket(), result);
}

void grams(const Device& device, Index rows, const double* const* x, int count, const double* y, double* result) {
  for (int g = 0; g < count; ++g) gram(device, rows, x[g], y, result + g * gram_size);
}

// Memory is not scarce in caches here: combine() for each pair does it.
constexpr void (*group_sums)(const Device&, Index rows, const GroupSums& sums) = nullptr;

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
