// Algorithms of Thrust and CUB as work of a stream of the emulated GPU. Included before device_code.hpp, as they must
// not see __CUDACC__.
#pragma once

#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#include "tests/cuda_emulator/memory.hpp"

#include <cub/util_type.cuh>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
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

namespace cub {
// Orders by the bits from `begin` to `end` alone, into the buffers that are not current.
struct DeviceRadixSort {
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* scratch, std::size_t& scratch_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, Count count, int begin, int end, cudaStream_t stream) {
    constexpr std::size_t needed = 256;
    if (scratch == nullptr) return scratch_bytes = needed, cudaSuccess;
    if (scratch_bytes < needed || begin < 0 || end <= begin) return cudaErrorInvalidValue;
    const Key *const from = keys.Current(),
                     mask = end - begin == 8 * sizeof(Key) ? ~Key{0} : (Key{1} << (end - begin)) - 1;
    Key* const to = keys.Alternate();
    const Value* const values_from = values.Current();
    Value* const values_to = values.Alternate();
    keys.selector ^= 1;
    values.selector ^= 1;
    return ritz::emulator::enqueue(stream, [=] {
      using ritz::emulator::Access, ritz::emulator::touch_items;
      touch_items(static_cast<const char*>(scratch), needed, Access::write);
      touch_items(from, count, Access::read);
      touch_items(values_from, count, Access::read);
      touch_items(to, count, Access::write);
      touch_items(values_to, count, Access::write);
      std::vector<std::pair<Key, Value>> pairs;
      for (Count i = 0; i < count; ++i) pairs.emplace_back(from[i], values_from[i]);
      std::ranges::stable_sort(pairs, {}, [=](const auto& pair) { return pair.first >> begin & mask; });
      for (Count i = 0; i < count; ++i) std::tie(to[i], values_to[i]) = pairs[static_cast<std::size_t>(i)];
    });
  }
};
}  // namespace cub
