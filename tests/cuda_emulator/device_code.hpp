// Lets g++ compile CUDA sources for the emulated GPU (README.md): included before all else, in place of nvcc's own
// words.
#pragma once

#include "tests/cuda_emulator/emulator.hpp"

#ifdef RITZ_FIRST
#include RITZ_FIRST
#endif
#define __DEVICE_LAUNCH_PARAMETERS_H__  // threadIdx and its like are below
#include <bit>
#include <cuda_runtime.h>
#include <memory>
#include <tuple>

#define __CUDACC__ 13
#undef __shared__
#define __shared__ thread_local  // blocks run one after the other, all in one thread of the host
#undef __launch_bounds__
#define __launch_bounds__(threads)  // of a kernel's registers, of which there are none here
#ifndef __grid_constant__
#define __grid_constant__
#endif

// Grids and blocks of Ritz have one dimension.
template <unsigned (*Value)() noexcept>
struct EmulatedIndex {
  struct Number {
    operator unsigned() const noexcept { return Value(); }
  } x;
};
inline constexpr EmulatedIndex<ritz::emulator::thread_index> threadIdx{};
inline constexpr EmulatedIndex<ritz::emulator::block_index> blockIdx{};
inline constexpr EmulatedIndex<ritz::emulator::block_size> blockDim{};
inline constexpr EmulatedIndex<ritz::emulator::grid_size> gridDim{};

inline void __syncthreads() { ritz::emulator::barrier(); }
inline void __syncwarp() { ritz::emulator::warp_barrier(); }
inline void __threadfence() { ritz::emulator::fence(); }
inline unsigned atomicInc(unsigned* number, unsigned last) { return ritz::emulator::increment(number, last); }

inline int __ffs(int bits) { return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1; }

namespace ritz::emulator {
template <class T, class Exchange>
T exchanged(T value, const Exchange& exchange) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = exchange(bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
}  // namespace ritz::emulator
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  return ritz::emulator::exchanged(
      value, [=](std::uint64_t bits) { return ritz::emulator::shuffle_down(mask, bits, distance, width); });
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return ritz::emulator::exchanged(value,
                                   [=](std::uint64_t bits) { return ritz::emulator::shuffle(mask, bits, lane); });
}
inline unsigned __ballot_sync(unsigned mask, bool vote) { return ritz::emulator::ballot(mask, vote); }

// Same declaration as in device/launch_cuda.hpp; shared_memory.cpp defines it, once in each module.
namespace ritz::cuda {
extern thread_local double scratch[];
}

namespace ritz::emulator {
template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(const cudaLaunchConfig_t* configuration, void (*kernel)(Parameters...),
                          Arguments&&... arguments) {
  using Call = std::tuple<void (*)(Parameters...), std::remove_cvref_t<Parameters>...>;
  const auto call = std::make_shared<const Call>(kernel, arguments...);
  const auto thread = [](const void* all) {
    std::apply([](auto* function, const auto&... given) { function(given...); }, *static_cast<const Call*>(all));
  };
  return launch(*configuration,
                Kernel{__PRETTY_FUNCTION__, reinterpret_cast<const void*>(kernel),
                       [] { return static_cast<void*>(ritz::cuda::scratch); }, thread, call, sizeof(Call)});
}
}  // namespace ritz::emulator
#define cudaLaunchKernelEx ritz::emulator::launch_kernel

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
