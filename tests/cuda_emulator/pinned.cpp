#include "tests/cuda_emulator/memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <list>
#include <map>
#include <string_view>

namespace ritz::emulator {

struct PinnedCopy {
  const char* first;
  std::size_t bytes, hash;
  bool is_from_host;
  bool may_change = false;  // by other work of streams
};

namespace {

std::map<std::uintptr_t, std::size_t>& ranges() {
  static auto& instance = *new std::map<std::uintptr_t, std::size_t>;
  return instance;
}
std::list<std::weak_ptr<PinnedCopy>>& waiting() {
  static auto& instance = *new std::list<std::weak_ptr<PinnedCopy>>;
  return instance;
}

std::size_t hash_of(const char* first, std::size_t bytes) {
  return std::hash<std::string_view>()(std::string_view(first, bytes));
}

template <class F>
void for_waiting(const char* first, std::size_t bytes, const F& f) {
  std::erase_if(waiting(), [](const auto& copy) { return copy.expired(); });
  for (const auto& each : waiting())
    if (const auto copy = each.lock(); copy->first < first + bytes && first < copy->first + copy->bytes) f(*copy);
}

std::shared_ptr<PinnedCopy> begin(const void* pinned, std::size_t bytes, bool is_from_host) {
  const auto* const first = static_cast<const char*>(pinned);
  auto copy = std::make_shared<PinnedCopy>(first, bytes, hash_of(first, bytes), is_from_host);
  // An earlier copy to here may come in between.
  for_waiting(first, bytes, [&](const PinnedCopy& earlier) { copy->may_change |= !earlier.is_from_host; });
  waiting().push_back(copy);
  return copy;
}

}  // namespace

void pin(void* memory, std::size_t bytes) { ranges()[reinterpret_cast<std::uintptr_t>(memory)] = bytes; }
bool unpin(void* memory) { return ranges().erase(reinterpret_cast<std::uintptr_t>(memory)) == 1; }
bool is_pinned(const void* memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  auto next = ranges().upper_bound(at);
  if (next == ranges().begin()) return false;
  --next;
  return at < next->first + next->second;
}

std::shared_ptr<PinnedCopy> begin_copy_from(const void* pinned, std::size_t bytes) {
  return begin(pinned, bytes, true);
}

std::shared_ptr<PinnedCopy> begin_copy_to(void* pinned, std::size_t bytes) {
  bool is_free = true;
  for_waiting(static_cast<const char*>(pinned), bytes, [&](const PinnedCopy& copy) { is_free &= !copy.is_from_host; });
  if (is_free) std::memset(pinned, 0xff, bytes);
  return begin(pinned, bytes, false);
}

void end_copy(const PinnedCopy& copy) {
  if (copy.may_change || hash_of(copy.first, copy.bytes) == copy.hash) return;
  report("pinned", fmt::format("the host has changed some of {} bytes at {} before the copy {} there was made",
                               copy.bytes, static_cast<const void*>(copy.first), copy.is_from_host ? "from" : "to"));
}

void note_write_to_pinned(const void* memory, std::size_t bytes) {
  for_waiting(static_cast<const char*>(memory), bytes, [](PinnedCopy& copy) { copy.may_change = true; });
}

}  // namespace ritz::emulator
