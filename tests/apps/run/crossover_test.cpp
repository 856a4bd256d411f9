// The size at which a GPU overtakes the CPU is measured on any machine, kept, and forgotten when something changes.
#include "apps/run/crossover.hpp"

#include "apps/run/copy_rate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace ritz {
namespace {

class CrossoverCache : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("ritz-crossover-" + std::to_string(::getpid()));
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_CACHE_HOME");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path folder_;
};

TEST_F(CrossoverCache, IsMeasuredOnAnyTwoDevices) {
  const Crossover measured = measure_crossover(Device::named("cpu", 1), Device::named("fake", 1), 0);
  ASSERT_EQ(measured.tasks.size(), 3u);
  for (const Crossover::Task& task : measured.tasks) {
    ASSERT_FALSE(task.unknowns.empty());
    for (std::size_t i = 0; i < task.unknowns.size(); ++i) {
      EXPECT_GT(task.cpu[i], 0) << task.name;
      EXPECT_GT(task.gpu[i], 0) << task.name;
    }
    EXPECT_LE(task.at, measured.at);
  }
}

TEST_F(CrossoverCache, KeepsWhatWasStoredUntilTheKeyChanges) {
  MachineInfo cpu = Device::named("cpu").info(), gpu;
  gpu.name = "A100";
  gpu.driver = "12.4";
  const std::string key = crossover_key(cpu, 8, gpu);
  EXPECT_FALSE(cached_crossover(key).has_value());
  store_crossover(key, {.tasks = {}, .at = 12345});
  EXPECT_EQ(cached_crossover(key), 12345);
  gpu.driver = "13.0";
  EXPECT_FALSE(cached_crossover(crossover_key(cpu, 8, gpu)).has_value()) << "another driver";
  gpu.driver = "12.4";
  EXPECT_FALSE(cached_crossover(crossover_key(cpu, 16, gpu)).has_value()) << "more threads";
}

TEST_F(CrossoverCache, ACopyRateIsMeasuredOnceForAllForecasts) {
  const Device device = Device::named("cpu", 1);
  EXPECT_FALSE(known_copy_rate(device, Index{1} << 22).from_before);
  EXPECT_FALSE(known_copy_rate(device, Index{1} << 22).from_before) << "measured in caches, it is not kept";
  const CopyRate measured = known_copy_rate(device, Index{1} << 40), before = known_copy_rate(device, Index{1} << 40);
  EXPECT_FALSE(measured.from_before);
  EXPECT_TRUE(before.from_before);
  EXPECT_NEAR(before.rate, measured.rate, 1e-3 * measured.rate);
  EXPECT_FALSE(known_copy_rate(Device::named("cpu", 2), Index{1} << 22).from_before) << "another number of threads";
}

TEST_F(CrossoverCache, TheBestCopyRateOfAMachineIsKept) {
  const Device device = Device::named("cpu", 1);
  known_copy_rate(device, Index{1} << 40);
  const auto pretend = [&](double rate) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::string key;
      std::getline(std::ifstream(entry.path()), key);
      std::ofstream(entry.path()) << key << "\n" << rate << "\n";
    }
    EXPECT_NEAR(known_copy_rate(device, 0).rate, rate, 1e-3 * rate);
  };
  pretend(2e8);
  const double quiet = copy_rate_or_none(device);
  EXPECT_NEAR(known_copy_rate(device, 0).rate, quiet, 1e-3 * quiet) << "while others used the machine";
  pretend(1e13);
  copy_rate_or_none(device);
  EXPECT_NEAR(known_copy_rate(device, 0).rate, 1e13, 1e9);
}

TEST_F(CrossoverCache, ADamagedFileIsNone) {
  const std::string key = crossover_key({}, 1, {});
  store_crossover(key, {.tasks = {}, .at = 5});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "nonsense\n";
  EXPECT_FALSE(cached_crossover(key).has_value());
}

TEST_F(CrossoverCache, WithoutAGpuAutoStaysAuto) {
  if (list_devices().why_no_gpu.empty()) GTEST_SKIP() << "skipped: there is a GPU";
  EXPECT_EQ(device_for("auto", 1, [] { return Index{100}; }), "auto");
  EXPECT_EQ(device_for("cpu:v3", 1, [] { return Index{100}; }), "cpu:v3");
}

TEST(ExpectedUnknowns, AreNoneWithoutAFile) { EXPECT_EQ(expected_unknowns("/nowhere/at.all", 3), 0); }

}  // namespace
}  // namespace ritz
