// A program as nvcc compiles it, host code and all, on the emulated GPU by the interpreter (cudart.cpp). Each fact is a
// process of its own, as a fault loses the device: runtime_test FACT; without a name it lists them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

__device__ double field[3];
__constant__ int table[4] = {2, 3, 5, 7};

__global__ void scaled(const double* x, double a, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + field[i % 3] + table[i % 4];
}

// After the barrier warp 1 goes first here: its reader is not among the last two when thread 0 writes.
__global__ void many_readers(double* x, int reader) {
  __shared__ double shared;
  if (threadIdx.x == 0) shared = 3;
  __syncthreads();
  double mine = 0;
  if (threadIdx.x < 3 || threadIdx.x == reader)  // nvcc would read it in all threads
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(mine) : "l"(__cvta_generic_to_shared(&shared)));
  __syncwarp();
  if (threadIdx.x == 0) shared = 7;
  x[threadIdx.x] = mine;
}

template <bool Barrier>
__global__ void reverse_twice(double* x) {
  __shared__ double shared[64];
  shared[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const double other = shared[63 - threadIdx.x];
  if (Barrier) __syncthreads();
  shared[threadIdx.x] = other + 1;
  __syncthreads();
  x[threadIdx.x] = shared[63 - threadIdx.x];
}

__global__ void neighbours(double* x, int ahead) { x[threadIdx.x + ahead] += 1; }

extern __shared__ double scratch[];
__global__ void large(double* x) {
  __shared__ double shared[3072];
  for (int k = threadIdx.x; k < 3072; k += 64) shared[k] = k;
  scratch[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = shared[threadIdx.x] + scratch[63 - threadIdx.x];
}

// The last block sums what the others have written; without a fence it may read what is older.
template <bool Fence>
__global__ void sum(const double* x, double* partial, unsigned* ticket, double* result) {
  __shared__ bool last;
  double s = 0;
  for (int k = 0; k < 64; ++k) s += x[64 * blockIdx.x + k];
  if (threadIdx.x == 0) partial[blockIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (Fence) __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    if (Fence) __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  s = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) s += partial[k];
  *result = s;
}

// The compiler takes read-only loads where no other pointer leads to the same numbers, as is promised here.
__global__ void twice(const double* __restrict__ x, double* __restrict__ y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }

template <bool Barrier>
__global__ void counted_by_all(unsigned* count, unsigned* seen) {
  atomicAdd(count, 1);
  if (Barrier) __syncthreads();
  seen[threadIdx.x] = *count;
}

__global__ void __launch_bounds__(32) of_one_warp(double* x) { x[threadIdx.x] = 0; }

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("does not hold: %s\n", what);
  std::exit(1);
}

struct Numbers {
  explicit Numbers(std::vector<double> values) : host(std::move(values)) {
    require(cudaMalloc(&device, host.size() * sizeof(double)) == cudaSuccess, "memory");
    cudaMemcpy(device, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice);
  }
  std::vector<double> now() {
    std::vector<double> values(host.size());
    cudaMemcpy(values.data(), device, values.size() * sizeof(double), cudaMemcpyDeviceToHost);
    return values;
  }
  std::vector<double> host;
  double* device = nullptr;
};
Numbers counted(int n) {
  std::vector<double> x(n);
  for (int k = 0; k < n; ++k) x[k] = k + 0.25;
  return Numbers(x);
}

void kernels_see_arguments_variables_and_constants() {
  Numbers x = counted(100), y = counted(100);
  const double values[3] = {10, 20, 30};
  require(cudaMemcpyToSymbol(field, values, sizeof values) == cudaSuccess, "cudaMemcpyToSymbol");
  scaled<<<2, 64>>>(x.device, 1.1, y.device, 100);
  const std::vector<double> r = y.now();
  constexpr int primes[] = {2, 3, 5, 7};
  for (int k = 0; k < 100; ++k)
    require(r[k] == std::fma(1.1, x.host[k], values[k % 3]) + primes[k % 4], "a x + field + table");
}
void graphs_are_replayed() {
  Numbers x = counted(64);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  neighbours<<<1, 64, 0, stream>>>(x.device, 0);
  require(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "a recording");
  cudaGraphInstantiate(&executable, graph, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(executable, stream);
  require(cudaStreamSynchronize(stream) == cudaSuccess, "three launches");
  require(x.now()[5] == 8.25, "three sums");
}
void static_and_dynamic_shared_memory_count_together() {
  Numbers x = counted(64);
  large<<<1, 64, 24 << 10>>>(x.device);
  require(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "48 KB");
  require(x.now()[3] == 4, "a sum");
  cudaLaunchConfig_t c{};
  c.gridDim = dim3(1);
  c.blockDim = dim3(64);
  c.dynamicSmemBytes = (24 << 10) + 512;
  require(cudaLaunchKernelEx(&c, large, x.device) == cudaErrorInvalidValue, "more than 48 KB are refused");
  require(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10) == cudaSuccess, "64 KB");
  require(cudaLaunchKernelEx(&c, large, x.device) == cudaSuccess, "more than 48 KB when asked for");
}
void barriers_order_accesses() {
  Numbers x = counted(64);
  reverse_twice<true><<<1, 64>>>(x.device);
  require(cudaDeviceSynchronize() == cudaSuccess && x.now()[3] == 4.25, "each one more");
}
void missing_barriers_are_races() {
  Numbers x = counted(64);
  reverse_twice<false><<<1, 64>>>(x.device);
  require(cudaDeviceSynchronize() != cudaSuccess, "a race is found");
}
void a_reader_of_another_warp_is_not_forgotten() {
  Numbers x = counted(64);
  many_readers<<<1, 64>>>(x.device, 5);
  require(cudaDeviceSynchronize() == cudaSuccess, "readers of the writer's warp");
  many_readers<<<1, 64>>>(x.device, 40);
  require(cudaDeviceSynchronize() != cudaSuccess, "a race is found");
}
void fences_order_blocks() {
  Numbers x = counted(512), partial(std::vector<double>(8)), result({0});
  unsigned* ticket;
  cudaMalloc(&ticket, sizeof(unsigned));
  cudaMemset(ticket, 0, sizeof(unsigned));
  sum<true><<<8, 64>>>(x.device, partial.device, ticket, result.device);
  require(cudaDeviceSynchronize() == cudaSuccess && result.now()[0] == 511 * 256 + 128, "a sum of all");
}
void missing_fences_are_races() {
  Numbers x = counted(512), partial(std::vector<double>(8)), result({0});
  unsigned* ticket;
  cudaMalloc(&ticket, sizeof(unsigned));
  cudaMemset(ticket, 0, sizeof(unsigned));
  sum<false><<<8, 64>>>(x.device, partial.device, ticket, result.device);
  require(cudaDeviceSynchronize() != cudaSuccess, "a race is found");
}
void overruns_are_found() {
  Numbers x = counted(64);
  neighbours<<<1, 64>>>(x.device, 0);
  require(cudaDeviceSynchronize() == cudaSuccess, "within the array");
  neighbours<<<1, 64>>>(x.device, 1);
  require(cudaDeviceSynchronize() != cudaSuccess, "an overrun is found");
}
void uninitialised_memory_is_found() {
  double* x;
  cudaMalloc(&x, 64 * sizeof(double));
  neighbours<<<1, 64>>>(x, 0);
  require(cudaDeviceSynchronize() != cudaSuccess, "what nobody has written is found");
}
void read_only_loads_of_what_the_kernel_writes_are_found() {
  Numbers x = counted(128);
  twice<<<1, 64>>>(x.device, x.device + 64);
  require(cudaDeviceSynchronize() == cudaSuccess, "two arrays");
  twice<<<1, 64>>>(x.device, x.device);
  require(cudaDeviceSynchronize() != cudaSuccess, "one array");
}
void an_atomic_next_to_a_plain_access_is_a_race() {
  unsigned *count, *seen;
  cudaMalloc(&count, sizeof(unsigned));
  cudaMalloc(&seen, 64 * sizeof(unsigned));
  cudaMemset(count, 0, sizeof(unsigned));
  counted_by_all<true><<<1, 64>>>(count, seen);
  require(cudaDeviceSynchronize() == cudaSuccess, "a barrier between");
  counted_by_all<false><<<1, 64>>>(count, seen);
  require(cudaDeviceSynchronize() != cudaSuccess, "a race is found");
}
void blocks_of_more_threads_than_the_launch_bounds_are_refused() {
  Numbers x = counted(64);
  cudaLaunchConfig_t c{};
  c.gridDim = dim3(1);
  c.blockDim = dim3(32);
  require(cudaLaunchKernelEx(&c, of_one_warp, x.device) == cudaSuccess, "one warp");
  c.blockDim = dim3(64);
  require(cudaLaunchKernelEx(&c, of_one_warp, x.device) == cudaErrorInvalidValue, "two warps");
}

constexpr struct {
  const char* name;
  void (*run)();
} facts[] = {
    {"kernels_see_arguments_variables_and_constants", kernels_see_arguments_variables_and_constants},
    {"graphs_are_replayed", graphs_are_replayed},
    {"static_and_dynamic_shared_memory_count_together", static_and_dynamic_shared_memory_count_together},
    {"barriers_order_accesses", barriers_order_accesses},
    {"missing_barriers_are_races", missing_barriers_are_races},
    {"a_reader_of_another_warp_is_not_forgotten", a_reader_of_another_warp_is_not_forgotten},
    {"fences_order_blocks", fences_order_blocks},
    {"missing_fences_are_races", missing_fences_are_races},
    {"overruns_are_found", overruns_are_found},
    {"uninitialised_memory_is_found", uninitialised_memory_is_found},
    {"read_only_loads_of_what_the_kernel_writes_are_found", read_only_loads_of_what_the_kernel_writes_are_found},
    {"an_atomic_next_to_a_plain_access_is_a_race", an_atomic_next_to_a_plain_access_is_a_race},
    {"blocks_of_more_threads_than_the_launch_bounds_are_refused",
     blocks_of_more_threads_than_the_launch_bounds_are_refused}};

}  // namespace

int main(int count, char** arguments) {
  for (const auto& fact : facts) {
    if (count < 2) std::printf("%s\n", fact.name);
    else if (std::strcmp(arguments[1], fact.name) == 0) return fact.run(), 0;
  }
  return count < 2 ? 0 : 2;
}
