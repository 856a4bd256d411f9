// If a block of the host does not fit, caches are given back first, then the error names it.
#include "device/device.hpp"
#include "device/host_memory.hpp"
#include "device/memory_shortage.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <new>

namespace ritz {
namespace {

TEST(HostMemory, WhatPoolsKeepForReuseIsGivenBackWhenAsked) {
  const Device device = Device::named("cpu", 1);
  device.memory().release(device.memory().allocate(5'000'000, "test"));
  const Index cached = device.memory().statistics().cached, live = host_memory_live();
  ASSERT_GE(cached, 5'000'000);
  EXPECT_TRUE(give_back_host_caches());
  EXPECT_EQ(device.memory().statistics().cached, 0);
  EXPECT_EQ(host_memory_live(), live - cached);
  EXPECT_FALSE(give_back_host_caches());
}

TEST(HostMemory, ACacheIsAskedForAsLongAsItLives) {
  int asked = 0;
  {
    const HostCache cache([&] { ++asked; });
    give_back_host_caches();
  }
  give_back_host_caches();
  EXPECT_EQ(asked, 1);
}

TEST(MemoryShortage, IsTheSameOfAHostAndOfADevice) {
  EXPECT_FALSE(memory_shortage([] {}));
  EXPECT_EQ(memory_shortage([] { throw std::bad_alloc(); })->exit(), Exit::resources);
  EXPECT_EQ(memory_shortage([] { throw Error(ErrorKind::device_memory, "no room"); })->message(), "no room");
  EXPECT_THROW(memory_shortage([] { throw Error(ErrorKind::other_model, "another matter"); }), Error);
  EXPECT_THROW(memory_shortage([] { throw Error(ErrorKind::environment, "no library"); }), Error);
  EXPECT_EQ(shortage_or_no_library([] { throw Error(ErrorKind::environment, "no library"); })->exit(),
            Exit::environment);
}

TEST(MemoryShortage, NamesTheBlockThatWasRefusedOnce) {
  const Index live = host_memory_live();
  set_host_memory_limit(live + 1'000'000);
  EXPECT_FALSE(take_host_memory(3'000'000));
  EXPECT_EQ(host_memory_error().message(),
            fmt::format("out of host memory: 3.0 MB on top of {:.1f} MB (limit {:.1f} MB)", 1e-6 * double(live),
                        1e-6 * double(live) + 1));
  EXPECT_EQ(host_memory_error().message(), "out of host memory");
  set_host_memory_limit(0);
  record_refusal(2'000'000);  // by the machine, not by a limit
  EXPECT_EQ(host_memory_error().message(),
            fmt::format("out of host memory: 2.0 MB on top of {:.1f} MB", 1e-6 * double(live)));
  EXPECT_EQ(take_last_refusal().bytes, 0);
  EXPECT_EQ(take_last_refusal().live, 0);
  EXPECT_EQ(host_memory_live(), live);
}

}  // namespace
}  // namespace ritz
