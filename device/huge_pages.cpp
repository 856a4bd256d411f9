#include "device/huge_pages.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace ritz {
namespace {

constexpr std::size_t largest_page = std::size_t{64} << 10;  // of systems by default

std::size_t whole_pages(std::size_t bytes) { return bytes / huge_page * huge_page; }

char* map_anew(void* place, std::size_t bytes, int flags) noexcept {
  void* const memory = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// Kept pages, linked through their first bytes. Nothing here allocates.
class KeptPages {
 public:
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  void keep(void* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    first_ = new (begin) Span{first_, bytes};
    bytes_ += bytes;
  }
  void give_back(std::size_t beyond) {
    const std::lock_guard lock(mutex_);
    while (bytes() > beyond) {
      char* const page = take_page();
      munmap(page, huge_page);
    }
  }
  // Moves pages under [begin, begin + bytes), one by one: each is sure to be of one mapping, so that moving it does not
  // fail but for want of room. False where a hole is left, which others have filled.
  bool move_under(char* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (char* target = begin; target < begin + bytes && first_ != nullptr; target += huge_page) {
      char* const page = take_page();
      if (mremap(page, huge_page, huge_page, MREMAP_MAYMOVE | MREMAP_FIXED, target) != MAP_FAILED) continue;
      munmap(page, huge_page);
      return map_anew(target, huge_page, MAP_FIXED_NOREPLACE) == target;
    }
    return true;
  }

 private:
  struct Span {
    Span* next;
    std::size_t bytes;
  };
  char* take_page() {
    Span* const span = first_;
    char* const page = reinterpret_cast<char*>(span);
    first_ = span->bytes > huge_page ? new (page + huge_page) Span{span->next, span->bytes - huge_page} : span->next;
    bytes_ -= huge_page;
    return page;
  }

  std::mutex mutex_;
  Span* first_ = nullptr;
  std::atomic<std::size_t> bytes_ = 0;
};

KeptPages& kept() {
  alignas(KeptPages) static std::byte storage[sizeof(KeptPages)];  // never destroyed: static objects free blocks late
  static KeptPages& pages = *new (storage) KeptPages;
  return pages;
}

// Before a block, on the same page: memory from elsewhere at the same place of a huge page can be read there, too, but
// holds neither the name nor its own address.
struct Header {
  static constexpr std::uint64_t known_name = 0x5269747A48756765;
  std::uint64_t name;
  const void* self;
  std::size_t size;
};
static_assert(sizeof(Header) <= huge_block_alignment);

Header* header_of(const void* memory) noexcept {
  return reinterpret_cast<Header*>(reinterpret_cast<std::uintptr_t>(memory) - huge_block_alignment);
}

}  // namespace

std::size_t mapped_size(std::size_t bytes) noexcept { return (bytes + largest_page - 1) / largest_page * largest_page; }

void* map_pages(std::size_t bytes) noexcept {
  const std::size_t size = mapped_size(bytes), reserved = size + huge_page;
  char* begin = map_anew(nullptr, reserved, 0);
  if (begin == nullptr && kept_pages() > 0) {
    give_back_kept_pages(0);
    begin = map_anew(nullptr, reserved, 0);
  }
  if (begin == nullptr) return nullptr;
  char* const aligned = begin + (huge_page - reinterpret_cast<std::uintptr_t>(begin) % huge_page) % huge_page;
  if (aligned > begin) munmap(begin, static_cast<std::size_t>(aligned - begin));
  munmap(aligned + size, static_cast<std::size_t>(begin + reserved - (aligned + size)));
  madvise(aligned, size, MADV_HUGEPAGE);
  return kept().move_under(aligned, whole_pages(size)) ? aligned : nullptr;
}

void unmap_pages(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = mapped_size(bytes), whole = keeps_pages() ? whole_pages(size) : 0;
  if (size > whole) munmap(static_cast<char*>(memory) + whole, size - whole);
  if (whole > 0) kept().keep(memory, whole);
}

std::size_t huge_block_size(std::size_t bytes) noexcept { return mapped_size(bytes + huge_block_alignment); }

void* allocate_huge_block(std::size_t bytes) noexcept {
  void* const mapped = map_pages(bytes + huge_block_alignment);
  if (mapped == nullptr) return nullptr;
  void* const memory = static_cast<char*>(mapped) + huge_block_alignment;
  *header_of(memory) = {Header::known_name, memory, huge_block_size(bytes)};
  return memory;
}

std::size_t size_of_huge_block(const void* memory) noexcept {
  if (reinterpret_cast<std::uintptr_t>(memory) % huge_page != huge_block_alignment) return 0;
  const Header& header = *header_of(memory);
  return header.name == Header::known_name && header.self == memory ? header.size : 0;
}

void free_huge_block(void* memory) noexcept {
  Header* const header = header_of(memory);
  unmap_pages(header, header->size);
}

std::size_t kept_pages() noexcept { return kept().bytes(); }
void give_back_kept_pages(std::size_t beyond) noexcept {
  if (kept().bytes() > beyond) kept().give_back(beyond);
}
bool keeps_pages() noexcept {
  static const bool one_node = access("/sys/devices/system/node/node1", F_OK) != 0;
  return one_node;
}

}  // namespace ritz
