// Oscillators under forces that are linear between times, against closed forms (Clough and Penzien, Dynamics of
// Structures, 1993, chapters 3 and 5; Chopra, Dynamics of Structures, chapter 4).
#include "fem/analysis/time_history.hpp"

#include "device/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ritz::test::time_history_test {
namespace {

constexpr double mass = 2, w = 7;  // [rad/s]

// One column with the load 1, and a base along x.
ModalSpace oscillator(double circular = w) {
  ModalSpace space;
  space.mass = {mass};
  space.stiffness = {mass * circular * circular};
  space.loads = {{1.0}};
  space.base = {{mass}};
  space.modes.directions = {0};
  return space;
}

std::vector<double> even_times(double end, int steps) {
  std::vector<double> times;
  for (int i = 0; i <= steps; ++i) times.push_back(end * i / steps);
  return times;
}

// amplitude(t) of the load, at the times.
template <class F>
TimeHistory loaded(std::vector<double> times, const F& amplitude, ModalDamping damping = {}) {
  ForceInTime force{{.load = 0}, {}};
  for (const double t : times) force.amplitude.push_back(amplitude(t));
  return {.damping = damping, .times = std::move(times), .forces = {std::move(force)}};
}

// visit(motion) at each time.
template <class F>
void follow(const ModalSpace& space, const TimeHistory& history, const F& visit) {
  for (MotionInTime motion(space, history);; motion.advance()) {
    visit(motion.now());
    if (motion.at_end()) return;
  }
}

TEST(TimeHistory, ALoadThatActsAtOnceSwingsToTwiceItsStaticAnswer) {
  const ModalSpace space = oscillator();
  const double rest = 3 / space.stiffness[0];
  double largest = 0;
  for (const int steps : {1, 7, 400})
    follow(space, loaded(even_times(5, steps), [](double) { return 3.0; }), [&](const HistoryMotion& m) {
      EXPECT_NEAR(m.q[0], rest * (1 - std::cos(w * m.time)), 1e-12 * rest) << steps;
      EXPECT_NEAR(m.velocity[0], rest * w * std::sin(w * m.time), 1e-12 * rest * w) << steps;
      EXPECT_NEAR(m.acceleration[0], rest * w * w * std::cos(w * m.time), 1e-11 * rest * w * w) << steps;
      largest = std::max(largest, m.q[0]);
    });
  EXPECT_NEAR(largest, 2 * rest, 1e-3 * rest);
}

// A ramp that ends is the sum of two ramps.
TEST(TimeHistory, StepsOfAnyLengthAreExactUnderARampThatEnds) {
  const ModalSpace space = oscillator();
  const double z = 0.05, wd = w * std::sqrt(1 - z * z), k = space.stiffness[0], end = 0.6;
  const auto ramp = [&](double t) {
    return t <= 0 ? 0
                  : (t - 2 * z / w +
                     std::exp(-z * w * t) * (2 * z / w * std::cos(wd * t) + (2 * z * z - 1) / wd * std::sin(wd * t))) /
                        k;
  };
  for (const std::vector<double>& times : {std::vector<double>{0, 0.6, 1.7, 1.75}, even_times(3, 50)})
    follow(space, loaded(times, [&](double t) { return std::min(t, end); }, {.ratio = z}),
           [&](const HistoryMotion& m) { EXPECT_NEAR(m.q[0], ramp(m.time) - ramp(m.time - end), 1e-12 * end / k); });
}

TEST(TimeHistory, CriticalAndStrongerDampingIsNoSpecialCase) {
  const ModalSpace space = oscillator();
  const double rest = 1 / space.stiffness[0];
  for (const double z : {1.0, 3.0}) {
    const double root = w * std::sqrt(std::max(0.0, z * z - 1)), a = -z * w + root, b = -z * w - root;
    follow(space, loaded(even_times(2, 9), [](double) { return 1.0; }, {.ratio = z}), [&](const HistoryMotion& m) {
      const double t = m.time, rests = z == 1 ? (1 + w * t) * std::exp(-w * t)
                                              : (a * std::exp(b * t) - b * std::exp(a * t)) / (a - b);
      EXPECT_NEAR(m.q[0], rest * (1 - rests), 1e-12 * rest) << z;
    });
  }
}

TEST(TimeHistory, ARigidMotionIsUniformlyAccelerated) {
  follow(oscillator(0), loaded(even_times(4, 5), [](double) { return 6.0; }), [](const HistoryMotion& m) {
    EXPECT_NEAR(m.q[0], 6 / mass * m.time * m.time / 2, 1e-12 * 24);
    EXPECT_NEAR(m.velocity[0], 6 / mass * m.time, 1e-12 * 12);
  });
}

// Residual vectors have much shorter periods than the steps.
TEST(TimeHistory, PeriodsFarBelowTheStepStayExact) {
  const double fast = 1e5;
  const ModalSpace space = oscillator(fast);
  const double rest = 1 / space.stiffness[0];
  follow(space, loaded(even_times(1, 4), [](double) { return 1.0; }),
         [&](const HistoryMotion& m) { EXPECT_NEAR(m.q[0], rest * (1 - std::cos(fast * m.time)), 1e-7 * rest); });
}

// At the begin the spring is at rest: the mass stays where it is in space, and moves against the base.
TEST(TimeHistory, ABaseThatMovesAtOnceLeavesTheMassBehind) {
  const TimeHistory history{.times = even_times(1, 10),
                            .forces = {{{.direction = {1, 0, 0}}, std::vector<double>(11, 9.81)}}};
  const ModalSpace space = oscillator();
  const ModalQuantity relative{.columns = {1}}, absolute{.columns = {1}, .carried = {1}, .is_acceleration = true};
  follow(space, history, [&](const HistoryMotion& m) {
    EXPECT_NEAR(m.of(relative), -9.81 / (w * w) * (1 - std::cos(w * m.time)), 1e-12);
    EXPECT_NEAR(m.of(absolute), 9.81 * (1 - std::cos(w * m.time)), 1e-11);
  });
}

TEST(TimeHistory, TimesThatDoNotAscendAreRefused) {
  const ModalSpace space = oscillator();
  const TimeHistory history{.times = {0, 1, 1}}, empty;
  EXPECT_THROW(MotionInTime(space, history), Error);
  EXPECT_THROW(MotionInTime(space, empty), Error);
  const TimeHistory short_of{.times = {0, 1}, .forces = {{{.load = 0}, {1.0}}}};
  EXPECT_THROW(MotionInTime(space, short_of), Error);
}

}  // namespace
}  // namespace ritz::test::time_history_test
