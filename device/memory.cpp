#include "device/memory.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/lent_memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

namespace ritz {

double MemoryStatistics::fragmentation() const {
  const Index held = live + cached;
  return held > 0 ? 1 - double(requested) / double(held) : 0;
}

Index MemoryPool::block_size(Index bytes) {
  const Index step = bytes < (Index{1} << 20) ? 256 : (Index{64} << 10);
  return std::max<Index>(step, (bytes + step - 1) / step * step);
}

namespace {

std::string text_of(Index bytes) {
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", 1e-3 * double(bytes));
  return bytes < 10'000'000'000 ? fmt::format("{:.1f} MB", 1e-6 * double(bytes))
                                : fmt::format("{:.1f} GB", 1e-9 * double(bytes));
}

}  // namespace

std::string MemoryPool::table(const std::map<std::string, Index>& by_tag) {
  std::vector<std::pair<std::string, Index>> rows(by_tag.begin(), by_tag.end());
  std::erase_if(rows, [](const auto& row) { return row.second == 0; });
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const auto& row) { return row.second; });
  std::string text;
  for (const auto& [name, bytes] : rows) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, text_of(bytes));
  return text;
}

MemoryPool::~MemoryPool() {
  trim();
  for (const auto& [memory, block] : blocks_)
    if (block.bytes > 0) to_machine(memory, block.bytes);
}

thread_local LentMemory* LentMemory::now_ = nullptr;

LentMemory::LentMemory(const Device& device, void* memory, Index bytes)
    : pool_(&device.memory()), memory_(memory), bytes_(bytes) {
  if (device.machine().is_apart() || now_ != nullptr)
    throw Error(ErrorKind::internal, "memory of the host was lent to a device with its own, or twice at a time");
  now_ = this;
}

LentMemory::~LentMemory() { now_ = nullptr; }

bool LentMemory::was_taken() { return now_ != nullptr && now_->taken(); }

void* MemoryPool::allocate(Index bytes, const char* tag) {
  const std::lock_guard lock(mutex_);
  auto known = tags_.find(std::string_view(tag));
  if (known == tags_.end()) known = tags_.try_emplace(tag).first;
  if (LentMemory* const lent = LentMemory::now_;
      lent && lent->pool_ == this && lent->memory_ && lent->bytes_ == bytes) {
    ++blocks_.try_emplace(lent->memory_, Block{0, 0, &known->second}).first->second.requested;  // arrays over it
    return std::exchange(lent->memory_, nullptr);
  }
  const Index size = block_size(bytes);
  const auto fit = cache_.lower_bound(size);
  if (fit != cache_.end() && fit->first <= size + size / 4) {
    const auto [block_bytes, memory] = *fit;
    count(memory, {block_bytes, bytes, &known->second});
    cache_.erase(fit);
    cached_ -= block_bytes;
    return memory;
  }
  void* const memory = raw_allocate(size);
  if (memory == nullptr) throw_out_of_memory(bytes, tag);
  try {
    count(memory, {size, bytes, &known->second});
  } catch (...) {
    to_machine(memory, size);
    throw;
  }
  held_peak_ = std::max(held_peak_, live_ + cached_);
  return memory;
}

void MemoryPool::count(void* memory, const Block& block) {
  blocks_.emplace(memory, block);
  requested_ += block.requested;
  live_ += block.bytes;
  block.tag->live += block.bytes;
  block.tag->peak = std::max(block.tag->peak, block.tag->live);
  recent_peak_ = std::max(recent_peak_, live_);
  if (live_ <= peak_) return;
  peak_ = live_;
  for (auto& [name, each] : tags_) each.at_peak = each.live;
}

// The cache may fill up to the peak of live blocks, but never raises the peak of the pool. So the peak of the pool is
// that of live blocks, which can be forecast.
void* MemoryPool::raw_allocate(Index bytes) {
  if (limit_ > 0 && live_ + bytes > limit_) return nullptr;
  if (limit_ > 0 && live_ + cached_ + bytes > limit_) pressed_ += give_back(live_ + cached_ + bytes - limit_);
  const Index bound = std::max(peak_, live_ + bytes);
  const bool had_cache = cached_ > 0;
  if (live_ + cached_ + bytes > bound) give_back(live_ + cached_ + bytes - bound);
  ++raw_allocations_;
  if (void* memory = from_machine(bytes)) return memory;
  if (!had_cache) return nullptr;
  pressed_ += give_back(cached_);
  machine_.trim();
  ++raw_allocations_;
  return from_machine(bytes);
}

// The largest first: they are the hardest to use again.
Index MemoryPool::give_back(Index bytes) noexcept {
  Index given = 0;
  while (given < bytes && !cache_.empty()) {
    const auto last = std::prev(cache_.end());
    given += last->first;
    to_machine(last->second, last->first);
    cache_.erase(last);
  }
  cached_ -= given;
  return given;
}

void MemoryPool::throw_out_of_memory(Index bytes, const char* tag) const {
  std::map<std::string, Index> live;
  for (const auto& [name, each] : tags_) live[name] = each.live;
  const std::string allocated = table(live);
  std::string bound = limit_ > 0 ? fmt::format(" (limit {})", text_of(limit_)) : "";
  if (const Index host = host_memory_limit(); host > 0 && !machine_.is_apart())
    bound += fmt::format(" (of the host {} of {} are taken)", text_of(host_memory_live()), text_of(host));
  throw Error(ErrorKind::device_memory,
              fmt::format("out of {}memory on {}: {} for '{}' on top of {}{}", of_ == Of::pinned ? "pinned " : "",
                          machine_.info().name, text_of(block_size(bytes)), tag, text_of(live_), bound),
              allocated.empty() ? "nothing is allocated yet" : "allocated: " + allocated,
              fmt::format("{} a device with more memory, a coarser mesh or order 1, or an iterative solver",
                          limit_ > 0 ? "raise --memory-limit, or use" : "use"));
}

namespace {
// RITZ_REUSE_MEMORY=0: to the machine at once, for sanitizers and the emulated GPU, which know then that memory was
// freed, and that nobody has written what is allocated next.
bool reuses_memory() {
  static const bool reuses = environment("RITZ_REUSE_MEMORY") != "0";
  return reuses;
}
}  // namespace

void MemoryPool::release(void* memory) noexcept {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(memory);
  const Block block = found->second;
  if (block.bytes == 0 && --found->second.requested > 0) return;  // lent, and under another array
  blocks_.erase(found);
  if (block.bytes == 0) return;
  live_ -= block.bytes;
  requested_ -= block.requested;
  block.tag->live -= block.bytes;
  if (!reuses_memory()) return to_machine(memory, block.bytes);
  try {
    cache_.emplace(block.bytes, memory);
    cached_ += block.bytes;
  } catch (const std::bad_alloc&) {  // no room even to remember it
    to_machine(memory, block.bytes);
  }
}

void MemoryPool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  give_back(cached_);
  machine_.trim();
}

Index MemoryPool::available() const {
  const Index free = machine_.current_info().memory_free;
  const std::lock_guard lock(mutex_);
  // 0: the machine does not say
  const Index of_machine = free > 0 ? free + cached_ : std::numeric_limits<Index>::max();
  return limit_ > 0 ? std::min(limit_ - live_, of_machine) : of_machine;
}

MemoryStatistics MemoryPool::statistics() const {
  const std::lock_guard lock(mutex_);
  MemoryStatistics s;
  s.live = live_;
  s.peak = peak_;
  s.requested = requested_;
  s.cached = cached_;
  s.held_peak = held_peak_;
  s.limit = limit_;
  s.raw_allocations = raw_allocations_;
  s.pressed = pressed_;
  for (const auto& [name, each] : tags_) {
    s.live_by_tag[name] = each.live;
    s.peak_by_tag[name] = each.peak;
    if (each.at_peak > 0) s.at_peak_by_tag[name] = each.at_peak;
  }
  return s;
}

void MemoryPool::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = recent_peak_ = live_;
  held_peak_ = live_ + cached_;
  for (auto& [name, each] : tags_) each.peak = each.at_peak = each.live;
}

Index MemoryPool::live() const noexcept {
  const std::lock_guard lock(mutex_);
  return live_;
}

void MemoryPool::record_recent_peak(Index peak) noexcept {
  const std::lock_guard lock(mutex_);
  recent_peak_ = std::max(recent_peak_, peak);
}

Index MemoryPool::take_recent_peak() noexcept {
  const std::lock_guard lock(mutex_);
  const Index peak = recent_peak_;
  recent_peak_ = live_;
  return peak;
}

}  // namespace ritz
