// Device memory of the emulated GPU, and who read and wrote which part of it.
#pragma once

#include "tests/cuda_emulator/emulator.hpp"

#include <optional>
#include <vector>

namespace ritz::emulator {

enum class Access { read, write };

void* allocate(std::size_t bytes, int device);  // filled with not-a-numbers, uninitialised; nullptr: no room
void release(void* memory, bool in_stream);     // at once; false addresses are reported
std::size_t memory_in_use(int device);
std::size_t memory_size();  // of each device

// Host code that touches device memory is killed, but for work of streams.
void open_memory();
void close_memory();

// ---- pinned.cpp: host memory that kernels may use, and whose copies are made when their turn in the stream comes ----

void pin(void* memory, std::size_t bytes);
bool unpin(void* memory);
bool is_pinned(const void* memory);
// A copy that waits in a stream. The host may not change what is copied from pinned memory until then, nor write to
// where a copy goes, which holds not-a-numbers until then, so that who reads it too early shows.
struct PinnedCopy;
std::shared_ptr<PinnedCopy> begin_copy_from(const void* pinned, std::size_t bytes);
std::shared_ptr<PinnedCopy> begin_copy_to(void* pinned, std::size_t bytes);
void end_copy(const PinnedCopy& copy);
void note_write_to_pinned(const void* memory, std::size_t bytes);  // by the device

// Work of a stream that is no kernel (a copy, a library's) touches these bytes, of any device.
void touch_range(const char* who, const void* memory, std::size_t bytes, Access access);

// Work that others must make possible first: what is behind it in the stream waits, too. It cannot be recorded.
cudaError_t enqueue_when(cudaStream_t stream, std::function<bool()> ready, Work work);
// Does what is possible now, until `enough`; false: what comes next is not ready.
bool advance(cudaStream_t stream, const std::function<bool()>& enough = {});

cudaStream_t default_stream();  // of the current device

bool is_dry();  // RITZ_EMULATED_GPU_DRY: copies, fills and kernels are checked and counted, but not done

// ---- order among streams ----

// For each stream, by its number, how much of its work is known to be over: vector clocks (Mattern, Virtual Time and
// Global States of Distributed Systems, 1989).
using Clock = std::vector<std::uint32_t>;
void join(Clock& clock, const Clock& other);
// Work of a stream begins: what touches memory from now on comes after that of `clock` only.
void begin_work(std::size_t stream, const Clock& clock);

// ---- accesses of kernels ----

struct Moment {  // of a thread, between two barriers of its block (epoch) or of its warp
  std::uint32_t block, thread, epoch, warp_epoch;
};
void begin_accesses(const Kernel& kernel, int device);
void begin_block_accesses(const void* scratch, std::size_t scratch_bytes, std::size_t asked_for);  // of shared memory
void begin_moment(const Moment& moment, const void* stack, std::size_t stack_bytes);
void end_moment();  // of the thread that changes places now

// For code whose accesses come without the sanitizer's calls (tests/ptx): moments that one comes back to, and accesses
// of the present one. Those that are strong (atomics, volatile, relaxed) race with those that are not.
std::uint32_t add_moment(const Moment& moment);
void resume_moment(std::uint32_t number);
void touch(const void* p, unsigned bytes, Access access, const void* instruction);
void touch_read_only(const void* p, unsigned bytes, const void* instruction);  // of what no kernel writes meanwhile
void touch_strongly(const void* p, unsigned bytes, Access access);
// Makes what the block wrote until a moment visible to blocks that acquire it, from that moment of theirs on.
void publish(std::uint32_t until);
void acquire(std::uint32_t from);
// Returns how much shared memory launches of a kernel may ask for; nothing: cudaFuncSetAttribute has not been called.
std::optional<std::size_t> allowed_shared(const void* function);

// ---- traffic.cpp: counted only when RITZ_EMULATED_GPU_TRAFFIC is set ----

void count_launch(const Kernel& kernel, unsigned blocks, unsigned threads);
void count_access(unsigned thread, const void* p, unsigned bytes, Access access, bool shared, const void* instruction);
void count_block();  // whose accesses are complete
void write_traffic();

void note_launch(const void* function);  // launched.cpp: only when RITZ_EMULATED_GPU_LAUNCHED is set

// ---- threads.cpp ----

// All blocks of a kernel, now.
void run_kernel(const cudaLaunchConfig_t& configuration, const Kernel& kernel, int device);

}  // namespace ritz::emulator
