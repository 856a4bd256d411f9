// for_each and reduce on a GPU. Calls return when the work is in the stream, not when it is done.
#pragma once

#include "device/array.hpp"
#include "device/cuda_check.hpp"

#include <algorithm>
#include <limits>

namespace ritz::RITZ_BACKEND {

inline constexpr int block_threads = 256;

inline cudaStream_t stream_of(const Device& device) { return static_cast<cudaStream_t>(device.machine().stream()); }

// Launch dimensions of a kernel; shared_bytes: of block_scratch().
struct Grid {
  Index blocks;
  int threads = block_threads, shared_bytes = 0;
};

// Puts a kernel into the device's stream, within a LaunchScope. Checks the launch's own status: the runtime's last
// error belongs to one copy of the runtime, and a plugin compiled by another toolkit has a copy of its own. Throws
// Error(Exit::environment, or ::resources).
template <class... Parameters, class... Arguments>
void start(const Device& device, const Grid& grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (grid.blocks > std::numeric_limits<std::int32_t>::max())
    cuda_check(cudaErrorInvalidConfiguration, "a launch of more blocks than a grid has");
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(grid.blocks));
  configuration.blockDim = dim3(static_cast<unsigned>(grid.threads));
  configuration.dynamicSmemBytes = static_cast<std::size_t>(grid.shared_bytes);
  configuration.stream = stream_of(device);
  launch_check(cudaLaunchKernelEx(&configuration, kernel, arguments...));
}

// The shared memory of a block whose size the launch says.
__device__ inline double* block_scratch() {
  extern __shared__ double scratch[];
  return scratch;
}

// thread = index, with a stride of the whole grid
template <class F>
__global__ void for_each_kernel(Index count, const __grid_constant__ F f) {
  const Index stride = Index{gridDim.x} * block_threads;
  for (Index i = Index{blockIdx.x} * block_threads + threadIdx.x; i < count; i += stride) f(i);
}

template <class F>
void for_each(const Device& device, const char* name, Index count, const F& f) {
  if (count == 0) return;
  const LaunchScope launch(device, name);
  const Index blocks = std::min<Index>((count + block_threads - 1) / block_threads, Index{1} << 30);
  start(device, {blocks}, for_each_kernel<F>, count, f);
}

template <int K>
__device__ Sums<K> sum_block(Sums<K> mine) {
  __shared__ Sums<K> shared[block_threads];
  shared[threadIdx.x] = mine;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x].add(shared[threadIdx.x + half]);
  }
  __syncthreads();
  return shared[0];
}

// block = reduction_block entries, thread = every block_threads-th of them
template <int K, class F>
__global__ void reduce_kernel(Index count, const __grid_constant__ F f, Sums<K>* partial) {
  const Index first = Index{blockIdx.x} * reduction_block;
  const Index last = first + reduction_block < count ? first + reduction_block : count;
  Sums<K> mine;
  for (Index i = first + threadIdx.x; i < last; i += block_threads) mine.add(f(i));
  const Sums<K> sum = sum_block(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// one block: thread = every block_threads-th partial sum
template <int K>
__global__ void reduce_partial_kernel(Index count, const Sums<K>* partial, double* result) {
  Sums<K> mine;
  for (Index i = threadIdx.x; i < count; i += block_threads) mine.add(partial[i]);
  const Sums<K> sum = sum_block(mine);
  if (threadIdx.x == 0)
    for (int k = 0; k < K; ++k) result[k] = sum.value[k];
}

template <int K, class F>
void reduce(const Device& device, const char* name, Index count, const F& f, double* result) {
  const Index blocks = (count + reduction_block - 1) / reduction_block;
  Array<Sums<K>> partial(device, std::max<Index>(blocks, 1), "reductions");
  const LaunchScope launch(device, name);
  if (blocks > 0) start(device, {blocks}, reduce_kernel<K, F>, count, f, partial.data());
  start(device, {1}, reduce_partial_kernel<K>, blocks, partial.data(), result);
}

}  // namespace ritz::RITZ_BACKEND
