// Running sums and groups on a GPU, by Thrust and CUB, whose working memory comes from the device's pool like all
// other. One file of a module, as Thrust's headers alone take longer to compile than the kernels of most others.
#include "device/scan.hpp"
#include "device/sort_cuda.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/system_error.h>

namespace ritz::RITZ_BACKEND {

// Reuse is in the order of the stream, so nothing waits for a sort to be done.
struct ThrustMemory {
  using value_type = char;
  const Device* device;
  char* allocate(std::ptrdiff_t bytes) {
    return static_cast<char*>(device->memory().allocate(bytes, "multigrid set-up"));
  }
  void deallocate(char* memory, std::size_t) { device->memory().release(memory); }
};

// Reports a fault of the GPU that Thrust meets first like any other.
template <class Algorithms>
void run_thrust(const Algorithms& algorithms) {
  try {
    algorithms();
  } catch (const thrust::system_error& error) {
    cudaGetLastError();
    launch_check(error.code().value() != cudaSuccess ? static_cast<cudaError_t>(error.code().value())
                                                     : cudaErrorUnknown);
  }
}

struct LastOffset {
  const std::int32_t* counts;
  Index n;
  Index* offsets;
  constexpr void operator()(Index) const { offsets[n] = n > 0 ? offsets[n - 1] + counts[n - 1] : 0; }
};

// Keys below 0 are sorted after those of all groups.
struct Ungrouped {
  const std::int32_t* keys;
  std::uint32_t groups;
  std::uint32_t* group;
  Index* member;
  constexpr void operator()(Index i) const {
    group[i] = keys[i] < 0 ? groups : static_cast<std::uint32_t>(keys[i]);
    member[i] = i;
  }
};

void exclusive_scan(const Device& device, const std::int32_t* counts, Index n, Index* offsets) {
  {
    const LaunchScope launch(device, "scan");
    ThrustMemory memory{&device};
    run_thrust([&] {
      thrust::exclusive_scan(thrust::cuda::par_nosync(memory).on(stream_of(device)), counts, counts + n, offsets,
                             Index{0});
    });
  }
  for_each(device, "scan end", 1, LastOffset{counts, n, offsets});
}

// A stable sort by the low `bits` of the keys, eight of them in each pass; to which buffers, Current() tells.
template <class Key, class Value>
void sort_pairs(const Device& device, const char* name, cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values,
                Index n, int bits) {
  std::size_t bytes = 0;
  launch_check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, n, 0, bits, stream_of(device)));
  Array<char> working_memory(device, static_cast<Index>(bytes), "multigrid set-up");
  const LaunchScope launch(device, name);
  launch_check(
      cub::DeviceRadixSort::SortPairs(working_memory.data(), bytes, keys, values, n, 0, bits, stream_of(device)));
}

template <class T>
void return_to(const Device& device, T* place, cub::DoubleBuffer<T>& buffers, Index n) {
  if (buffers.Current() != place) device.machine().copy_on_device(place, buffers.Current(), n * Index{sizeof(T)});
}

// By as many bits as the number of groups has.
void group_by(const Device& device, const std::int32_t* keys, Index n, Index groups, Index* offsets, Index* members) {
  Array<std::uint32_t> group(device, 2 * n, "multigrid set-up");
  Array<Index> other(device, n, "multigrid set-up");
  for_each(device, "group by", n, Ungrouped{keys, static_cast<std::uint32_t>(groups), group.data(), members});
  cub::DoubleBuffer<std::uint32_t> sorted(group.data(), group.data() + n);
  cub::DoubleBuffer<Index> by_group(members, other.data());
  sort_pairs(device, "group by", sorted, by_group, n,
             std::max<int>(std::bit_width(static_cast<std::uint32_t>(groups)), 1));
  return_to(device, members, by_group, n);
  const LaunchScope launch(device, "group by");
  ThrustMemory memory{&device};
  run_thrust([&] {
    const thrust::counting_iterator<std::uint32_t> first(0);
    thrust::lower_bound(thrust::cuda::par_nosync(memory).on(stream_of(device)), sorted.Current(), sorted.Current() + n,
                        first, first + groups + 1, offsets);
  });
}

void sort_by_key(const Device& device, std::uint64_t* keys, std::uint32_t* values, Index n) {
  if (n == 0) return;
  Array<std::uint64_t> other_keys(device, n, "assembly lists");
  Array<std::uint32_t> other_values(device, n, "assembly lists");
  cub::DoubleBuffer<std::uint64_t> by_key(keys, other_keys.data());
  cub::DoubleBuffer<std::uint32_t> of_keys(values, other_values.data());
  sort_pairs(device, "sort", by_key, of_keys, n, 64);
  return_to(device, keys, by_key, n);
  return_to(device, values, of_keys, n);
}

}  // namespace ritz::RITZ_BACKEND
