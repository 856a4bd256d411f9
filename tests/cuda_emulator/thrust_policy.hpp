// Thrust's algorithms as work of a stream of the emulated GPU. Included before device_code.hpp, as Thrust must not see
// __CUDACC__.
#pragma once

#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#include "tests/cuda_emulator/memory.hpp"

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace ritz::emulator {

// Every algorithm takes and gives back working memory, as Thrust does.
template <class Memory>
struct StreamPolicy {
  Memory* memory;
  cudaStream_t stream;
  template <class Algorithm>
  void run(std::size_t scratch_bytes, const Algorithm& algorithm) const {
    char* const scratch = memory->allocate(static_cast<std::ptrdiff_t>(scratch_bytes));
    const cudaError_t status = enqueue(stream, [=] {
      touch_range("thrust", scratch, scratch_bytes, Access::write);
      algorithm();
    });
    if (status != cudaSuccess)
      throw thrust::system_error(static_cast<int>(status), thrust::generic_category(), "an algorithm");
    memory->deallocate(scratch, scratch_bytes);
  }
};

template <class T>
void touch_items(const T* first, std::ptrdiff_t count, Access access) {
  touch_range("thrust", first, sizeof(T) * static_cast<std::size_t>(count), access);
}

}  // namespace ritz::emulator

namespace thrust {
namespace cuda {
template <class Memory>
struct EmulatedPolicy {
  Memory* memory;
  ritz::emulator::StreamPolicy<Memory> on(cudaStream_t stream) const { return {memory, stream}; }
};
struct {
  template <class Memory>
  EmulatedPolicy<Memory> operator()(Memory& memory) const {
    return {&memory};
  }
} inline constexpr par_nosync;
}  // namespace cuda

using ritz::emulator::Access;
using ritz::emulator::touch_items;

template <class Memory, class In, class Out, class T>
void exclusive_scan(const ritz::emulator::StreamPolicy<Memory>& policy, const In* first, const In* last, Out* result,
                    T initial) {
  policy.run(64, [=] {
    touch_items(first, last - first, Access::read);
    touch_items(result, last - first, Access::write);
    thrust::exclusive_scan(thrust::seq, first, last, result, initial);
  });
}
template <class Memory, class T>
void sequence(const ritz::emulator::StreamPolicy<Memory>& policy, T* first, T* last) {
  policy.run(64, [=] {
    touch_items(first, last - first, Access::write);
    thrust::sequence(thrust::seq, first, last);
  });
}
template <class Memory, class Key, class Value>
void stable_sort_by_key(const ritz::emulator::StreamPolicy<Memory>& policy, Key* first, Key* last, Value* values) {
  policy.run(static_cast<std::size_t>(last - first) * (sizeof(Key) + sizeof(Value)) + 64, [=] {
    touch_items(first, last - first, Access::read);
    touch_items(values, last - first, Access::read);
    // Not Thrust's own for a CPU, which puts negative numbers of 32 bits behind all others (CCCL of CUDA 13.0).
    std::vector<std::pair<Key, Value>> pairs;
    for (std::ptrdiff_t i = 0; i < last - first; ++i) pairs.emplace_back(first[i], values[i]);
    std::ranges::stable_sort(pairs, {}, &std::pair<Key, Value>::first);
    for (std::size_t i = 0; i < pairs.size(); ++i) std::tie(first[i], values[i]) = pairs[i];
  });
}
template <class Memory, class Key, class Wanted, class Out>
void lower_bound(const ritz::emulator::StreamPolicy<Memory>& policy, const Key* first, const Key* last, Wanted wanted,
                 Wanted wanted_end, Out* result) {
  policy.run(64, [=] {
    touch_items(first, last - first, Access::read);
    touch_items(result, wanted_end - wanted, Access::write);
    thrust::lower_bound(thrust::seq, first, last, wanted, wanted_end, result);
  });
}
}  // namespace thrust
