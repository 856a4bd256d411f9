// Running sums and groups on a GPU, by Thrust, whose working memory comes from the device's pool like all other. One
// file of a module, as Thrust's headers alone take longer to compile than the kernels of most others.
#include "device/scan.hpp"
#include "device/sort_cuda.hpp"

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
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

struct Shift {
  Index* offsets;
  Index by;
  constexpr void operator()(Index i) const { offsets[i] -= by; }
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

void group_by(const Device& device, const std::int32_t* keys, Index n, Index groups, Index* offsets, Index* members) {
  Array<std::int32_t> sorted(device, n, "multigrid set-up");
  const LaunchScope launch(device, "group by");
  ThrustMemory memory{&device};
  const auto policy = thrust::cuda::par_nosync(memory).on(stream_of(device));
  device.machine().copy_on_device(sorted.data(), keys, n * Index{sizeof(std::int32_t)});
  run_thrust([&] {
    thrust::sequence(policy, members, members + n);
    thrust::stable_sort_by_key(policy, sorted.data(), sorted.data() + n, members);
    // Keys below 0 come first; they are cut off by shifting the members.
    const thrust::counting_iterator<std::int32_t> first(0);
    thrust::lower_bound(policy, sorted.data(), sorted.data() + n, first, first + groups + 1, offsets);
  });
  Index skipped = 0;
  device.machine().copy_to_host(&skipped, offsets, Index{sizeof(Index)});
  if (skipped == 0) return;
  Array<Index> kept(device, n - skipped, "multigrid set-up");
  device.machine().copy_on_device(kept.data(), members + skipped, (n - skipped) * Index{sizeof(Index)});
  device.machine().copy_on_device(members, kept.data(), (n - skipped) * Index{sizeof(Index)});
  for_each(device, "group by end", groups + 1, Shift{offsets, skipped});
}

void sort_by_key(const Device& device, std::uint64_t* keys, std::uint32_t* values, Index n) {
  const LaunchScope launch(device, "sort");
  ThrustMemory memory{&device};
  run_thrust([&] {
    thrust::stable_sort_by_key(thrust::cuda::par_nosync(memory).on(stream_of(device)), keys, keys + n, values);
  });
}

}  // namespace ritz::RITZ_BACKEND
