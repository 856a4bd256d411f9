#include "device/array.hpp"
#include "device/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace ritz {
namespace {

// A driver that does not say how much is free, and keeps what is freed until it is asked.
class Driver final : public Machine {
 public:
  int trims = 0;
  void trim() noexcept override { ++trims; }

 protected:
  void* do_allocate(Index bytes) override { return std::malloc(static_cast<std::size_t>(bytes)); }
  void do_free(void* memory) noexcept override { std::free(memory); }
  void do_copy_to_device(void* to, const void* from, Index bytes) override { do_copy_on_device(to, from, bytes); }
  void do_copy_to_host(void* to, const void* from, Index bytes) override { do_copy_on_device(to, from, bytes); }
  void do_copy_on_device(void* to, const void* from, Index bytes) override {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  void do_fill_zero(void* memory, Index bytes) override { std::memset(memory, 0, static_cast<std::size_t>(bytes)); }
};

TEST(MemoryPool, WhereTheDriverDoesNotSayWhatIsFreeItIsUpToTheLimit) {
  Driver driver;
  MemoryPool pool(driver);
  EXPECT_GT(pool.available(), Index{1} << 60);
  pool.set_limit(1 << 20);
  EXPECT_EQ(pool.available(), 1 << 20);
}

TEST(MemoryPool, TrimAsksTheDriverToGiveBackToo) {
  Driver driver;
  MemoryPool pool(driver);
  pool.trim();
  EXPECT_EQ(driver.trims, 1);
}

TEST(MemoryPool, CountsWhatIsLiveByTagAndRemembersPeaks) {
  const Device device = Device::named("cpu");
  {
    const Vector a(device, 1000, "matrix");
    {
      const Vector b(device, 3000, "vectors");
      const MemoryStatistics now = device.memory().statistics();
      EXPECT_GE(now.live, 32000);
      EXPECT_GE(now.live_by_tag.at("matrix"), 8000);
      EXPECT_GE(now.live_by_tag.at("vectors"), 24000);
      EXPECT_EQ(now.live, now.live_by_tag.at("matrix") + now.live_by_tag.at("vectors"));
    }
    const MemoryStatistics now = device.memory().statistics();
    EXPECT_EQ(now.live_by_tag.at("vectors"), 0);
    EXPECT_GE(now.peak, 32000);
    EXPECT_GE(now.peak_by_tag.at("vectors"), 24000);
    device.memory().reset_peak();
    EXPECT_EQ(device.memory().statistics().peak, device.memory().statistics().live);
  }
  EXPECT_EQ(device.memory().statistics().live, 0);
}

TEST(MemoryPool, ReusesWhatWasReleased) {
  const Device device = Device::named("cpu");
  for (int repeat = 0; repeat < 10; ++repeat) const Vector a(device, 100'000, "test");
  EXPECT_EQ(device.memory().statistics().raw_allocations, 1);
  EXPECT_GE(device.memory().statistics().cached, 800'000);
  device.memory().trim();
  EXPECT_EQ(device.memory().statistics().cached, 0);
}

// Each block is too large for what the one before left.
TEST(MemoryPool, WhatNobodyAsksForDoesNotPileUp) {
  const Device device = Device::named("cpu");
  for (Index size = Index{20} << 20; size < Index{500} << 20; size = size * 4 / 3) {
    { const Array<std::uint8_t> block(device, size, "test"); }
    const MemoryStatistics now = device.memory().statistics();
    EXPECT_LE(now.cached, now.peak / 4 * 5 + (Index{64} << 20));
  }
}

TEST(MemoryPool, AlignsTo256Bytes) {
  const Device device = Device::named("cpu");
  for (const Index size : {1, 3, 33, 1000, 1'000'000}) {
    const Array<std::uint8_t> a(device, size, "test");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 256, 0u);
  }
}

TEST(MemoryPool, LimitIsAResourceErrorThatListsTheTags) {
  const Device device = Device::named("cpu");
  device.memory().set_limit(10'000'000);
  const Vector a(device, 1'000'000, "matrix");
  try {
    const Vector b(device, 1'000'000, "vectors");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::resources);
    EXPECT_NE(error.message().find("'vectors'"), std::string::npos) << error.what();
    EXPECT_NE(error.why().find("matrix 8."), std::string::npos) << error.what();
  }
  device.memory().set_limit(0);
  EXPECT_NO_THROW(Vector(device, 1'000'000, "vectors"));
}

// 1.05 MB beside nothing fit into 1.1 MB, if blocks were not rounded.
TEST(MemoryPool, WhatDoesNotFitIsToldAsItIsRounded) {
  const Device device = Device::named("cpu");
  device.memory().set_limit(1'100'000);
  try {
    const Array<std::uint8_t> block(device, 1'048'600, "vectors");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("1.1 MB for 'vectors' on top of 0.0 kB (limit 1.1 MB)"), std::string::npos)
        << error.what();
  }
}

TEST(MemoryPool, GivesItsCacheBackBeforeItFails) {
  const Device device = Device::named("cpu");
  device.memory().set_limit(20'000'000);
  { const Vector a(device, 2'000'000, "test"); }
  EXPECT_GT(device.memory().statistics().cached, 0);
  EXPECT_NO_THROW(Vector(device, 1'000'000, "test"));  // would not fit beside the cached 16 MB
  EXPECT_GE(device.memory().statistics().pressed, 4'000'000);
}

TEST(MemoryPool, EveryFailingAllocationLeavesNothingBehind) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name);
    int failures = 0;
    for (Index n = 1; n < 100; ++n) {
      device.memory().trim();
      device.machine().calls().fail(MachineCall::allocate, n);
      try {
        const Vector a(device, 1000, "a"), b(device, 2000, "b"), c(device, 300'000, "c");
        device.machine().calls().fail(MachineCall::allocate, 0);
        break;
      } catch (const Error& error) {
        EXPECT_EQ(error.exit(), Exit::resources);
        ++failures;
      }
      EXPECT_EQ(device.memory().statistics().live, 0);
    }
    EXPECT_EQ(failures, 3);
  }
}

TEST(MemoryPool, CacheNeverRaisesThePeakOfWhatIsHeld) {
  const Device device = Device::named("cpu");
  for (const Index size : {100'000, 700'000, 2'000'000, 300'000, 5'000'000, 40'000}) {
    const Vector a(device, size, "a"), b(device, size / 3, "b");
    const MemoryStatistics now = device.memory().statistics();
    EXPECT_LE(now.live + now.cached, now.peak);
  }
  EXPECT_EQ(device.memory().statistics().held_peak, device.memory().statistics().peak);
}

TEST(MemoryPool, TagsAtThePeakAddUpToIt) {
  const Device device = Device::named("cpu");
  const Vector a(device, 500'000, "a");
  { const Vector b(device, 300'000, "b"), c(device, 1000, "c"); }
  const Vector d(device, 200'000, "d");  // fits where b was
  const MemoryStatistics now = device.memory().statistics();
  Index sum = 0;
  for (const auto& [tag, bytes] : now.at_peak_by_tag) sum += bytes;
  EXPECT_EQ(sum, now.peak);
  EXPECT_EQ(now.at_peak_by_tag.count("d"), 0u);
  EXPECT_EQ(now.at_peak_by_tag.at("b"), MemoryPool::block_size(300'000 * 8));
}

TEST(MemoryPool, ObeysItsLimitToTheByte) {
  const Device device = Device::named("cpu");
  const Index large = MemoryPool::block_size(8'000'000), small = MemoryPool::block_size(8000);
  device.memory().set_limit(large + small);
  { const Vector fits(device, 1'000'000, "a"), too(device, 1000, "b"); }
  EXPECT_EQ(device.memory().statistics().held_peak, large + small);
  device.memory().trim();
  device.memory().set_limit(large + small - 1);
  const Vector fits(device, 1'000'000, "a");
  EXPECT_THROW(Vector(device, 1000, "b"), Error);
  EXPECT_NO_THROW(Vector(device, 900, "b"));
  EXPECT_EQ(device.memory().available(), large + small - 1 - device.memory().statistics().live);
}

TEST(MemoryPool, FragmentationIsWhatNobodyAskedFor) {
  const Device device = Device::named("cpu");
  EXPECT_EQ(device.memory().statistics().fragmentation(), 0);
  const Vector exact(device, 32, "a");  // 256 bytes
  EXPECT_EQ(device.memory().statistics().fragmentation(), 0);
  const Vector half(device, 16, "a");
  EXPECT_EQ(device.memory().statistics().fragmentation(), 0.25);
}

// With a cache to give back, one failure of the machine is survived.
TEST(MemoryPool, RetriesAfterGivingItsCacheBack) {
  const Device device = Device::named("cpu");
  { const Vector a(device, 1000, "test"); }
  device.machine().calls().fail(MachineCall::allocate, 1);
  EXPECT_NO_THROW(Vector(device, 500'000, "test"));
}

}  // namespace
}  // namespace ritz
