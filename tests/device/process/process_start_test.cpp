#include "device/process/process_start.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>

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

}  // namespace
}  // namespace ritz
