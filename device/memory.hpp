// The pool that every allocation on a device goes through. Blocks are tagged ("matrix", "vectors"), counted, and
// kept for reuse; when the machine or the budget is short of memory the cache is given back before anything fails.
// Reuse is safe without synchronisation because one device has one stream.
//
//   device.memory().set_limit(6'000'000'000);   device.memory().statistics().peak
#pragma once

#include "device/machine.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ritz {

// Bytes are those of whole blocks (MemoryPool::block_size), which is what the machine has to give.
struct MemoryStatistics {
  Index live = 0, peak = 0;   // handed out now, and at most so far
  Index requested = 0;        // part of live that callers requested; the rest is rounding
  Index cached = 0;           // kept for reuse
  Index held_peak = 0;        // live + cached at most so far: never above the limit
  Index limit = 0;            // 0: none
  Index raw_allocations = 0;  // calls that reached the machine
  Index pressed = 0;          // cache given back because another block did not fit
  std::map<std::string, Index> live_by_tag, peak_by_tag;
  std::map<std::string, Index> at_peak_by_tag;  // when the sum was at its peak: these add up to it

  double fragmentation() const;  // fraction of held memory that is rounding and cache
};

class MemoryPool {
 public:
  enum class Of { device, pinned };  // memory: the device's, or pinned host memory for copies to and from it
  explicit MemoryPool(Machine& machine, Of of = Of::device) : machine_(machine), of_(of) {}
  MemoryPool(const MemoryPool&) = delete;
  ~MemoryPool();

  // At least `bytes` bytes, aligned to 256. Throws Error: Exit::resources with the table of tags when neither the
  // cache nor the machine has them. `tag`: of static storage.
  void* allocate(Index bytes, const char* tag);
  void release(void* memory) noexcept;
  void trim() noexcept;                            // gives the cache back to the machine
  void set_limit(Index bytes) { limit_ = bytes; }  // live + cached never exceed it; 0: no limit
  Index limit() const { return limit_; }
  // Bytes that can still be handed out: the cache, and free memory up to the limit or to what the machine reports.
  Index available() const;
  MemoryStatistics statistics() const;
  void reset_peak();
  Index live() const noexcept;
  // Peak of live since the last call, at least live as it is now; for phases, which hand on what those inside have
  // seen.
  Index take_recent_peak() noexcept;
  void record_recent_peak(Index peak) noexcept;

  // Size of a request in the pool: multiples of 256 bytes, from 1 MiB on of 64 KiB, so that a freed block fits again. A
  // block from the cache may be up to a quarter larger.
  static Index block_size(Index bytes);
  // "matrix 12.0 MB, vectors 3.1 MB", the largest first.
  static std::string table(const std::map<std::string, Index>& by_tag);

 private:
  struct Tag {
    Index live = 0, peak = 0, at_peak = 0;
  };
  struct Block {
    Index bytes, requested;
    Tag* tag;
  };
  void* from_machine(Index bytes) {
    return of_ == Of::device ? machine_.allocate(bytes) : machine_.allocate_pinned(bytes);
  }
  void to_machine(void* memory, Index bytes) noexcept {
    of_ == Of::device ? machine_.free(memory) : machine_.free_pinned(memory, bytes);
  }
  void* raw_allocate(Index bytes);
  Index give_back(Index bytes) noexcept;  // at least so many of the cache, or all of it; returns how many
  void count(void* memory, const Block& block);
  [[noreturn]] void throw_out_of_memory(Index bytes, const char* tag) const;

  Machine& machine_;
  Of of_;
  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
  std::multimap<Index, void*> cache_;
  std::map<std::string, Tag, std::less<>> tags_;
  Index live_ = 0, peak_ = 0, recent_peak_ = 0, requested_ = 0, cached_ = 0, held_peak_ = 0, raw_allocations_ = 0,
        pressed_ = 0;
  Index limit_ = 0;
};

}  // namespace ritz
