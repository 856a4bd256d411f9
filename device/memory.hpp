// The pool that every allocation on a device goes through. Blocks are tagged ("matrix", "vectors"), counted, and
// kept for reuse; when the machine is short of memory the cache is given back before anything fails.
// Reuse is safe without synchronisation because one device has one stream.
#pragma once

#include "device/machine.hpp"

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace ritz {

struct MemoryStatistics {
  Index live = 0, peak = 0;          // [bytes] handed out now, and at most so far
  Index cached = 0;                  // [bytes] kept for reuse
  Index raw_allocations = 0;         // calls that reached the machine
  std::map<std::string, Index> live_by_tag, peak_by_tag;
};

class MemoryPool {
 public:
  explicit MemoryPool(Machine& machine) : machine_(machine) {}
  MemoryPool(const MemoryPool&) = delete;
  ~MemoryPool();

  // At least `bytes` bytes, aligned to 256. Throws Error(Exit::resources) with the table of tags when neither the
  // cache nor the machine has them.
  void* allocate(Index bytes, const char* tag);
  void release(void* memory) noexcept;
  void trim() noexcept;                          // gives the cache back to the machine
  void set_limit(Index bytes) { limit_ = bytes; }  // live + cached never exceed it; 0: no limit
  MemoryStatistics statistics() const;
  void reset_peak();

 private:
  struct Block {
    Index bytes;
    const char* tag;
  };
  void* raw_allocate(Index bytes);
  [[noreturn]] void throw_out_of_memory(Index bytes, const char* tag) const;

  Machine& machine_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  std::multimap<Index, void*> cache_;
  MemoryStatistics statistics_;
  Index limit_ = 0;
};

}  // namespace ritz
