// Constants of a card, by which counts of bytes and launches become times: copy rates from memory and second-level
// cache, atomic additions, launches, waits, graphs, latency, double-precision arithmetic, transfers.
//
//   nvcc -O3 -std=c++17 -arch=native tools/gpu_probe.cu -o gpu_probe && ./gpu_probe
#include <chrono>
#include <cstdio>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#include <mma.h>
#define OK(x)                                                          \
  do {                                                                 \
    cudaError_t e = (x);                                               \
    if (e != cudaSuccess) {                                            \
      printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      return 1;                                                        \
    }                                                                  \
  } while (0)
__global__ void empty() {}
__global__ void copy(long n, const double* a, double* b) {
  for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) b[i] = a[i];
}
__global__ void read_only(long n, const double2* a, double* b) {
  double s = 0;
  for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) {
    double2 v = a[i];
    s += v.x + v.y;
  }
  if (s == 1.25) *b = s;
}
__global__ void red(long n, double* a, unsigned mask) {
  for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l)
    atomicAdd(a + ((unsigned)(i * 2654435761u) & mask), 1.0);
}
__global__ void chase(int n, const int* next, int* out) {
  int k = 0;
  for (int i = 0; i < n; ++i) k = next[k];
  *out = k;
}
__global__ void fma64(double* x, int n) {
  double a[8];
  for (int k = 0; k < 8; ++k) a[k] = threadIdx.x + k;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 8; ++k) a[k] = a[k] * 1.0000001 + 1e-9;
  double s = 0;
  for (double v : a) s += v;
  if (s == 1) *x = s;
}
__global__ void dmma(double* x, int n) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 8, 8, 4, double, row_major> a;
  fragment<matrix_b, 8, 8, 4, double, col_major> b;
  fragment<accumulator, 8, 8, 4, double> c[8];
  fill_fragment(a, 1e-3);
  fill_fragment(b, 1e-3);
  for (auto& f : c) fill_fragment(f, 0.0);
  for (int i = 0; i < n; ++i)
    for (auto& f : c) mma_sync(f, a, b, f);
  double s = 0;
  for (auto& f : c) s += f.x[0];
  if (s == 1.25) *x = s;
}
static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
template <class F>
double best(cudaStream_t s, int repeat, const F& f) {
  double b = 1e9;
  for (int i = 0; i < repeat; ++i) {
    cudaStreamSynchronize(s);
    double t = now();
    f();
    cudaStreamSynchronize(s);
    if (i) b = std::min(b, now() - t);
  }
  return b;
}
int main() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  int clock = 0, l2 = 0;
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
  printf("%s, %d multiprocessors, %.0f MHz, L2 %d MB\n", p.name, p.multiProcessorCount, clock / 1e3, l2 >> 20);
  double t = now();
  cudaFree(nullptr);
  printf("context %.3f s\n", now() - t);
  cudaStream_t s;
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  const long big = 1l << 29;
  double *a, *b, *pin;
  OK(cudaMalloc(&a, big * 8));
  OK(cudaMalloc(&b, big * 8));
  OK(cudaMallocHost(&pin, 64 << 20));
  cudaMemset(a, 0, big * 8);
  cudaMemset(b, 0, big * 8);
  const int sm = p.multiProcessorCount;
  for (long n : {1l << 20, 1l << 21, 1l << 22, 1l << 29}) {
    double u = best(s, 8,
                    [&] {
                      for (int k = 0; k < (n < big ? 100 : 1); ++k) copy<<<sm * 8, 256, 0, s>>>(n, a, b);
                    }) /
               (n < big ? 100 : 1);
    printf("copy %6ld MB (read + write): %.2f us, %.2f TB/s\n", n * 16 >> 20, u * 1e6, 16e-12 * n / u);
  }
  {
    long n = 1l << 21;
    double u = best(s, 8,
                    [&] {
                      for (int k = 0; k < 100; ++k) read_only<<<sm * 8, 256, 0, s>>>(n / 2, (double2*)a, b);
                    }) /
               100;
    printf("read of 16 MB in L2: %.2f TB/s\n", 8e-12 * n / u);
  }
  for (unsigned mask : {(1u << 10) - 1, (1u << 20) - 1, (1u << 26) - 1}) {
    long n = 1l << 26;
    double u = best(s, 4, [&] { red<<<sm * 8, 256, 0, s>>>(n, a, mask); });
    printf("double RED on %u addresses: %.1f G/s\n", mask + 1, n / u * 1e-9);
  }
  double e = best(s, 8, [&] { empty<<<1, 32, 0, s>>>(); });
  printf("launch + wait: %.2f us\n", e * 1e6);
  double row = best(s, 8,
                    [&] {
                      for (int k = 0; k < 1000; ++k) empty<<<1, 32, 0, s>>>();
                    }) /
               1000;
  printf("launch in a row: %.2f us\n", row * 1e6);
  double rd = best(s, 20, [&] { cudaMemcpyAsync(pin, a, 48, cudaMemcpyDeviceToHost, s); });
  printf("read of 48 bytes + wait: %.2f us\n", rd * 1e6);
  double it = best(s, 8,
                   [&] {
                     for (int k = 0; k < 100; ++k) {
                       for (int j = 0; j < 8; ++j) empty<<<1, 32, 0, s>>>();
                       cudaMemcpyAsync(pin, a, 48, cudaMemcpyDeviceToHost, s);
                       cudaStreamSynchronize(s);
                     }
                   }) /
              100;
  printf("8 launches + read + wait (a CG iteration without work): %.2f us\n", it * 1e6);
  for (int nodes : {8, 32, 128}) {
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < nodes; ++k) empty<<<16, 256, 0, s>>>();
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    double u = best(s, 20,
                    [&] {
                      for (int k = 0; k < 50; ++k) cudaGraphLaunch(x, s);
                    }) /
               50;
    printf("graph of %d nodes: %.2f us, %.2f per node\n", nodes, u * 1e6, u * 1e6 / nodes);
  }
  {
    int *next, *out;
    long n = 1l << 20;
    std::vector<int> h(n);
    for (long i = 0; i < n; ++i) h[i] = (i + 4099 * 16) & (n - 1);
    OK(cudaMalloc(&next, n * 4));
    OK(cudaMalloc(&out, 4));
    cudaMemcpy(next, h.data(), n * 4, cudaMemcpyHostToDevice);
    double u = best(s, 4, [&] { chase<<<1, 1, 0, s>>>(20000, next, out); });
    printf("latency of L2: %.0f ns\n", u / 20000 * 1e9);
  }
  {
    int n = 20000;
    double u = best(s, 4, [&] { fma64<<<sm * 4, 512, 0, s>>>(a, n); });
    printf("fp64: %.1f TFLOP/s\n", 2. * 8 * n * sm * 4 * 512 / u * 1e-12);
    u = best(s, 4, [&] { dmma<<<sm * 4, 512, 0, s>>>(a, n); });
    printf("fp64 tensor: %.1f TFLOP/s\n", 2. * 256 * 8 * n * sm * 4 * 16 / u * 1e-12);
  }
  {
    double u = best(s, 6, [&] { cudaMemcpyAsync(a, pin, 64 << 20, cudaMemcpyHostToDevice, s); });
    printf("pinned to device: %.1f GB/s\n", (64 << 20) / u * 1e-9);
    u = best(s, 6, [&] { cudaMemcpyAsync(pin, a, 64 << 20, cudaMemcpyDeviceToHost, s); });
    printf("device to pinned: %.1f GB/s\n", (64 << 20) / u * 1e-9);
  }
  {
    double u = best(s, 20, [&] {
      void* m;
      cudaMallocAsync(&m, 1 << 26, s);
      cudaFreeAsync(m, s);
    });
    printf("cudaMallocAsync + FreeAsync of 64 MB, warm: %.2f us\n", u * 1e6);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
