#include "device/device.hpp"
#include "device/error.hpp"
#include "device/host_limits.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

Error error_of(const std::string& request, int threads = 0) {
  try {
    Device::named(request, threads);
  } catch (const Error& error) { return error; }
  return Error(ErrorKind{}, "no error");
}

TEST(Device, UnknownNamesAreInputErrorsThatListTheKnownOnes) {
  for (const char* name :
       {"", "cup", "GPU", "cpu:", "cpu:v5", "gpu:", "gpu:x", "gpu:-1", "gpu:1x", "gpu:99999999999", "cuda"}) {
    const Error error = error_of(name);
    EXPECT_TRUE(error.exit() == Exit::input ||
                (std::string(name).starts_with("cpu:") && error.exit() == Exit::environment))
        << name << ": " << error.what();
  }
  EXPECT_NE(error_of("cup").fix().find("cpu"), std::string::npos);
  EXPECT_EQ(error_of("cpu", -1).exit(), Exit::input);
  EXPECT_EQ(error_of("cpu", 5000).exit(), Exit::input);
}

TEST(Device, AbsentGpuIsAnEnvironmentErrorAndNeverTheCpu) {
  if (list_devices().why_no_gpu.empty()) GTEST_SKIP() << "skipped: there is a GPU";
  for (const char* name : {"gpu", "gpu:0"}) {
    const Error error = error_of(name);
    EXPECT_EQ(error.exit(), Exit::environment);
    EXPECT_NE(error.message().find(name), std::string::npos);
    EXPECT_FALSE(error.why().empty());
    EXPECT_NE(error.fix().find("--device"), std::string::npos);
  }
  EXPECT_NE(Device::named("auto").description().find("auto: "), std::string::npos) << "says why it is the CPU";
}

TEST(Device, SaysWhatItIs) {
  const Device device = Device::named("cpu", 2);
  EXPECT_EQ(device.info().kind, "cpu");
  EXPECT_FALSE(device.is_gpu());
  EXPECT_EQ(device.threads(), 2);
  EXPECT_NE(device.description().find("2 threads"), std::string::npos) << device.description();
  EXPECT_GT(device.info().memory_total, 0);
  EXPECT_GE(Device::named("cpu").threads(), 1);
}

TEST(Device, SaysWhenItsThreadsAreMoreThanCanRun) {
  const int usable = host_limits().threads();
  const std::string much = ", of which " + std::to_string(usable) + " can run at a time";
  EXPECT_EQ(Device::named("cpu", usable).description().find(much), std::string::npos);
  const Device crowded = Device::named("cpu", usable + 1);
  EXPECT_EQ(crowded.threads(), usable + 1) << "obeyed";
  EXPECT_NE(crowded.description().find(much), std::string::npos) << crowded.description();
  Device::named("cpu", usable);
}

TEST(Device, CopiesShareTheMachine) {
  const Device device = Device::named("cpu"), copy = device, other = Device::named("cpu");
  EXPECT_TRUE(device == copy);
  EXPECT_FALSE(device == other);
  EXPECT_EQ(&device.memory(), &copy.memory());
}

TEST(Device, EmptyHandleIsAnInternalError) {
  try {
    Device().machine();
    FAIL();
  } catch (const Error& error) { EXPECT_EQ(error.exit(), Exit::internal); }
}

TEST(Device, CpuIsFirstInTheList) {
  const DeviceList list = list_devices();
  ASSERT_FALSE(list.devices.empty());
  EXPECT_EQ(list.devices.front().kind, "cpu");
  EXPECT_EQ(list.devices.size() == 1, !list.why_no_gpu.empty());
}

TEST(Device, CopyRateIsPositive) { EXPECT_GT(measure_copy_rate(Device::named("cpu"), Index{1} << 22), 0); }

}  // namespace
}  // namespace ritz
