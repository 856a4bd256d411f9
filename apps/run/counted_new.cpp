// operator new of the executables: large blocks count as host memory and respect its limit (device/host_memory.hpp);
// where one does not fit, what pools keep for reuse goes first. The largest are on huge pages. The size of the others
// is what malloc gave, so that it is the same when they are deleted.
#include "device/host_memory.hpp"
#include "device/huge_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

using ritz::Index;

void* allocate_huge(std::size_t size) noexcept {
  void* const memory = ritz::allocate_huge_block(size);
  if (memory == nullptr) {
    ritz::record_refusal(static_cast<Index>(size));
    return nullptr;
  }
  if (ritz::take_host_memory(static_cast<Index>(ritz::huge_block_size(size)))) return memory;
  ritz::free_huge_block(memory);
  return nullptr;
}

void* allocate_once(std::size_t size, std::size_t alignment) noexcept {
  if (size >= ritz::smallest_huge_block && size <= PTRDIFF_MAX / 2 && alignment <= ritz::huge_block_alignment)
    return allocate_huge(size);
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(size > 0 ? size : 1)
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    ritz::record_refusal(static_cast<Index>(size));
    return nullptr;
  }
  const auto bytes = static_cast<Index>(malloc_usable_size(memory));
  if (bytes < ritz::large_host_block || ritz::take_host_memory(bytes)) return memory;
  std::free(memory);
  return nullptr;
}

// Pools hold their lock only while they allocate small blocks.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
  void* const memory = allocate_once(size, alignment);
  if (memory != nullptr || size < static_cast<std::size_t>(ritz::large_host_block) || !ritz::give_back_host_caches())
    return memory;
  return allocate_once(size, alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 1) {
  while (true) {
    if (void* const memory = allocate(size, alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void release(void* memory) noexcept {
  if (const std::size_t huge = ritz::size_of_huge_block(memory); huge > 0) {
    ritz::free_huge_block(memory);
    ritz::give_host_memory(static_cast<Index>(huge));
    return;
  }
  const auto bytes = memory == nullptr ? 0 : static_cast<Index>(malloc_usable_size(memory));
  if (bytes >= ritz::large_host_block) ritz::give_host_memory(bytes);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
