#include "device/memory.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Small blocks in steps of 256 bytes, large ones in steps of 2 MiB (a huge page): a freed block fits again.
Index rounded(Index bytes) {
  const Index step = bytes < (Index{1} << 20) ? 256 : (Index{2} << 20);
  return std::max<Index>(step, (bytes + step - 1) / step * step);
}

}  // namespace

MemoryPool::~MemoryPool() {
  trim();
  for (const auto& [memory, block] : blocks_) machine_.free(memory);
}

void* MemoryPool::allocate(Index bytes, const char* tag) {
  const std::lock_guard lock(mutex_);
  const Index size = rounded(bytes);
  void* memory = nullptr;
  Index block_size = size;
  const auto fit = cache_.lower_bound(size);
  if (fit != cache_.end() && fit->first <= size + size / 4) {
    block_size = fit->first;
    memory = fit->second;
    cache_.erase(fit);
    statistics_.cached -= block_size;
  } else {
    memory = raw_allocate(size);
    if (memory == nullptr) throw_out_of_memory(bytes, tag);
  }
  blocks_[memory] = {block_size, tag};
  statistics_.live += block_size;
  statistics_.peak = std::max(statistics_.peak, statistics_.live);
  Index& of_tag = statistics_.live_by_tag[tag];
  of_tag += block_size;
  statistics_.peak_by_tag[tag] = std::max(statistics_.peak_by_tag[tag], of_tag);
  return memory;
}

void* MemoryPool::raw_allocate(Index bytes) {
  // What is cached in sizes that nobody asks for any more must not pile up: at most 64 MB and a quarter of the most that was
  // in use.
  const auto free_cache = [&] {
    for (const auto& [size, memory] : cache_) machine_.free(memory);
    cache_.clear();
    statistics_.cached = 0;
  };
  const Index in_use = statistics_.live + bytes;
  if (in_use + statistics_.cached > std::max(statistics_.peak, in_use) / 4 * 5 + (Index{64} << 20)) free_cache();
  const auto fits = [&] { return limit_ == 0 || statistics_.live + statistics_.cached + bytes <= limit_; };
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (fits()) {
      ++statistics_.raw_allocations;
      if (void* memory = machine_.allocate(bytes)) return memory;
    }
    if (cache_.empty()) break;
    free_cache();
  }
  return nullptr;
}

void MemoryPool::throw_out_of_memory(Index bytes, const char* tag) const {
  std::string table;
  for (const auto& [name, live] : statistics_.live_by_tag)
    if (live > 0) table += fmt::format("{}{} {:.1f} MB", table.empty() ? "" : ", ", name, 1e-6 * double(live));
  const std::string bound = limit_ > 0 ? fmt::format(" (limit {:.1f} MB)", 1e-6 * double(limit_)) : "";
  throw Error(Exit::resources,
              fmt::format("out of memory on {}: {:.1f} MB for '{}' on top of {:.1f} MB{}", machine_.info().name,
                          1e-6 * double(bytes), tag, 1e-6 * double(statistics_.live), bound),
              table.empty() ? "nothing is allocated yet" : "allocated: " + table,
              "use a device with more memory, a coarser mesh or order 1, or an iterative solver");
}

void MemoryPool::release(void* memory) noexcept {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(memory);
  statistics_.live -= found->second.bytes;
  statistics_.live_by_tag[found->second.tag] -= found->second.bytes;
  statistics_.cached += found->second.bytes;
  cache_.emplace(found->second.bytes, memory);
  blocks_.erase(found);
}

void MemoryPool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [size, memory] : cache_) machine_.free(memory);
  cache_.clear();
  statistics_.cached = 0;
}

MemoryStatistics MemoryPool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

void MemoryPool::reset_peak() {
  const std::lock_guard lock(mutex_);
  statistics_.peak = statistics_.live;
  statistics_.peak_by_tag = statistics_.live_by_tag;
}

}  // namespace ritz
