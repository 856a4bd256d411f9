// Blocks on huge pages know their size; memory from elsewhere is none of them, wherever it lies. Pages of freed blocks
// serve the next ones, and go where other memory takes their place.
#include "device/huge_pages.hpp"

#include "device/host_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace ritz {
namespace {

TEST(HugePages, ABlockKnowsItsSizeAndCanBeWrittenToItsEnd) {
  for (const std::size_t bytes : {smallest_huge_block, smallest_huge_block + 1, 5 * huge_page - 64, 5 * huge_page}) {
    char* const memory = static_cast<char*>(allocate_huge_block(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % huge_block_alignment, 0U);
    EXPECT_GE(huge_block_size(bytes), bytes + huge_block_alignment);
    std::memset(memory, 1, bytes);
    EXPECT_EQ(size_of_huge_block(memory), huge_block_size(bytes));
    free_huge_block(memory);
  }
}

TEST(HugePages, MemoryFromElsewhereIsNoBlock) {
  EXPECT_EQ(size_of_huge_block(nullptr), 0U);
  char* const block = static_cast<char*>(allocate_huge_block(smallest_huge_block));
  char* const pages = static_cast<char*>(map_pages(smallest_huge_block));
  ASSERT_NE(block, nullptr);
  ASSERT_NE(pages, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages) % huge_page, 0U);
  std::memset(pages, 0, smallest_huge_block);
  EXPECT_EQ(size_of_huge_block(pages + huge_block_alignment), 0U);
  std::memcpy(pages, block - huge_block_alignment, huge_block_alignment);  // a header that was copied
  EXPECT_EQ(size_of_huge_block(pages + huge_block_alignment), 0U);
  EXPECT_EQ(size_of_huge_block(block + huge_page), 0U);
  unmap_pages(pages, smallest_huge_block);
  free_huge_block(block);
}

TEST(HugePages, WithoutRoomThereIsNone) {
  EXPECT_EQ(allocate_huge_block(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(map_pages(std::size_t{1} << 60), nullptr);
}

TEST(HugePages, FreedPagesServeBlocksOfOtherSizes) {
  if (!keeps_pages()) GTEST_SKIP() << "this machine has several memory nodes";
  give_back_kept_pages(0);
  char* const first = static_cast<char*>(map_pages(3 * huge_page));
  char* const second = static_cast<char*>(map_pages(2 * huge_page + 1));
  std::memset(first, 7, 3 * huge_page);
  std::memset(second, 7, 2 * huge_page + 1);
  unmap_pages(first, 3 * huge_page);
  unmap_pages(second, 2 * huge_page + 1);
  EXPECT_EQ(kept_pages(), 5 * huge_page);
  char* const larger = static_cast<char*>(map_pages(4 * huge_page));
  EXPECT_EQ(kept_pages(), huge_page);
  for (std::size_t page = 0; page < 4; ++page) EXPECT_EQ(larger[(page + 1) * huge_page - 1], 7);  // not cleared
  std::memset(larger, 1, 4 * huge_page);
  unmap_pages(larger, 4 * huge_page);
  EXPECT_EQ(kept_pages(), 5 * huge_page);
  give_back_kept_pages(2 * huge_page);
  EXPECT_EQ(kept_pages(), 2 * huge_page);
  give_back_kept_pages(0);
}

TEST(HugePages, ThoseThatAreKeptAndWhatIsCountedStayBelowThePeak) {
  if (!keeps_pages()) GTEST_SKIP() << "this machine has several memory nodes";
  constexpr Index MiB = 1 << 20;
  const Index others = host_memory_peak_counted() - host_memory_live() + 100 * MiB, bytes = 64 * MiB;
  ASSERT_TRUE(take_host_memory(others));
  void* const memory = map_pages(static_cast<std::size_t>(bytes));
  ASSERT_TRUE(take_host_memory(bytes));  // the peak
  unmap_pages(memory, static_cast<std::size_t>(bytes));
  give_host_memory(bytes);
  EXPECT_EQ(kept_pages(), static_cast<std::size_t>(bytes));
  ASSERT_TRUE(take_host_memory(bytes - 10 * MiB));
  EXPECT_EQ(kept_pages(), static_cast<std::size_t>(10 * MiB));
  ASSERT_TRUE(take_host_memory(20 * MiB));
  EXPECT_EQ(kept_pages(), 0U);
  give_host_memory(bytes + 10 * MiB);
  give_host_memory(others);
}

TEST(HugePages, AProgramThatHoldsLittleKeepsLittle) {
  if (!keeps_pages()) GTEST_SKIP() << "this machine has several memory nodes";
  const Index live = host_memory_live(), bytes = live + (Index{64} << 20);
  void* const memory = map_pages(static_cast<std::size_t>(bytes));
  ASSERT_TRUE(take_host_memory(bytes));
  unmap_pages(memory, static_cast<std::size_t>(bytes));
  give_host_memory(bytes);
  EXPECT_LE(static_cast<Index>(kept_pages()), live);
}

}  // namespace
}  // namespace ritz
