// Kernels of the interpreter's tests (ptx_test.cpp): nvcc writes their PTX. Each is about one class of instructions.
#include <cassert>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" {

__global__ void products_and_sums(const double* a, const double* b, const double* c, double* r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i] = a[i] * b[i] + c[i];
}

__global__ void functions_of_doubles(const double* a, const double* b, double* r, int n) {
  const int i = threadIdx.x;
  r[i] = a[i] / b[i];
  r[n + i] = sqrt(a[i]);
  r[2 * n + i] = 1 / b[i];
  r[3 * n + i] = fmin(a[i], b[i]);
  r[4 * n + i] = fmax(a[i], b[i]);
  r[5 * n + i] = rint(a[i]) + floor(b[i]) + ceil(a[i]) + trunc(b[i]);
  r[6 * n + i] = __dadd_rz(a[i], b[i]);
  r[7 * n + i] = __dmul_ru(a[i], b[i]);
  r[8 * n + i] = __fma_rd(a[i], b[i], a[i]);
  r[9 * n + i] = copysign(a[i], b[i]) + fabs(b[i]);
}

__global__ void functions_of_floats(const float* a, const float* b, float* r, int n) {
  const int i = threadIdx.x;
  r[i] = a[i] / b[i];
  r[n + i] = sqrtf(a[i]);
  r[2 * n + i] = a[i] * b[i] + a[i];
  r[3 * n + i] = fminf(a[i], b[i]);
  r[4 * n + i] = __saturatef(a[i]);
  r[5 * n + i] = __bfloat162float(__float2bfloat16(a[i]));
  r[6 * n + i] = __half2float(__float2half(b[i]));
  r[7 * n + i] = __fdiv_rd(a[i], b[i]);
}

__global__ void integers(const int* a, const int* b, int* r, int n) {
  const int i = threadIdx.x;
  const unsigned u = a[i], v = b[i];
  r[i] = a[i] / b[i];
  r[n + i] = a[i] % b[i];
  r[2 * n + i] = u / v + u % v;
  r[3 * n + i] = __mulhi(a[i], b[i]) + __umulhi(u, v);
  r[4 * n + i] = __popc(u) + 100 * __clz(v) + 10000 * __ffs(a[i]);
  r[5 * n + i] = __brev(u) ^ __byte_perm(u, v, 0x6135);
  r[6 * n + i] = __funnelshift_l(u, v, 7) ^ __funnelshift_rc(u, v, 40);
  r[7 * n + i] = (a[i] >> (i & 31)) ^ (u << (i & 31)) ^ (u >> 3);
  r[8 * n + i] = min(a[i], b[i]) ^ max(u, v) ^ abs(a[i]);
  r[9 * n + i] = __dp4a(a[i], b[i], 5);
}

__global__ void long_integers(const long long* a, const long long* b, long long* r, int n) {
  const int i = threadIdx.x;
  const unsigned long long u = a[i], v = b[i];
  r[i] = a[i] / b[i];
  r[n + i] = a[i] % b[i];
  r[2 * n + i] = u / v + u % v;
  r[3 * n + i] = __mul64hi(a[i], b[i]) ^ __umul64hi(u, v);
  r[4 * n + i] = a[i] * b[i] + i;
  r[5 * n + i] = (a[i] >> (i & 63)) ^ (u << (i & 63));
  r[6 * n + i] = __popcll(u) + 100 * __clzll(v);
}

__global__ void conversions(const double* a, long long* r, int n) {
  const int i = threadIdx.x;
  r[i] = (int)a[i];
  r[n + i] = (unsigned)a[i];
  r[2 * n + i] = (long long)a[i];
  r[3 * n + i] = __double2int_rn(a[i]);
  r[4 * n + i] = __float_as_int((float)a[i]);
  r[5 * n + i] = (short)(int)a[i] + (unsigned char)(int)a[i];
  r[6 * n + i] = __double_as_longlong((double)(long long)a[i]);
  r[7 * n + i] = __float_as_int((float)(long long)a[i]);
  r[8 * n + i] = __double_as_longlong((double)(unsigned)i) + (int)(float)a[i];
}

// Lanes leave a loop at different times; the warp is together again in the sum.
__global__ void collatz(int* steps, int* sum) {
  const int i = threadIdx.x;
  int n = i + 1, k = 0;
  while (n != 1) {
    if (n % 2 == 0) n /= 2;
    else n = 3 * n + 1;
    ++k;
  }
  steps[i] = k;
  for (int d = 16; d > 0; d /= 2) k += __shfl_down_sync(0xffffffffu, k, d);
  if (i % 32 == 0) sum[i / 32] = k;
}

__global__ void of_warp(const unsigned* a, unsigned* r) {
  const int i = threadIdx.x;
  const unsigned all = 0xffffffffu;
  r[i] = __shfl_up_sync(all, a[i], 3);
  r[32 + i] = __shfl_xor_sync(all, a[i], 5);
  r[64 + i] = __shfl_sync(all, a[i], i / 2);
  r[96 + i] = __shfl_down_sync(all, a[i], 2, 8);
  r[128 + i] = __ballot_sync(all, a[i] & 1);
  r[160 + i] = __any_sync(all, a[i] == 77) * 2 + __all_sync(all, a[i] < 1000);
  r[192 + i] = __match_any_sync(all, a[i] % 3);
  r[224 + i] = __reduce_add_sync(all, a[i]) + __reduce_max_sync(all, a[i]);
}

__global__ void reverse_block(double* x) {
  __shared__ double shared[128];
  shared[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * 128 + threadIdx.x] = shared[127 - threadIdx.x];
}

// With and without the barrier: the second is a race.
__global__ void reverse_without_barrier(double* x) {
  __shared__ double shared[128];
  shared[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = shared[127 - threadIdx.x];
}

extern __shared__ int dynamic[];
__global__ void histogram(const int* values, int n, int* counts, double* total) {
  __shared__ int last;
  for (int k = threadIdx.x; k < 16; k += blockDim.x) dynamic[k] = 0;
  if (threadIdx.x == 0) last = 0;
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    atomicAdd(&dynamic[values[k] & 15], 1);
    atomicMax(&last, values[k]);
    atomicAdd(total, (double)values[k]);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x] = dynamic[threadIdx.x];
  if (threadIdx.x == 16) counts[16] = last;
  const int many = __syncthreads_count(threadIdx.x % 3 == 0);
  if (threadIdx.x == 17) counts[17] = many + 1000 * __syncthreads_or(0);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ double half_of(double x) { return x / 2; }
__device__ double square_of(double x) { return x * x; }
typedef double (*Function)(double);
__device__ Function table[2] = {half_of, square_of};
__constant__ int offsets[4] = {5, 7, 11, 13};
struct Five {
  double v[5];
  int n;
};
__device__ __noinline__ Five rotated(Five f, int by) {
  Five r;
  for (int k = 0; k < 5; ++k) r.v[k] = f.v[(k + by) % 5];
  r.n = f.n + by;
  return r;
}
__global__ void calls(int* r, double* d, Five f) {
  const int i = threadIdx.x;
  r[i] = fibonacci(i % 9) + offsets[i & 3];
  d[i] = table[i & 1](i + 0.5);
  const Five g = rotated(f, i);
  d[32 + i] = g.v[i % 5] + g.n;
}

__global__ void many_ways(int* r) {
  const int i = threadIdx.x;
  int x = i;
  switch (i % 8) {
    case 0: x = i * 17 + 1; break;
    case 1: x = i ^ 91; break;
    case 2: x = __popc(i); break;
    case 3: x = -i; break;
    case 4: r[32 + i] = 5; break;
    case 5: x = i * i; break;
    case 6: x = i << 3; break;
    default: x = 4711;
  }
  r[i] = x;
}

// Thread 0 frees the lock that its neighbours wait for: needs forward progress of diverged lanes.
__global__ void lock(int* mutex, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      *(volatile int*)sum = *(volatile int*)sum + threadIdx.x;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}

__global__ void spin(volatile int* flag, int* r) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    r[0] = 1;
  } else if (threadIdx.x == 33) {
    *flag = 1;
  }
}

__global__ void say(int n, double x) {
  if (threadIdx.x < 2)
    printf("thread %d: %5.2f %s %lld%%\n", threadIdx.x, x, n > 1 ? "many" : "one", (long long)n << 40);
}

__global__ void vectors(const double2* a, float4* b, char* c, double2* r) {
  const int i = threadIdx.x;
  const double2 x = a[i];
  const float4 y = b[i];
  r[i] = double2{x.y + y.w, x.x + c[i]};
  b[i] = float4{y.w, y.z, y.y, y.x};
  c[i] = c[i] / 2;
}

__global__ void sine(const double* x, double* r) { r[threadIdx.x] = sin(x[threadIdx.x]) + exp(x[threadIdx.x] / 1000); }

__global__ void two_dimensions(int* r) {
  const int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * (blockIdx.x + gridDim.x * blockIdx.y));
  r[i] = threadIdx.x + 10 * threadIdx.y + 100 * blockIdx.x + 1000 * blockIdx.y;
}

// ---- faults ----

__global__ void shared_overrun(double* x, int at) {
  __shared__ double shared[64];
  shared[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = shared[threadIdx.x + at];
}
__global__ void shared_neighbours(double* x, int at) {
  __shared__ double first[64], second[64];
  first[threadIdx.x] = x[threadIdx.x];
  second[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = first[threadIdx.x + at] + second[threadIdx.x];
}
__device__ __noinline__ double from_other_end(double x) {
  __shared__ double room[64];
  room[threadIdx.x] = x;
  __syncthreads();
  return room[63 - threadIdx.x];
}
__global__ void shared_of_a_function(double* x) { x[threadIdx.x] = from_other_end(x[threadIdx.x]); }
// Lanes leave the loop one after the other.
__global__ void function_after_a_loop(double* x, int n) {
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += 64) sum += x[i];
  x[threadIdx.x] = from_other_end(sum);
}
__global__ void shared_of_both(double* x) {
  __shared__ double own[64];
  own[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = from_other_end(own[63 - threadIdx.x]) + own[threadIdx.x];
}
__global__ void shared_before_dynamic(double* x, int at) {
  extern __shared__ double launched[];
  __shared__ double own[64];
  own[threadIdx.x] = launched[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = own[threadIdx.x + at] + launched[threadIdx.x];
}
__global__ void misaligned(double* x) { *(double2*)(x + 1 + 2 * threadIdx.x) = double2{1, 2}; }
__global__ void barrier_in_branches(int* x) {
  if (threadIdx.x % 2 == 0) {
    x[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] += 3;
  } else {
    x[threadIdx.x] = 2;
    __syncthreads();
    x[threadIdx.x] *= 5;
  }
}
__global__ void shuffle_in_branches(int* x) {
  int k = threadIdx.x;
  if (x[k] % 2 == 0) k = 3 * __shfl_xor_sync(0xffffffffu, k, 1);
  else k = 7 + __shfl_xor_sync(0xffffffffu, k, 3);
  x[threadIdx.x] = k;
}
__global__ void asserts(int n) { assert(n < 3 || threadIdx.x != 5); }
__global__ void traps(int n) {
  if (n > 3) __trap();
}
__global__ void __launch_bounds__(64) bounded(int* x) { x[threadIdx.x] = 1; }
__global__ void beyond(double* x, int n) { x[threadIdx.x + n] = 1; }
}
