// Counts the host memory of this process in large blocks, and limits it: arrays of CPU devices, containers where
// the program counts them (apps/run/counted_new.cpp), and allocations of libraries that are declared with a
// HostMemory.
#pragma once

#include "device/machine.hpp"

#include <functional>
#include <utility>

namespace ritz {

inline constexpr Index large_host_block = 64 << 10;  // [bytes] smaller ones are not counted

void set_host_memory_limit(Index bytes) noexcept;  // 0: none
Index host_memory_limit() noexcept;
Index host_memory_live() noexcept;
Index host_memory_peak_counted() noexcept;
// False, and nothing is taken, where this would pass the limit. The peak never does.
bool take_host_memory(Index bytes) noexcept;
void give_host_memory(Index bytes) noexcept;

// The last block that did not fit, and what was counted then; reading clears it. Zeros: none, or a small one.
struct HostRefusal {
  Index bytes = 0, live = 0;
};
void record_refusal(Index bytes) noexcept;
HostRefusal take_last_refusal() noexcept;

// Counts `bytes` as long as it lives; not taken() where the limit forbids it.
class HostMemory {
 public:
  HostMemory() = default;
  explicit HostMemory(Index bytes) : bytes_(bytes), taken_(take_host_memory(bytes)) {}
  HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }
  HostMemory& operator=(HostMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(taken_, other.taken_);
    return *this;
  }
  ~HostMemory() {
    if (taken_) give_host_memory(bytes_);
  }
  bool taken() const { return taken_; }

 private:
  Index bytes_ = 0;
  bool taken_ = false;
};

// Host memory that is kept for reuse and given back when another block does not fit. Any thread may call it, but not
// its owner.
class HostCache {
 public:
  using GiveBack = std::function<void()>;
  explicit HostCache(GiveBack give_back);
  HostCache(const HostCache&) = delete;
  ~HostCache();

 private:
  friend bool give_back_host_caches() noexcept;
  GiveBack give_back_;
};
bool give_back_host_caches() noexcept;  // false: there was nothing

// Whether so many bytes of addresses can be had, where they are limited (ulimit -v); else true.
bool has_addresses_for(Index bytes) noexcept;

// Returns freed memory to the system, before long work in little memory: the C library keeps freed blocks of up to 32
// MiB.
void return_freed_host_memory() noexcept;
// And at once from now on, blocks of at least so many bytes: for programs, at their start.
void return_large_blocks_at_once(Index from = 1 << 20) noexcept;

}  // namespace ritz
