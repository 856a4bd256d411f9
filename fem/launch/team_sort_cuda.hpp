// A team of threads sorts a few node numbers in its shared memory and keeps each once: a bitonic sort (Batcher,
// "Sorting networks and their applications", 1968), whose steps are the same for all data.
#pragma once

#include <cstdint>
#include <limits>

namespace ritz::RITZ_BACKEND {

inline constexpr std::int32_t no_node = std::numeric_limits<std::int32_t>::max();  // sorted after all nodes
inline constexpr int warp_capacity = 512, block_capacity = 8192;                   // powers of two

template <int Threads, int Capacity>
struct TeamMemory {
  std::int32_t item[Capacity];
  std::int32_t count[Threads];
};

// Threads: a warp, or the whole block. All threads of the team make the same calls.
template <int Threads, int Capacity>
class TeamSort {
 public:
  __device__ TeamSort(TeamMemory<Threads, Capacity>& memory, int lane) : memory_(memory), lane_(lane) {}

  __device__ std::int32_t& item(int k) { return memory_.item[k]; }

  // Items [0, count) have been written by any of the threads.
  __device__ void sort(int count) {
    const int size = size_for(count);
    for (int k = count + lane_; k < size; k += Threads) memory_.item[k] = no_node;
    for (int width = 2; width <= size; width *= 2)
      for (int step = width / 2; step > 0; step /= 2) {
        meet();
        for (int pair = lane_; pair < size / 2; pair += Threads) {
          const int low = 2 * pair - (pair & (step - 1)), high = low + step;
          const std::int32_t a = memory_.item[low], b = memory_.item[high];
          if ((a > b) == ((low & width) == 0) && a != b) {
            memory_.item[low] = b;
            memory_.item[high] = a;
          }
        }
      }
    meet();
    share_ = size / Threads;
    memory_.count[lane_] = count_of_share();
    meet();
  }
  __device__ int count_different() const { return before(Threads); }
  __device__ void write_different(std::int32_t* to) const {
    to += before(lane_);
    for (int k = lane_ * share_; k < (lane_ + 1) * share_; ++k)
      if (is_new(k)) *to++ = memory_.item[k];
  }

 private:
  __device__ static void meet() {
    if constexpr (Threads == 32) __syncwarp();
    else __syncthreads();
  }
  // Every thread has as many of the sorted items.
  __device__ static int size_for(int count) {
    int size = Threads;
    while (size < count) size *= 2;
    return size;
  }
  __device__ bool is_new(int k) const {
    return memory_.item[k] != no_node && (k == 0 || memory_.item[k] != memory_.item[k - 1]);
  }
  __device__ int count_of_share() const {
    int count = 0;
    for (int k = lane_ * share_; k < (lane_ + 1) * share_; ++k) count += is_new(k) ? 1 : 0;
    return count;
  }
  __device__ int before(int thread) const {
    int sum = 0;
    for (int t = 0; t < thread; ++t) sum += memory_.count[t];
    return sum;
  }

  TeamMemory<Threads, Capacity>& memory_;
  const int lane_;
  int share_ = 0;  // sorted items of a thread
};

}  // namespace ritz::RITZ_BACKEND
