#include "device/error.hpp"
#include "device/transfer_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ritz {
namespace {

TEST(TransferRate, CountsTheBytesThatItMovesEachWay) {
  const Device device = Device::named("fake");
  const TransferRate rate = measure_transfer_rate(device, 100'000);
  EXPECT_GT(rate.to_device, 0);
  EXPECT_GT(rate.to_host, 0);
  EXPECT_TRUE(std::isfinite(rate.to_device) && std::isfinite(rate.to_host));
  EXPECT_FALSE(rate.pinned);
  EXPECT_EQ(device.machine().traffic().to_device, 400'000);  // one to warm up, three measured
  EXPECT_EQ(device.machine().traffic().to_host, 400'000);
  EXPECT_EQ(device.memory().statistics().live, 0);
}

TEST(TransferRate, EveryCopyThatFailsIsAnErrorAndLeavesNothing) {
  for (Index n = 1; n <= 8; ++n) {
    const Device device = Device::named("fake");
    device.machine().calls().fail(MachineCall::copy, n);
    EXPECT_THROW(measure_transfer_rate(device, 5000), Error) << n;
    EXPECT_EQ(device.memory().statistics().live, 0) << n;
  }
}

}  // namespace
}  // namespace ritz
