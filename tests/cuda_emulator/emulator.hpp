// A GPU that is a program: threads of a block are fibers that change places at barriers and shuffles only, in an order
// that differs from block to block; work in a stream is done when somebody waits for it, not before. README.md says
// what it checks.
#pragma once

#include <cstdint>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>

namespace ritz::emulator {

// ---- inside a kernel ----

bool in_kernel() noexcept;
unsigned thread_index() noexcept;
unsigned block_index() noexcept;
unsigned block_size() noexcept;
unsigned grid_size() noexcept;
void barrier();
void warp_barrier();  // of all 32 lanes
// A fence and an increment behind it release what the block wrote before; an increment and a fence behind it acquire
// what others released before that.
void fence();
unsigned increment(unsigned* number, unsigned last);  // from `last` to zero
std::uint64_t shuffle_down(unsigned mask, std::uint64_t value, unsigned distance, int width);
std::uint64_t shuffle(unsigned mask, std::uint64_t value, int lane);  // that of one lane
unsigned ballot(unsigned mask, bool vote);                            // a bit for each lane

// ---- work in streams ----

using Work = std::function<void()>;
inline constexpr int second_level_cache = 50 << 20;          // [bytes] of an H200
inline constexpr std::size_t most_shared_bytes = 227 << 10;  // of a block, as on compute capability 9.0

struct Kernel {
  const char* name;
  const void* function;
  void* (*scratch)();  // the shared memory whose size the launch says
  void (*thread)(const void* arguments);
  std::shared_ptr<const void> arguments;
  std::size_t argument_bytes;
  // Runs all blocks instead of threads.cpp: nvcc's code, for one (tests/ptx).
  void (*run)(const cudaLaunchConfig_t& configuration, const Kernel& kernel, int device) = nullptr;
};
cudaError_t launch(const cudaLaunchConfig_t& configuration, const Kernel& kernel);
cudaError_t enqueue(cudaStream_t stream, Work work);  // into the graph, when one is being recorded

// ---- devices: as many as RITZ_EMULATED_GPUS says (1) ----

int device_count();
int current_device() noexcept;  // of this thread of the host
std::size_t shared_limit();     // of a block [bytes]: RITZ_EMULATED_GPU_SHARED, in KB, or most_shared_bytes

// ---- faults ----

// Says on stderr what a kernel did wrong. From now on every call of the runtime fails, as after a fault of a real GPU.
void report(const std::string& kind, const std::string& fault);
bool has_fault();

}  // namespace ritz::emulator
