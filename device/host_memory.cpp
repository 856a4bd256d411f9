#include "device/host_memory.hpp"

#include <atomic>
#include <malloc.h>

namespace ritz {
namespace {

std::atomic<Index> live = 0, peak = 0, limit = 0;

}  // namespace

void set_host_memory_limit(Index bytes) noexcept { limit = bytes; }
Index host_memory_limit() noexcept { return limit; }
Index host_memory_live() noexcept { return live; }
Index host_memory_peak_counted() noexcept { return peak; }

bool take_host_memory(Index bytes) noexcept {
  const Index bound = limit.load(std::memory_order_relaxed);
  const Index now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bound > 0 && now > bound) {
    live.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  Index highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {}
  return true;
}

void give_host_memory(Index bytes) noexcept { live.fetch_sub(bytes, std::memory_order_relaxed); }

void return_freed_host_memory() noexcept { malloc_trim(0); }
void return_large_blocks_at_once() noexcept { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

}  // namespace ritz
