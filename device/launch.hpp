// The parallel verbs of kernel sources (files given to ritz_kernels()): for_each and reduce, over indices, on the
// device. The functor is a namespace-scope struct of plain numbers and pointers with a constexpr call operator; it is
// compiled for the CPU back ends and for CUDA from the same text.
//
//   for_each(device, "axpy", n, Axpy{a, x, y});            // calls f(i) once for every i in [0, n)
//   reduce<2>(device, "dots", n, Dots{x, y}, result);      // result[k] = sum over i of f(i)[k], in a fixed order
//
// reduce adds blocks of entries and then the blocks, so the sum depends on n only: not on threads. On a CPU a block has
// reduction_block entries; on a GPU as many as make at most most_blocks (launch_cuda.hpp).
#pragma once

#include "device/device.hpp"

namespace ritz {

inline constexpr Index reduction_block = 4096;

template <int K>
struct Sums {
  double value[K] = {};
  constexpr void add(const Sums& other) {
    for (int k = 0; k < K; ++k) value[k] += other.value[k];
  }
};

// Opens and closes a launch on the machine, whatever happens inside.
class LaunchScope {
 public:
  LaunchScope(const Device& device, const char* name) : machine_(device.machine()) { machine_.begin_launch(name); }
  ~LaunchScope() noexcept(false) { machine_.end_launch(); }
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

 private:
  Machine& machine_;
};

}  // namespace ritz

#ifdef __CUDACC__
#include "device/launch_cuda.hpp"
#else
#include "device/launch_cpu.hpp"
#endif
