#include "device/array.hpp"
#include "device/communicator.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

TEST(Profile, CountsCallsBytesAndNestedPhases) {
  const Device device = Device::named("cpu");
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto outer = device.profile().phase("assembly");
    const Vector x(device, std::vector<double>(10, 1.0), "test");
    const auto inner = device.profile().phase("copy");
    x.host();
  }
  const auto& phases = device.profile().phases();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].name, "assembly");
  EXPECT_EQ(phases[1].name, "assembly/copy");
  EXPECT_EQ(phases[0].calls, 2);
  EXPECT_EQ(phases[0].bytes_to_device, 160);
  EXPECT_EQ(phases[0].bytes_to_host, 160);
  EXPECT_EQ(phases[1].bytes_to_device, 0);
  EXPECT_EQ(phases[1].bytes_to_host, 160);
  EXPECT_GE(phases[0].seconds, phases[1].seconds);
  EXPECT_GT(phases[0].peak_memory, 0);
  EXPECT_GE(device.profile().seconds_since_start(), phases[0].seconds);
}

TEST(Profile, CountsTheReadsOfSingleNumbersInEachPhase) {
  const Device device = Device::named("fake");
  const Vector x(device, std::vector<double>{1, 2}, "test");
  const Communicator all(device);
  all.sum(x.data());
  {
    const auto phase = device.profile().phase("two reads");
    EXPECT_EQ(all.sum(x.data()), 1);
    EXPECT_EQ(all.sum(x.data() + 1), 2);
  }
  EXPECT_EQ(device.profile().phases().front().scalar_reads, 2);
}

TEST(Profile, PhaseEndsWhenAnErrorPassesThroughIt) {
  const Device device = Device::named("fake");
  try {
    const auto phase = device.profile().phase("first");
    throw 1;
  } catch (int) {}
  { const auto phase = device.profile().phase("second"); }
  EXPECT_EQ(device.profile().phases()[1].name, "second");
}

}  // namespace
}  // namespace ritz
