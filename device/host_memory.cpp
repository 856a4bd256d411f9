#include "device/host_memory.hpp"

#include "device/huge_pages.hpp"

#include <algorithm>
#include <atomic>
#include <malloc.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/resource.h>
#include <vector>

namespace ritz {
namespace {

std::atomic<Index> live = 0, peak = 0, limit = 0, refused = 0, refused_beside = 0;

struct HostCaches {
  std::mutex mutex;
  std::vector<HostCache*> all;
};

HostCaches& host_caches() {
  static auto& caches = *new HostCaches;  // outlives devices of static storage
  return caches;
}

}  // namespace

HostCache::HostCache(std::function<void()> give_back) : give_back_(std::move(give_back)) {
  const std::lock_guard lock(host_caches().mutex);
  host_caches().all.push_back(this);
}

HostCache::~HostCache() {
  const std::lock_guard lock(host_caches().mutex);
  std::erase(host_caches().all, this);
}

bool give_back_host_caches() noexcept {
  const std::lock_guard lock(host_caches().mutex);
  const Index before = live;
  for (const HostCache* cache : host_caches().all) cache->give_back_();
  const bool kept = kept_pages() > 0;
  give_back_kept_pages(0);
  return kept || live < before;
}

void set_host_memory_limit(Index bytes) noexcept { limit = bytes; }
Index host_memory_limit() noexcept { return limit; }
Index host_memory_live() noexcept { return live; }
Index host_memory_peak_counted() noexcept { return peak; }

bool take_host_memory(Index bytes) noexcept {
  const Index bound = limit.load(std::memory_order_relaxed);
  const Index now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bound > 0 && now > bound) {
    live.fetch_sub(bytes, std::memory_order_relaxed);
    record_refusal(bytes);
    return false;
  }
  Index highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {}
  give_back_kept_pages(static_cast<std::size_t>(std::max<Index>(0, highest - now)));
  return true;
}

// A program that has let go of its arrays keeps no pages for the next ones either.
void give_host_memory(Index bytes) noexcept {
  const Index left = live.fetch_sub(bytes, std::memory_order_relaxed) - bytes;
  give_back_kept_pages(static_cast<std::size_t>(std::max<Index>(0, left)));
}

void record_refusal(Index bytes) noexcept {
  refused_beside = live.load();
  refused = bytes;
}
HostRefusal take_last_refusal() noexcept { return {refused.exchange(0), refused_beside.exchange(0)}; }

bool has_addresses_for(Index bytes) noexcept {
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return true;
  void* const room =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, static_cast<std::size_t>(bytes)) == 0;
}

void return_freed_host_memory() noexcept { malloc_trim(0); }
void return_large_blocks_at_once(Index from) noexcept { mallopt(M_MMAP_THRESHOLD, static_cast<int>(from)); }

}  // namespace ritz
