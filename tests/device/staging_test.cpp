#include "device/cold_array.hpp"
#include "device/error.hpp"
#include "device/staging.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace ritz {
namespace {

std::vector<std::uint8_t> pattern(Index bytes) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 2654435761u >> 11);
  return values;
}

TEST(Staging, EveryByteComesBackAtAnyNumberOfPiecesAndThreads) {
  for (const int threads : {1, 2, 5}) {
    const Device device = Device::named("fake", threads);
    for (const Index bytes :
         {Index{1}, Index{1} << 20, staging_piece, staging_piece + 1, 2 * staging_piece, 3 * staging_piece + 17}) {
      const std::vector<std::uint8_t> sent = pattern(bytes);
      const Traffic before = device.machine().traffic();
      const Array<std::uint8_t> there(device, std::span<const std::uint8_t>(sent), "test");
      EXPECT_EQ(there.host(), sent) << bytes << " bytes, " << threads << " threads";
      EXPECT_EQ(device.machine().traffic().to_device - before.to_device, bytes);
      EXPECT_EQ(device.machine().traffic().to_host - before.to_host, bytes);
    }
  }
}

TEST(Staging, TwoBlocksServeAllCopiesAndAreCountedByTag) {
  const Device device = Device::named("fake", 1);
  EXPECT_EQ(device.pinned().statistics().peak, 0);
  for (int repeat = 0; repeat < 3; ++repeat)
    Array<std::uint8_t>(device, std::span<const std::uint8_t>(pattern(5 * staging_piece)), "test").host();
  const MemoryStatistics pinned = device.pinned().statistics();
  EXPECT_EQ(pinned.peak, 2 * staging_piece);
  EXPECT_EQ(pinned.peak_by_tag.at("staging"), 2 * staging_piece);
  EXPECT_EQ(pinned.live, 0);
  EXPECT_EQ(pinned.cached, 2 * staging_piece);
  EXPECT_EQ(pinned.raw_allocations, 2);
}

TEST(Staging, MemoryOfTheHostNeedsNone) {
  const Device device = Device::named("cpu", 1);
  const std::vector<std::uint8_t> sent = pattern(3 * staging_piece);
  EXPECT_EQ(Array<std::uint8_t>(device, std::span<const std::uint8_t>(sent), "test").host(), sent);
  EXPECT_EQ(device.pinned().statistics().peak, 0);
}

TEST(Staging, GoesWithoutBlocksWhereNoneAreToBeHad) {
  for (const Index nth : {1, 2}) {
    const Device device = Device::named("fake", 1);
    const std::vector<std::uint8_t> sent = pattern(3 * staging_piece);
    Array<std::uint8_t> there(device, static_cast<Index>(sent.size()), "test");
    device.machine().calls().fail(MachineCall::allocate, nth);
    there.upload(sent);
    EXPECT_EQ(there.host(), sent);
    EXPECT_EQ(device.pinned().statistics().live, 0);
  }
}

TEST(Staging, ACopyThatFailsHoldsNoBlocks) {
  const Device device = Device::named("fake", 1);
  Array<std::uint8_t> there(device, 3 * staging_piece, "test");
  std::vector<std::uint8_t> back(static_cast<std::size_t>(there.size()));
  for (const Index nth : {1, 2, 3}) {
    device.machine().calls().fail(MachineCall::copy, nth);
    EXPECT_THROW(there.upload(back), Error);
    device.machine().calls().fail(MachineCall::copy, nth);
    EXPECT_THROW(there.download(back), Error);
    EXPECT_EQ(device.pinned().statistics().live, 0);
  }
}

TEST(ColdArray, GivesItsBlockToOthersAndComesBackAsItWas) {
  const Device device = Device::named("fake", 1);
  std::vector<double> numbers(1'000'000);
  std::iota(numbers.begin(), numbers.end(), 0.5);
  Vector x(device, std::span<const double>(numbers), "vectors");
  const Index live = device.memory().live();
  ColdArray<double> cold;
  EXPECT_FALSE(cold.holds());
  cold.put_away(x);
  EXPECT_TRUE(cold.holds());
  EXPECT_TRUE(x.empty());
  EXPECT_EQ(cold.bytes(), 8'000'000);
  EXPECT_EQ(device.memory().live(), live - MemoryPool::block_size(8'000'000));
  cold.put_away(x);  // empty: nothing happens
  EXPECT_TRUE(cold.holds());
  cold.bring_back(x, "vectors");
  EXPECT_FALSE(cold.holds());
  EXPECT_EQ(x.host(), numbers);
  EXPECT_EQ(device.memory().live(), live);
}

TEST(ColdArray, StaysOnTheHostWhereTheDeviceHasNoRoom) {
  const Device device = Device::named("fake", 1);
  Vector x(device, std::span<const double>(std::vector<double>(300'000, 2.5)), "vectors");
  ColdArray<double> cold;
  cold.put_away(x);
  device.memory().trim();
  device.memory().set_limit(1'000'000);
  EXPECT_THROW(cold.bring_back(x, "vectors"), Error);
  EXPECT_TRUE(cold.holds());
  device.memory().set_limit(0);
  cold.bring_back(x, "vectors");
  EXPECT_EQ(x.host(), std::vector<double>(300'000, 2.5));
}

}  // namespace
}  // namespace ritz
