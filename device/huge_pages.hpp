// Host memory on huge pages, where the system grants them: it clears and maps 2 MiB at a time, which takes a quarter of
// the time of small pages, and gathers miss the TLB less. Whole huge pages of freed blocks are kept and moved under the
// next blocks of any size, which then need not be cleared: not more than the counted host memory (device/host_memory)
// has fallen below its peak, nor than is counted. Machines with several memory nodes keep none, since a page stays
// where it was first touched.
#pragma once

#include <cstddef>

namespace ritz {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

// Memory for `bytes`, aligned to a huge page, with any contents. It takes mapped_size(bytes): whole small pages.
// nullptr: there is no room.
std::size_t mapped_size(std::size_t bytes) noexcept;
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* memory, std::size_t bytes) noexcept;

// The same as blocks that know their size: what operator new of the programs takes.
inline constexpr std::size_t smallest_huge_block = 2 * huge_page, huge_block_alignment = 64;
std::size_t huge_block_size(std::size_t bytes) noexcept;  // that a block of so many bytes takes
void* allocate_huge_block(std::size_t bytes) noexcept;    // nullptr: there is no room
// Its size; 0: the memory is from elsewhere, which may be anywhere.
std::size_t size_of_huge_block(const void* memory) noexcept;
void free_huge_block(void* memory) noexcept;

std::size_t kept_pages() noexcept;                       // [bytes]
void give_back_kept_pages(std::size_t beyond) noexcept;  // keeps at most so many bytes
bool keeps_pages() noexcept;                             // whether this machine has one memory node

}  // namespace ritz
