// Facts of the methods in time: order conditions, stability, and what the control of the step does.
#include "device/error.hpp"
#include "solvers/time/diagonally_implicit.hpp"
#include "solvers/time/step_control.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <vector>

namespace ritz::time_methods_test {
namespace {

using Method = DiagonallyImplicitMethod;
constexpr double rounding = 1e-15;

// sum_i w_i f(i)
template <class Weights, class F>
double sum(const Method& method, const Weights& weights, const F& f) {
  double s = 0;
  for (int i = 0; i < method.stages; ++i) s += weights[std::size_t(i)] * f(std::size_t(i));
  return s;
}

// u(t + dt) / u(t) for u' = lambda u, z = lambda dt; and the estimate of the error.
struct Response {
  std::complex<double> end, error;
};
Response response(const Method& method, std::complex<double> z) {
  std::vector<std::complex<double>> u;
  Response r{0, 0};
  for (std::size_t i = 0; i < std::size_t(method.stages); ++i) {
    std::complex<double> known = 1;
    for (std::size_t j = 0; j < i; ++j) known += method.weight[i][j] * z * u[j];
    u.push_back(known / (1.0 - method.weight[i][i] * z));
    r.error += method.error[i] * z * u[i];
  }
  r.end = u.back();
  return r;
}

class TimeMethod : public ::testing::TestWithParam<const char*> {
 protected:
  const Method& method = time_method_named(GetParam());
  const std::array<double, 3>& b = method.weight[std::size_t(method.last())];
};

TEST_P(TimeMethod, EveryStageIsExactForConstantRates) {
  for (std::size_t i = 0; i < std::size_t(method.stages); ++i)
    EXPECT_NEAR(sum(method, method.weight[i], [](std::size_t) { return 1.0; }), method.time[i], rounding) << i;
}

TEST_P(TimeMethod, StepsMeetTheConditionsOfTheirOrderAndNotOfTheNext) {
  const auto& c = method.time;
  const double first = sum(method, b, [](std::size_t) { return 1.0; });
  const double second = sum(method, b, [&](std::size_t i) { return c[i]; });
  const double third = sum(method, b, [&](std::size_t i) { return c[i] * c[i]; });
  EXPECT_NEAR(first, 1, rounding);
  EXPECT_EQ(std::abs(second - 1.0 / 2) < 2 * rounding, method.order >= 2);
  EXPECT_EQ(std::abs(third - 1.0 / 3) < 2 * rounding, method.order >= 3);
}

TEST_P(TimeMethod, TheEmbeddedMethodIsOfOneOrderMore) {
  const auto& c = method.time;
  const auto embedded = [&](const auto& f) { return sum(method, b, f) - sum(method, method.error, f); };
  EXPECT_NEAR(embedded([](std::size_t) { return 1.0; }), 1, rounding);
  EXPECT_NEAR(embedded([&](std::size_t i) { return c[i]; }), 1.0 / 2, rounding);
  if (method.order < 2) return;
  EXPECT_NEAR(embedded([&](std::size_t i) { return c[i] * c[i]; }), 1.0 / 3, rounding);
  EXPECT_NEAR(
      embedded([&](std::size_t i) { return sum(method, method.weight[i], [&](std::size_t j) { return c[j]; }); }),
      1.0 / 6, rounding);
}

TEST_P(TimeMethod, ImplicitStagesShareOneFactor) {
  EXPECT_EQ(method.weight[0][0], 0);
  for (std::size_t i = 1; i < std::size_t(method.stages); ++i) EXPECT_EQ(method.weight[i][i], method.diagonal);
  EXPECT_EQ(method.time[std::size_t(method.last())], 1);
}

TEST_P(TimeMethod, NothingThatDecaysGrowsAndWhatIsStiffIsGone) {
  for (int k = 0; k <= 200; ++k)
    EXPECT_LE(std::abs(response(method, {0, 0.1 * k}).end), 1 + rounding);  // on the imaginary axis, so left of it
  EXPECT_LT(std::abs(response(method, -1e9).end), 1e-8);                    // R(infinity) = 0
}

TEST_P(TimeMethod, TheErrorOfAStepFallsWithItsOrderAndIsEstimated) {
  const auto error = [&](double z) { return std::real(response(method, z).end) - std::exp(z); };
  const auto estimate = [&](double z) { return std::real(response(method, z).error); };
  const double slope = std::log2(error(-0.02) / error(-0.01));
  EXPECT_NEAR(slope, method.order + 1, 0.05);
  EXPECT_NEAR(std::log2(estimate(-0.02) / estimate(-0.01)), method.error_order, 0.05);
  EXPECT_NEAR(estimate(-0.001) / error(-0.001), 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(All, TimeMethod, ::testing::Values("tr_bdf2", "backward_euler"));

TEST(TimeMethodNames, OthersAreAnErrorThatNamesThem) {
  try {
    time_method_named("euler");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::input);
    EXPECT_NE(error.message().find("euler"), std::string::npos);
  }
}

TEST(BackwardEuler, IsPositiveWhateverTheStep) {
  for (double z = 0; z < 1e6; z = 2 * z + 1) EXPECT_GT(std::real(response(backward_euler, -z).end), 0);
}

const StepControl control({.error_order = 3});

TEST(StepControl, ARejectedStepIsTriedAgainShorterAndTheNextIsNotLonger) {
  StepMemory memory{.size = 1};
  EXPECT_FALSE(control.accept(8, 1, memory));
  EXPECT_NEAR(memory.size, StepControl::safety / 2, rounding);  // the error falls with dt^3
  const double dt = memory.size;
  EXPECT_TRUE(control.accept(1e-6, dt, memory));
  EXPECT_EQ(memory.size, dt);
}

TEST(StepControl, ErrorsThatAreNotNumbersAreRejected) {
  StepMemory memory{.size = 1};
  EXPECT_FALSE(control.accept(NAN, 1, memory));
  EXPECT_FALSE(control.accept(INFINITY, 1, memory));
  EXPECT_GT(memory.size, 0);
  EXPECT_LT(memory.size, 1);
}

TEST(StepControl, TheLengthStaysUntilALongerOnePays) {
  StepMemory memory{.size = 1};
  for (const double error : {1.0, 0.9, 0.5, 0.3, 0.5, 0.8}) {  // 1: the tolerance itself is met
    EXPECT_TRUE(control.accept(error, 1, memory));
    EXPECT_EQ(memory.size, 1) << error;
  }
  EXPECT_TRUE(control.accept(1e-3, 1, memory));
  EXPECT_GE(memory.size, StepControl::growth_that_pays);
  EXPECT_LE(memory.size, StepControl::most_growth);
}

TEST(StepControl, AStepShortenedToMeetATimeDoesNotShortenTheNext) {
  StepMemory memory{.size = 1, .error = 0.5, .dt = 1};
  EXPECT_TRUE(control.accept(0.5e-6, 1e-2, memory));
  EXPECT_EQ(memory.size, 1);
}

TEST(StepControl, NothingExceedsTheLargestStep) {
  const StepControl limited({.error_order = 3, .largest = 1.2});
  StepMemory memory{.size = 1};
  EXPECT_TRUE(limited.accept(0, 1, memory));
  EXPECT_EQ(memory.size, 1.2);
}

// An ideal method: the error is (dt / dt_1)^3. The control settles where it is somewhat below 1.
TEST(StepControl, SettlesBelowTheTolerance) {
  StepMemory memory{.size = 1e-6};
  int steps = 0;
  for (; steps < 12; ++steps) {
    const double dt = memory.size;
    EXPECT_TRUE(control.accept(dt * dt * dt, dt, memory));
  }
  EXPECT_GT(memory.size, 1 / StepControl::growth_that_pays);
  EXPECT_LE(memory.size, 1);
}

TEST(TimeSteps, MeetTheTargetExactlyInEqualParts) {
  double t = 0.1, dt = 0;
  const double target = 1.3;
  int steps = 0;
  for (; t != target && steps < 100; ++steps) {
    const TimeStep step = next_step(t, target, 0.25, dt);
    if (steps > 0) {  // to the last bit: a matrix stays
      EXPECT_EQ(step.dt, dt);
    }
    dt = step.dt;
    t = step.end;
  }
  EXPECT_EQ(steps, 5);
  EXPECT_LE(dt, 0.25);
}

TEST(TimeSteps, AStepThatIsShortByRoundingOnlyIsNoReasonForTwo) {
  const TimeStep step = next_step(0.2, 0.3, 0.1 * (1 - 1e-12), 0.1);  // 0.3 - 0.2 < 0.1
  EXPECT_EQ(step.dt, 0.1);
  EXPECT_EQ(step.end, 0.3);
}

}  // namespace
}  // namespace ritz::time_methods_test
