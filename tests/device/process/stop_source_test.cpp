// Stops that come from the program around Ritz.
#include "device/process/stop_source.hpp"

#include "device/process/stop_request.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>

namespace ritz::test {
namespace {

// Looks for stops until one comes.
void expect_a_stop() {
  try {
    while (true) throw_if_stop_requested();
  } catch (const Error& error) { EXPECT_EQ(error.exit(), exit_of_signal(SIGINT)); }
}

TEST(StopSource, StopsWhatRunsWhileItLives) {
  int asked = 0;
  {
    const StopSource source([&] { return ++asked >= 3; });
    expect_a_stop();
    EXPECT_EQ(asked, 3);
    EXPECT_NE(stop_reason(), "");
  }
  EXPECT_EQ(stop_reason(), "");
  EXPECT_NO_THROW(throw_if_stop_requested());
  EXPECT_EQ(asked, 3);
}

TEST(StopSource, IsAskedFiftyTimesASecondAtMost) {
  int asked = 0;
  const StopSource source([&] {
    ++asked;
    return false;
  });
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200)) throw_if_stop_requested();
  EXPECT_GT(asked, 0);
  EXPECT_LE(asked, 11);
}

}  // namespace
}  // namespace ritz::test
