#include "device/array.hpp"
#include "device/error.hpp"
#include "device/kernel_families.hpp"
#include "device/kernels.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/device/test_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <unistd.h>

namespace ritz {
namespace {

const TestKernels& test_kernels(const Device& device) {
  return kernels<TestKernels>(device, "test_device_kernels", "test");
}

const Index sizes[] = {0, 1, 7, 8, 9, 2047, 2048, 2049, 4095, 4096, 4097, 100'003};

TEST(ForEach, VisitsEveryIndexOnce) {
  for (const std::string& name : test::back_ends({"cpu:v3", "cpu", "fake"}))
    for (const int threads : {1, 2, 3})
      for (const Index size : sizes) {
        const Device device = Device::named(name, threads);
        Vector visits(device, size, "test");
        visits.fill_zero();
        test_kernels(device).count_visits(device, size, visits.data());
        const std::vector<double> values = visits.host();
        for (Index i = 0; i < size; ++i) ASSERT_EQ(values[i], double(i + 1)) << name << ", size " << size;
      }
}

TEST(Reduce, IsTheSumAndBitwiseTheSameForAnyNumberOfThreads) {
  for (const Index size : sizes) {
    std::vector<double> x(size), y(size), reference;
    long double sum = 0, product = 0, bound = 0;
    for (Index i = 0; i < size; ++i) {
      x[i] = std::sin(double(i));
      y[i] = std::cos(3.0 * double(i));
      sum += x[i];
      product += static_cast<long double>(x[i]) * y[i];
      bound += std::abs(x[i]);
    }
    for (const int threads : {1, 2, 3}) {
      const Device device = Device::named("cpu", threads);
      const Vector xd(device, x, "test"), yd(device, y, "test");
      Vector result(device, 2, "test");
      test_kernels(device).sums(device, size, xd.data(), yd.data(), result.data());
      const std::vector<double> values = result.host();
      if (reference.empty()) reference = values;
      EXPECT_EQ(values, reference) << threads << " threads, size " << size;
      EXPECT_NEAR(values[0], double(sum), 1e-13 * double(bound));
      EXPECT_NEAR(values[1], double(product), 1e-13 * double(bound));
    }
  }
}

TEST(Kernels, UnknownTableIsNamedWithWhatThereIs) {
  const Device device = Device::named("cpu");
  test_kernels(device);
  try {
    find_kernels(device.backend(), "test_device_kernels", "tests");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::internal);
    EXPECT_NE(error.why().find(":test'"), std::string::npos) << error.why();
  }
}

// Every operation on a vector looks its kernels up. A table that was found before is found without the registry, whose
// look-ups take 0.18 us of processor time together, as has_kernels() does a part of them: 0.03 us.
TEST(Kernels, ATableThatWasFoundIsFoundAgainWithoutTheRegistry) {
  const Device device = Device::named("cpu");
  const TestKernels* const first = &test_kernels(device);
  const auto processor_time = [](const auto& look_up) {
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int round = 0; round < 5; ++round) {
      const std::clock_t start = std::clock();
      for (int i = 0; i < 50'000; ++i) look_up();
      least = std::min(least, std::clock() - start);
    }
    return double(least);
  };
  const double again = processor_time([&] { ASSERT_EQ(&test_kernels(device), first); });
  const double by_registry =
      processor_time([&] { ASSERT_TRUE(has_kernels(device.backend(), "test_device_kernels", "test")); });
  EXPECT_LT(again, 0.75 * by_registry);
}

TEST(Kernels, MissingModuleIsAnEnvironmentError) {
  try {
    find_kernels("v3", "no_such_module", "test");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::environment);
    EXPECT_NE(error.message().find("no_such_module"), std::string::npos);
  }
}

TEST(Kernels, OfAFamilyBelongToItsModule) {
  const std::string backend = Device::named("cpu").backend();
  EXPECT_NE(find_kernels(backend, "test_device_kernels", "rare"), nullptr);
  EXPECT_TRUE(missing_kernel_families(backend, "test_device_kernels").empty());
}

// A copy of the module without its family. In a process apart: the copy's kernels have the names of the others.
TEST(Kernels, OfAFamilyThatWasNotBuiltAreReportedWithTheTargetThatBuildsThem) {
  const std::string backend = Device::named("cpu").backend(), ending = "." + backend + ".so";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / fmt::format("alone_{}", getpid());
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(std::string(RITZ_TEST_KERNELS) + ending, folder / ("alone" + ending));
  add_kernel_folder(folder.string());
  EXPECT_EXIT(
      {
        try {
          find_kernels(backend, "alone", "no such kernel");
        } catch (const Error& error) {
          fmt::print(stderr, "{} {} {}", static_cast<int>(error.exit()), error.why(), error.fix());
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0),
      fmt::format("^{} 'alone' was built without the families 'rare' .*--target alone$",
                  static_cast<int>(Exit::environment)));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ritz
