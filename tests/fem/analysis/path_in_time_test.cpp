// Load paths that take time: creep and relaxation by their closed forms, increments that follow them, and what is
// refused.
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/rate_control.hpp"
#include "fem/analysis/step.hpp"
#include "fem/materials/laws.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/plugins/material.hpp"
#include "mesh/generators.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::path_in_time_test {
namespace {

using ::testing::HasSubstr;

TEST(RateControl, TheErrorIsHalfOfTheSecondDifference) {
  RateControl control({-1, 0}, 0.1);
  const auto at = [](double t) {
    return RateControl::Points{{0, 5 * t}, {3, t * t}};
  };  // the first list does not count
  EXPECT_FALSE(control.error(at(0), at(1), 1));
  control.accept(at(0), at(1), 1);
  EXPECT_DOUBLE_EQ(*control.error(at(1), at(2), 1), 1.0 / 4 / 0.1);  // dt^2 / 2 times 2, over the largest value
  EXPECT_EQ(length_factor(0), 2);
  EXPECT_DOUBLE_EQ(length_factor(4), 0.45);
}

TEST(LoadPath, KnowsItsTimeWhereStagesTakeSome) {
  const LoadPath path({1, 1, 0}, 0, {0, 10, 4});
  EXPECT_EQ(path.time(0), 0);
  EXPECT_EQ(path.time(1), 0);
  EXPECT_DOUBLE_EQ(path.time(1.25), 2.5);
  EXPECT_DOUBLE_EQ(path.time(3), 14);
  EXPECT_FALSE(path.takes_time(0));
  EXPECT_TRUE(path.takes_time(1));
  EXPECT_EQ(path.part(1.5), 1);
}

// A cube in uniaxial stress, under a traction or drawn.
struct Bar {
  explicit Bar(FormValue form) : any(mesh) {
    any.material("all", std::move(form));
    for (int c = 0; c < 3; ++c) any.loads.prescribe(std::array{"x0", "y0", "z0"}[static_cast<std::size_t>(c)], c, 0);
  }
  Model model() const { return any.model(Device::named("cpu", 1)); }
  double force(const std::vector<double>& reaction) const {
    double sum = 0;
    for (Node node = 0; node < mesh.node_count(); ++node)
      if (mesh.point(node)[0] > 0.5) sum += reaction[static_cast<std::size_t>(3 * node)];
    return sum;
  }

  Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  AnyForm any;
};

constexpr double young = 200e3;  // MPa; time in h

// Held at a strain, Norton's law gives d(stress)/dt = -E a stress^n.
double relaxed(double stress, double a, double n, double t) {
  return std::pow(std::pow(stress, 1 - n) + (n - 1) * young * a * t, 1 / (1 - n));
}

TEST(PathInTime, StressRelaxesAsNortonsLawHasItAndTheErrorFollowsTheTolerance) {
  const double a = 1e-14, n = 4, end = 1000, strain = 1e-3, exact = relaxed(200, a, n, end);
  Bar bar(material(Norton{young, 0.3, a, n, 0}));
  bar.any.loads.prescribe("x1", 0, strain);
  const Model model = bar.model();
  const auto error = [&](double tolerance) {
    Nonlinear analysis{.relative = 1e-11, .path = {1, 1}};
    analysis.time = {.durations = {0, end}, .tolerance = tolerance};
    const NonlinearSolution s = solve(model, analysis);
    EXPECT_EQ(s.time, end);
    EXPECT_EQ(s.notice, "");
    return std::abs(bar.force(s.reaction) / exact - 1);
  };
  const double coarse = error(4e-3), fine = error(4e-5);
  EXPECT_LT(exact, 120);
  EXPECT_LT(coarse, 0.03);
  EXPECT_LT(fine, coarse / 6);  // of first order: a hundredth of the error of one is a tenth of all
}

// NAFEMS R0027: 1000 h under 200 MPa with 3.125e-14 stress^5 per hour; the creep strain is 10 along, -5 across.
TEST(PathInTime, CreepAtConstantStressIsExactWhateverTheIncrements) {
  Bar bar(material(Norton{young, 0.3, 3.125e-14, 5, 0}));
  bar.any.loads.load("x1", {200, 0, 0});
  Nonlinear analysis{.path = {1, 1}};
  analysis.time.durations = {0, 1000};
  const Model model = bar.model();
  const NonlinearSolution s = solve(model, analysis);
  const std::vector<double> u = s.u.host();
  EXPECT_NEAR(*std::ranges::max_element(u), 10 + 1e-3, 1e-6);
  EXPECT_NEAR(*std::ranges::min_element(u), -5 - 0.3e-3, 1e-6);
  EXPECT_LT(s.increments, 60);
}

// E(1) = 100 (1 - 0.5 (1 - exp(-1))); the law is exact for strains that are linear in time over an increment.
TEST(PathInTime, TheModulusRelaxesAsItsPronySeries) {
  Bar bar(material(Prony{100, 0.3, 0.5, 0.5, 1, 0, 0, 1, 0, 0, 1}));
  bar.any.loads.prescribe("x1", 0, 0.01);
  Nonlinear analysis{.relative = 1e-11, .path = {1, 1}};
  analysis.time.durations = {0, 1};
  EXPECT_NEAR(bar.force(solve(bar.model(), analysis).reaction) / 0.01, 68.394, 5e-4);
}

// A step of loading, then one of creep from its state.
TEST(PathInTime, StepsGoOnInTimeFromTheStateBefore) {
  Bar bar(material(Norton{young, 0.3, 3.125e-14, 3, 1}));  // grows with t: the second hour creeps three times as far
  bar.any.loads.load("x1", {200, 0, 0});
  const Model model = bar.model();
  Nonlinear load, hold;
  load.time.durations = {0};
  hold.time.durations = {1};
  State state = solve(Step{model, load}, {});
  const double elastic = std::ranges::max(state.u);
  EXPECT_NEAR(elastic, 1e-3, 1e-9);
  state = solve(Step{model, hold}, std::move(state));
  EXPECT_EQ(state.time, 1);
  const double first = std::ranges::max(state.u) - elastic;
  EXPECT_NEAR(first / (3.125e-14 * 8e6 / 2), 1, 1e-5);
  state = solve(Step{model, hold}, std::move(state));
  EXPECT_NEAR((std::ranges::max(state.u) - elastic) / first, 4, 1e-5);
}

TEST(PathInTime, ResumesAfterAnyIncrementToTheLastBit) {
  Bar bar(material(Norton{young, 0.3, 1e-14, 4, 0}));
  bar.any.loads.prescribe("x1", 0, 1e-3);
  const Model model = bar.model();
  Nonlinear analysis{.path = {1, 1}};
  analysis.time.durations = {0, 1000};
  std::vector<State> states;
  const NonlinearSolution whole = solve(model, analysis, {.keep = [&](const State& s) { states.push_back(s); }});
  ASSERT_GT(states.size(), 6u);
  analysis.begin = states[states.size() / 2];
  const NonlinearSolution rest = solve(model, analysis);
  EXPECT_EQ(rest.u.host(), whole.u.host());
  EXPECT_EQ(rest.reaction, whole.reaction);
  EXPECT_EQ(rest.increments, whole.increments);
}

// A force or a displacement that grows with t needs no part of the path; what acts at the begin grows by the part.
TEST(PathInTime, FormulasOfTimeAreLoadsAndValuesAtTheirTime) {
  for (const double at_begin : {0.0, 0.3})
    for (const bool prescribed : {false, true}) {
      Bar bar(material(LinearElastic{young, 0}));
      const PointExpression course = at_begin + 50.0 * PointExpression::t();
      if (prescribed) bar.any.loads.prescribe("x1", 0, Coefficient((1 / young) * course));
      else bar.any.loads.load("x1", {Coefficient(course), 0, 0});
      Nonlinear analysis{.relative = 1e-12, .shows_increments = true};
      analysis.time = {.durations = {4}, .sizes = {.first = 0.25, .largest = 0.25}};
      const Model model = bar.model();
      int shown = 0;
      double left = 1;  // the part of what acts at the begin that is yet to come
      const Observer compare{.show = [&](const SolutionView& v) {
        ++shown;
        const double expected = 50 * *v.time + at_begin * (1 - left * (1 - *v.time / 4));
        EXPECT_NEAR(std::ranges::max(v.u.host()), expected / young, 1e-12);
      }};
      State end = solve(Step{model, analysis}, {}, compare);
      EXPECT_EQ(shown, 4);
      left = 0;  // the next path begins where this one ended
      solve(Step{model, analysis}, std::move(end), compare);
      EXPECT_GT(shown, 4);
    }
}

TEST(PathInTime, ContradictionsAreErrorsThatNameTheRemedy) {
  Bar bar(material(Norton{young, 0.3, 1e-14, 4, 0}));
  bar.any.loads.load("x1", {1, 0, 0});
  const Model model = bar.model();
  const auto words = [&](Nonlinear analysis) -> std::string {
    try {
      solve(model, std::move(analysis));
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  Nonlinear analysis;
  EXPECT_THAT(words(analysis), HasSubstr("give the path [newton] durations"));
  analysis.time.durations = {0, 1};
  EXPECT_THAT(words(analysis), HasSubstr("2 durations of a path of 1 stages"));
  analysis.time.durations = {-1};
  EXPECT_THAT(words(analysis), HasSubstr("a stage of -1 s"));
  analysis.time.durations = {1};
  analysis.control = Nonlinear::Control::arc_length;
  EXPECT_THAT(words(analysis), HasSubstr("durations along the arc length"));
}

}  // namespace
}  // namespace ritz::test::path_in_time_test
