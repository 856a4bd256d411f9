#include "device/process/process_start.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace ritz {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

TEST(ProcessAge, IsAtLeastTheProcessorTimeUsedAndGrowsWithTheClock) {
  const auto start = std::chrono::steady_clock::now();
  const double used = seconds_of(CLOCK_THREAD_CPUTIME_ID), before = process_age();
  EXPECT_GE(before, used - 1e-9);
  EXPECT_LT(before, seconds_of(CLOCK_BOOTTIME));  // the machine was there first
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double after = process_age(),
               passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(after - before, 0.02 - 1e-9);
  EXPECT_LE(after - before, passed + 1e-9);
}

// The child of a death test runs the test again, with the environment of its parent.
TEST(ProcessAgeDeathTest, IsNotMoreThanTheTimeSinceTheProcessWasAskedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("RITZ_TEST_ASKED_AT", std::to_string(seconds_of(CLOCK_BOOTTIME)).c_str(), 0);
  const double asked = std::strtod(std::getenv("RITZ_TEST_ASKED_AT"), nullptr);
  const auto is_young = [asked] {
    const double age = process_age(), now = seconds_of(CLOCK_BOOTTIME);  // in this order
    return age <= now - asked + 1e-6;
  };
  EXPECT_EXIT(std::exit(is_young() ? 0 : 1), ::testing::ExitedWithCode(0), "");
  ::unsetenv("RITZ_TEST_ASKED_AT");
}

// The system notes the start in ticks since the machine was started, whose second it knows, too.
TEST(ProcessAge, IsThatOfTheWallClock) {
  std::ifstream of_machine("/proc/stat"), of_process("/proc/self/stat");
  double machine_start = 0, process_start = 0;
  for (std::string word; of_machine >> word;)
    if (word == "btime") of_machine >> machine_start;
  std::string line;
  std::getline(of_process, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string field;
  for (int number = 3; number < 22; ++number) fields >> field;
  fields >> process_start;
  ASSERT_GT(machine_start, 0);
  const double started = machine_start + process_start / double(sysconf(_SC_CLK_TCK));
  EXPECT_NEAR(process_age(), seconds_of(CLOCK_REALTIME) - started, 5);  // clocks may be set while a machine runs
}

}  // namespace
}  // namespace ritz
