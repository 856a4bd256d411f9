#include "solvers/algebra/solver_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

namespace ritz {
namespace {

using ::testing::HasSubstr;

// A residual that falls by a tenth in each iteration of 0.1 s needs ln(1e4) / -ln(0.9) = 87.4 more of them for 1e-4.
TEST(SolverProgress, TheExpectedEndIsThatOfAGeometricSeries) {
  const std::string text = text_of_iteration({10, 1, 1}, {30, std::pow(0.9, 20), 3}, 1e-4 * std::pow(0.9, 20));
  EXPECT_THAT(text, HasSubstr("10 % less in each"));
  EXPECT_THAT(text, HasSubstr("about 9 s left"));
  EXPECT_THAT(text_of_iteration({10, 1, 1}, {30, 2, 3}, 1e-4), HasSubstr("not falling"));
}

TEST(SolverProgress, AListenerHearsItsOwnThreadWhileItExists) {
  std::vector<std::string> heard;
  tell_progress("before");
  {
    const SolverListener listening([&](const std::string& text) { heard.push_back(text); });
    tell_progress("now");
    std::thread([] { tell_progress("elsewhere"); }).join();
    {
      const SolverListener inner([](const std::string&) {});
      tell_progress("to the inner one");
    }
    tell_progress("again");
  }
  tell_progress("after");
  EXPECT_THAT(heard, ::testing::ElementsAre("now", "again"));
}

TEST(SolverProgress, IterationsAreSaidTenTimesASecondAtMost) {
  int said = 0;
  const SolverListener listening([&](const std::string&) { ++said; });
  for (int i = 1; i <= 1000; ++i) tell_iteration(i, 1.0 / i, 1e-8);
  EXPECT_LE(said, 10);
}

}  // namespace
}  // namespace ritz
