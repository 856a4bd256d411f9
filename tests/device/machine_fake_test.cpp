#include "device/communicator.hpp"
#include "device/array.hpp"
#include "device/error.hpp"
#include "device/last_launch.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

// A hidden transfer would work by chance on a CPU; on the fake device it dies.
TEST(FakeDeathTest, TouchingDeviceMemoryFromTheHostDies) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Device device = Device::named("fake");
  Vector x(device, std::vector<double>{1, 2, 3}, "test");
  EXPECT_DEATH(
      {
        volatile double value = x.data()[1];
        (void)value;
      },
      "");
  EXPECT_DEATH(x.data()[1] = 5, "");
}

TEST(Fake, SaysThatItIsNoRealDevice) { EXPECT_EQ(Device::named("fake").info().name, "fake device"); }

TEST(Fake, CountsTraffic) {
  const Device device = Device::named("fake");
  Machine& machine = device.machine();
  Vector x(device, std::vector<double>(100, 1.0), "test");
  EXPECT_EQ(machine.traffic().to_device, 800);
  x.host();
  EXPECT_EQ(machine.traffic().to_host, 800);
  Vector y(device, 100, "test");
  y.copy_from(x);
  y.fill_zero();
  EXPECT_EQ(machine.traffic().to_device, 800);
  EXPECT_EQ(machine.traffic().to_host, 800);
  double two[2];
  Communicator(device).sum(x.data(), two);
  EXPECT_EQ(machine.traffic().scalar_reads, 1);
  EXPECT_EQ(two[1], 1.0);
}

// Launches between the two halves do not change the sum.
TEST(Fake, PendingSumIsThatOfItsBeginning) {
  const Device device = Device::named("fake");
  Vector x(device, std::vector<double>{1, 2, 3}, "test");
  PendingSum pending(device, 3);
  pending.begin(x.data(), 3);
  x.fill_zero();
  double values[3];
  pending.finish(values);
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[2], 3.0);
  EXPECT_EQ(device.machine().traffic().scalar_reads, 1);
}

TEST(Fake, PendingSumFailsAsACopyDoes) {
  const Device device = Device::named("fake");
  Vector x(device, 3, "test");
  PendingSum pending(device, 3);
  device.machine().calls().fail(MachineCall::copy, 1);
  EXPECT_THROW(pending.begin(x.data(), 3), Error);
}

TEST(Fake, EveryKindOfCallCanBeMadeToFail) {
  const Device device = Device::named("fake");
  Vector x(device, 10, "test");
  device.machine().calls().fail(MachineCall::copy, 2);
  EXPECT_NO_THROW(x.host());
  try {
    x.host();
    FAIL();
  } catch (const Error& error) { EXPECT_EQ(error.exit(), Exit::environment); }
  EXPECT_NO_THROW(x.host());
  device.machine().calls().fail(MachineCall::launch, 1);
  EXPECT_THROW(x.fill_zero(), Error);
  device.machine().calls().fail(MachineCall::synchronize, 1);
  EXPECT_THROW(device.synchronize(), Error);
}

// Reports an error at the end of every launch, as a GPU does whose memory is gone.
class FaultyMachine final : public Machine {
 protected:
  void* do_allocate(Index) override { return nullptr; }
  void do_free(void*) noexcept override {}
  void do_copy_to_device(void*, const void*, Index) override {}
  void do_copy_to_host(void*, const void*, Index) override {}
  void do_copy_on_device(void*, const void*, Index) override {}
  void do_fill_zero(void*, Index) override {}
  void do_end_launch() override { throw Error(ErrorKind::environment, "the end of the launch"); }
};

// A library says first that memory is short; the device's own error must neither hide that nor end the program.
TEST(Launch, AnErrorInsideIsToldAndNotTheOneOfItsEnd) {
  FaultyMachine machine;
  struct Scope {
    Machine& machine;
    explicit Scope(Machine& m) : machine(m) { machine.begin_launch("a library"); }
    ~Scope() noexcept(false) { machine.end_launch(); }
  };
  try {
    const Scope launch(machine);
    throw Error(ErrorKind::device_memory, "memory is short");
  } catch (const Error& error) { EXPECT_EQ(error.message(), "memory is short"); }
  EXPECT_STREQ(last_launch(), "a library");
  EXPECT_THROW({ const Scope launch(machine); }, Error) << "alone it is told";
}

}  // namespace
}  // namespace ritz
