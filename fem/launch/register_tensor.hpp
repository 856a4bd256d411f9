// Makes a form's actions available on quadrilaterals or hexahedra by sum factorisation. In a kernel source:
//
//   const RegisterTensor<Elasticity, 1, 2, 3, 4> elasticity;      // orders; the dimension is the form's
//
// Other orders, and forms without it, run by the engine for any element.
#pragma once

#include "fem/launch/register_form.hpp"
#include "fem/launch/tensor_engine.hpp"
#ifdef __CUDACC__
#include "fem/launch/chunk_sums_cuda.hpp"
#endif

namespace ritz::RITZ_BACKEND {

#ifdef __CUDACC__
// Elements of few numbers have a thread each, which keeps them in its registers; others a team of threads and shared memory. At most so
// many numbers need no more than 255 registers, or hardly more (tests/cuda_kernels/ptxas.tsv).
template <class Sh>
inline constexpr bool in_registers = Sh::N <= 3 && Sh::scratch <= 105;
inline constexpr int register_threads = 128;

template <class Real, bool InRegisters>
struct TensorTeam : GpuTeamOf<Real> {
  Real* results;  // from batch `first` on, [batch][entry][lane]
  Index first;
  bool accumulate;

  template <class F>
  __device__ void each(int count, const F& f) const {
    if constexpr (InRegisters) {
#pragma unroll
      for (int i = 0; i < count; ++i) f(i);
    } else {
      GpuTeamOf<Real>::each(count, f);
    }
  }
  __device__ void sync() const {
    if constexpr (!InRegisters) __syncthreads();
  }
  __device__ void store(const ElementArguments&, Index batch, int entry, int entries, Real value) const {
    Real& target = results[((batch - first) * entries + entry) * lane_count + this->lane];
    target = accumulate ? target + value : value;
  }
};

template <class Real>
struct RegisterMemory {
  Real* data;
  __device__ Real& at(int i) const { return data[i]; }
};

template <class Real>
__device__ Real* elements_of(const ElementArguments& arguments) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return arguments.single_elements;
  } else {
    return arguments.elements;
  }
}

// block = sums.chunk_batches batches of elements, `elements` of them at once; thread = (line, element), or element. With a target their results
// stay in shared memory, until the block sums them; without, they are stored.
template <class Real, Form F, int Order>
__global__ void __launch_bounds__(largest_block_threads) tensor_kernel(const __grid_constant__ F form, const __grid_constant__ ElementArguments arguments,
                                                                       int elements, const __grid_constant__ ChunkSums sums) {
  using Sh = TensorShape<F, Order, F::dimension>;
  const Index skipped = blockIdx.x * sums.chunk_batches, left = arguments.batch_count - skipped;
  const Index batches = left < sums.chunk_batches ? left : sums.chunk_batches, first = arguments.first_batch + skipped;
  Real* const scratch = reinterpret_cast<Real*>(block_scratch());
  Real* results = scratch + (in_registers<Sh> ? 0 : elements * Sh::scratch);
  if (sums.target == nullptr) results = elements_of<Real>(arguments) + skipped * Sh::points * Sh::C * lane_count;
  const int mine = static_cast<int>(threadIdx.x) % elements, rank = static_cast<int>(threadIdx.x) / elements, size = static_cast<int>(blockDim.x) / elements;
  for (Index e = mine; e < batches * lane_count; e += elements) {
    const TensorTeam<Real, in_registers<Sh>> team{{rank, size, static_cast<int>(e % lane_count)}, results, first, arguments.accumulate};
    if constexpr (in_registers<Sh>) {
      Real numbers[Sh::scratch];
      tensor_actions<F, Order, F::dimension>(team, RegisterMemory<Real>{numbers}, form, arguments, first + e / lane_count);
    } else {
      tensor_actions<F, Order, F::dimension>(team, GpuMemoryOf<Real>{scratch, elements, mine}, form, arguments, first + e / lane_count);
      __syncthreads();
    }
  }
  if (sums.target == nullptr) return;
  __syncthreads();
  sum_chunk<Sh::C>(sums.scatter, sums.first_chunk + blockIdx.x, results, static_cast<Real*>(sums.target), static_cast<Real*>(sums.extension),
                   Lanes{threadIdx.x, blockDim.x});
}

template <class Real, Form F, int Order>
void launch_tensor_actions(const Device& device, const ElementArguments& arguments) {
  using Sh = TensorShape<F, Order, F::dimension>;
  constexpr const char* name = "tensor actions";
  if (arguments.batch_count == 0) return;
  ChunkSums sums{};
  sums.chunk_batches = in_registers<Sh> ? register_threads / lane_count : 1;
  if (arguments.sums != nullptr) sums = *arguments.sums;
  const int results = sums.target != nullptr ? static_cast<int>(sums.chunk_batches) * lane_count * Sh::points * Sh::C * static_cast<int>(sizeof(Real)) : 0;
  constexpr Index warp = 32;
  const int threads = static_cast<int>(std::min<Index>(register_threads, (sums.chunk_batches * lane_count + warp - 1) / warp * warp));
  BlockShape block{threads, threads, results};
  if constexpr (!in_registers<Sh>) block = block_for(device, Sh::scratch * static_cast<int>(sizeof(Real)), Sh::lines, name, results);
  start_blocks(device, name, (arguments.batch_count + sums.chunk_batches - 1) / sums.chunk_batches, block, tensor_kernel<Real, F, Order>, form_of<F>(arguments),
               arguments, block.elements, sums);
}
template <Form F, int Order>
void run_tensor_actions(const Device& device, const ElementArguments& arguments) {
  launch_tensor_actions<double, F, Order>(device, arguments);
}
template <Form F, int Order>
void run_single_tensor_actions(const Device& device, const ElementArguments& arguments) {
  launch_tensor_actions<float, F, Order>(device, arguments);
}
#else
template <Form F, int Order>
[[gnu::flatten]] void run_tensor_actions(const Device&, const ElementArguments& arguments) {
  using Sh = TensorShape<F, Order, F::dimension>;
  const F form = *static_cast<const F*>(arguments.form);
  alignas(64) Pack scratch[Sh::scratch];
  const int corners = arguments.point_geometry == nullptr ? Sh::corners : 0;
  for (Index i = 0; i < arguments.batch_count; ++i) {
    prefetch_lists(arguments, arguments.first_batch + i + 1, Sh::points, corners);
    tensor_actions<F, Order, F::dimension>(CpuTeam{}, CpuMemory{scratch}, form, arguments, arguments.first_batch + i);
  }
}

template <Form F, int Order>
[[gnu::flatten]] void run_single_tensor_actions(const Device&, const ElementArguments& arguments) {
  using Sh = TensorShape<F, Order, F::dimension>;
  const F form = *static_cast<const F*>(arguments.form);
  alignas(64) SinglePack scratch[Sh::scratch];
  const SingleCpuTeam team{arguments.first_batch + arguments.batch_count};
  const int corners = arguments.point_geometry == nullptr ? Sh::corners : 0;
  for (Index i = arguments.first_batch; i < team.batches; i += 2) {
    for (int next = 2; next < 4; ++next) prefetch_lists(arguments, i + next, Sh::points, corners);
    tensor_actions<F, Order, F::dimension>(team, SingleCpuMemory{scratch}, form, arguments, i);
  }
}
#endif

template <Form F, int... Orders>
struct RegisterTensor {
  RegisterTensor() {
    (register_kernels(RITZ_TEXT(RITZ_BACKEND), tensor_kernel_name(F::name, Orders, F::dimension).c_str(), &table<Orders>()), ...);
  }

 private:
  template <int Order>
  static const FormKernels& table() {
    static FormKernels t{nullptr, nullptr, nullptr, run_tensor_actions<F, Order>, nullptr, run_single_tensor_actions<F, Order>};
#ifdef __CUDACC__
    t.sums_chunks = true;
#endif
    return t;
  }
};

template <Form F>
using RegisterAllTensors = RegisterTensor<F, 1, 2, 3, 4, 5, 6, 7, 8>;

}  // namespace ritz::RITZ_BACKEND
