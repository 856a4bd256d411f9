#include "solvers/algebra/solver_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

namespace ritz {
namespace {

using ::testing::HasSubstr;

std::vector<IterationMark> geometric(double factor, int count) {
  std::vector<IterationMark> marks;
  for (int i = 0; i < count; ++i) marks.push_back({1 + i, std::pow(factor, i), 0.1 * i});
  return marks;
}

// A residual that falls by a tenth in each iteration of 0.1 s needs ln(1e4) / -ln(0.9) = 87.4 more of them for 1e-4.
TEST(SolverProgress, TheExpectedEndIsThatOfAGeometricSeries) {
  const std::vector<IterationMark> marks = geometric(0.9, 21);
  const double target = 1e-4 * std::pow(0.9, 20);
  const auto rest = expected_rest(marks, target);
  ASSERT_TRUE(rest);
  EXPECT_NEAR(rest->low, 8.74 / 1.1, 0.01);
  EXPECT_NEAR(rest->high, 8.74 * 1.1, 0.01);
  EXPECT_THAT(text_of_iteration(marks, target),
              ::testing::AllOf(HasSubstr("10 % less in each"), HasSubstr("8 to 10 s left")));
}

// One that turns a little slower is expected between what its whole course and what its last quarter say.
TEST(SolverProgress, TheExpectedEndIsARangeWhereTheRateChanges) {
  std::vector<IterationMark> marks = geometric(0.85, 11);
  for (int i = 1; i <= 10; ++i) marks.push_back({11 + i, std::pow(0.85, 10) * std::pow(0.88, i), 1 + 0.1 * i});
  const double target = 1e-3 * marks.back().residual;
  const auto rest = expected_rest(marks, target);
  ASSERT_TRUE(rest);
  const double mean = (10 * std::log(0.85) + 10 * std::log(0.88)) / 20;
  EXPECT_NEAR(rest->low, 0.1 * std::log(1e-3) / mean / 1.1, 1e-6);
  EXPECT_NEAR(rest->high, 0.1 * std::log(1e-3) / std::log(0.88) * 1.1, 1e-6);
}

// Residuals that jump are seen by its least values.
TEST(SolverProgress, ResidualsThatOscillateAreExpectedByTheirLeast) {
  std::vector<IterationMark> marks = geometric(0.9, 21);
  for (std::size_t i = 1; i < marks.size(); i += 2) marks[i].residual *= 50;
  const auto rest = expected_rest(marks, 1e-4 * marks.back().residual);
  ASSERT_TRUE(rest);
  EXPECT_LE(rest->low, 8.74);
  EXPECT_GE(rest->high, 8.74);
  EXPECT_LE(rest->high, 1.7 * rest->low);
}

TEST(SolverProgress, NothingIsExpectedOfAResidualThatDoesNotFall) {
  const std::vector<IterationMark> marks = {{10, 1, 1}, {30, 2, 3}};
  EXPECT_FALSE(expected_rest(marks, 1e-4));
  EXPECT_THAT(text_of_iteration(marks, 1e-4), HasSubstr("not falling"));
  EXPECT_FALSE(expected_rest(std::vector<IterationMark>{{1, 1, 0}}, 1e-4));
  EXPECT_FALSE(expected_rest(geometric(0.99, 21), 1e-8));   // a residual of 0.82: it may be a plateau
  EXPECT_FALSE(expected_rest(geometric(0.93, 60), 1e-8));   // more than 200 iterations in all: it may become faster
  std::vector<IterationMark> halting = geometric(0.5, 11);  // then a hundred times slower: no rate to go by
  for (int i = 1; i <= 10; ++i) halting.push_back({11 + i, std::pow(0.5, 10) * std::pow(0.99, i), 1 + 0.1 * i});
  EXPECT_FALSE(expected_rest(halting, 1e-9));
}

TEST(SolverProgress, RangesAreSecondsOrMinutes) {
  EXPECT_EQ(text_of_rest({8.2, 10.4}), "8 to 11 s");
  EXPECT_EQ(text_of_rest({2.9, 3}), "3 s");
  EXPECT_EQ(text_of_rest({0.2, 0.6}), "up to 1 s");
  EXPECT_EQ(text_of_rest({100, 400}), "2 to 7 min");
}

// How long a busy machine takes does not matter.
struct Watch {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
};

// An iteration of a second and more is foreseen once, a short one never.
TEST(SolverProgress, TheFirstLongIterationIsForeseen) {
  std::vector<std::string> heard;
  const SolverListener listening([](const std::string&) {}, [&](const std::string& text) { heard.push_back(text); });
  const Watch watch;
  for (int i = 1; i <= 100; ++i) report_iteration(i, std::pow(0.5, i), 1e-30);
  EXPECT_TRUE(heard.empty() || watch.seconds() >= 1);
  for (int i = 1; i <= 30; ++i) {
    report_iteration(i, std::pow(0.5, i), 1e-30);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_THAT(heard.front(), ::testing::MatchesRegex(
                                 "this solution takes [0-9]+ to [0-9]+ (s|min) more, by its first [0-9]+ iterations"));
}

TEST(SolverProgress, AListenerHearsItsOwnThreadWhileItExists) {
  std::vector<std::string> heard;
  report_progress("before");
  {
    const SolverListener listening([&](const std::string& text) { heard.push_back(text); });
    report_progress("now");
    std::thread([] { report_progress("elsewhere"); }).join();
    {
      const SolverListener inner([](const std::string&) {});
      report_progress("to the inner one");
    }
    report_progress("again");
  }
  report_progress("after");
  EXPECT_THAT(heard, ::testing::ElementsAre("now", "again"));
}

TEST(SolverProgress, IterationsAreSaidTenTimesASecondAtMost) {
  int said = 0;
  const SolverListener listening([&](const std::string&) { ++said; });
  const Watch watch;
  for (int i = 1; i <= 1000; ++i) report_iteration(i, 1.0 / i, 1e-8);
  EXPECT_LE(said, 10 * watch.seconds());
}

// A course with a name says its first iteration, too; another target begins another course.
TEST(SolverProgress, ASecondSolutionBeginsItsOwnCourse) {
  std::vector<std::string> heard;
  const SolverListener listening([&](const std::string& text) { heard.push_back(text); });
  report_iteration(3, 1e-1, 1e-8, "modes: 0 of 4 converged, ");
  report_iteration(4, 1e-2, 1e-9, "modes: 2 of 4 converged, ");
  EXPECT_THAT(heard, ::testing::ElementsAre("modes: 0 of 4 converged, iteration 3, residual 1.0e-01, target 1.0e-08",
                                            "modes: 2 of 4 converged, iteration 4, residual 1.0e-02, target 1.0e-09"));
}

}  // namespace
}  // namespace ritz
