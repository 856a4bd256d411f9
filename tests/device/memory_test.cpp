#include "device/array.hpp"
#include "device/error.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

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

TEST(MemoryPool, GivesItsCacheBackBeforeItFails) {
  const Device device = Device::named("cpu");
  device.memory().set_limit(20'000'000);
  { const Vector a(device, 2'000'000, "test"); }
  EXPECT_GT(device.memory().statistics().cached, 0);
  EXPECT_NO_THROW(Vector(device, 1'000'000, "test"));  // would not fit beside the cached 16 MB
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

// With a cache to give back, one failure of the machine is survived.
TEST(MemoryPool, RetriesAfterGivingItsCacheBack) {
  const Device device = Device::named("cpu");
  { const Vector a(device, 1000, "test"); }
  device.machine().calls().fail(MachineCall::allocate, 1);
  EXPECT_NO_THROW(Vector(device, 500'000, "test"));
}

}  // namespace
}  // namespace ritz
