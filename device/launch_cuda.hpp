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
// Error: Exit::environment or ::resources.
template <class... Parameters, class... Arguments>
void start(const Device& device, const Grid& grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (grid.blocks > std::numeric_limits<std::int32_t>::max())
    cuda_check(cudaErrorInvalidConfiguration, "a launch of more blocks than a grid has");
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(grid.blocks));
  configuration.blockDim = dim3(static_cast<unsigned>(grid.threads));
  configuration.dynamicSmemBytes = static_cast<std::size_t>(grid.shared_bytes);
  configuration.stream = stream_of(device);
  device.machine().count_kernel();
  launch_check(cudaLaunchKernelEx(&configuration, kernel, arguments...));
}

// The shared memory of a block whose size the launch says.
__device__ inline double* block_scratch() {
  extern __shared__ double scratch[];
  return scratch;
}

// A functor with the numbers in hand that it would read for every entry: those that were still to be computed when the
// launch was queued. F::ready() returns it; functors without such numbers are used as they are.
template <class F>
constexpr decltype(auto) made_ready(const F& f) {
  if constexpr (requires { f.ready(); }) return f.ready();
  else return (f);
}

// thread = index, with a stride of the whole grid
template <class F>
__global__ void for_each_kernel(Index count, const __grid_constant__ F f) {
  const auto& now = made_ready(f);
  const Index stride = Index{gridDim.x} * block_threads;
  for (Index i = Index{blockIdx.x} * block_threads + threadIdx.x; i < count; i += stride) now(i);
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

// Returns to all threads whether their block is the last of the grid to come here. That one sees what the others wrote
// before, and leaves the ticket at zero (CUDA C++ Programming Guide, "Memory Fence Functions").
__device__ inline bool is_last_block(unsigned* ticket) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// The sums of all blocks, in the order of the blocks, by the last of them.
template <int K>
__device__ void sum_of_blocks(const Sums<K>& block, Sums<K>* partial, unsigned* ticket, double* result) {
  if (threadIdx.x == 0) partial[blockIdx.x] = block;
  if (!is_last_block(ticket)) return;
  Sums<K> mine;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block_threads) mine.add(partial[i]);
  const Sums<K> sum = sum_block(mine);
  if (threadIdx.x == 0)
    for (int k = 0; k < K; ++k) result[k] = sum.value[k];
}

// Blocks of a reduction: enough to fill a GPU, and few enough for one of them to add their sums.
inline constexpr Index most_blocks = 4096;

// Entries of a block, a multiple of `step`; at most most_blocks blocks have all.
inline Index share_of_block(Index count, Index step) {
  const Index share = (count + most_blocks - 1) / most_blocks;
  return std::max<Index>((share + step - 1) / step, 1) * step;
}

// block = `share` entries, thread = every block_threads-th of them
template <int K, class F>
__global__ void reduce_kernel(Index count, Index share, const __grid_constant__ F f, Sums<K>* partial, unsigned* ticket,
                              double* result) {
  const auto& now = made_ready(f);
  const Index first = Index{blockIdx.x} * share;
  const Index last = first + share < count ? first + share : count;
  Sums<K> mine;
  for (Index i = first + threadIdx.x; i < last; i += block_threads) mine.add(now(i));
  sum_of_blocks(sum_block(mine), partial, ticket, result);
}

template <int K, class F>
void reduce(const Device& device, const char* name, Index count, const F& f, double* result) {
  const Index share = share_of_block(count, block_threads), blocks = std::max<Index>((count + share - 1) / share, 1);
  Array<Sums<K>> partial(device, blocks, "reductions");
  const LaunchScope launch(device, name);
  start(device, {blocks}, reduce_kernel<K, F>, count, share, f, partial.data(), device.machine().ticket(), result);
}

}  // namespace ritz::RITZ_BACKEND
