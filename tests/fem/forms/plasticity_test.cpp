// Forms with internal variables, by von Mises plasticity: closed forms, and how increments keep and drop states.
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/plugins/von_mises.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::plasticity_test {
namespace {

const VonMisesPlasticity steel{
    .young = 200, .poisson = 0.3, .yield_stress = 0.25, .isotropic_hardening = 5, .kinematic_hardening = 15};

// A unit cube in tension, whose sides are free to contract.
struct Bar {
  explicit Bar(double stretch, const VonMisesPlasticity& form = steel, CellKind kind = CellKind::hex8,
               const Device& device = device_under_test())
      : model(box(2, 1, 1, {1, 1, 1}, kind), form.form(), device), fixed(model.space) {
    for (int c = 0; c < 3; ++c) fixed.prescribe(model.mesh.region(std::string(1, "xyz"[c]) + "0"), c, 0, "sides");
    fixed.prescribe(model.mesh.region("x1"), 0, stretch, "pulled end");
    fixed.finish();
  }
  double force(const std::vector<double>& reaction) const {
    double sum = 0;
    for (Index node = 0; node < model.mesh.node_count(); ++node)
      if (model.mesh.point(node)[0] > 0.999) sum += reaction[static_cast<std::size_t>(3 * node)];
    return sum;
  }
  DiscreteProblem model;
  Constraints fixed;
};

// The bar in one dimension: linear hardening, so steps of any size are exact. Simo and Hughes, box 1.5.
struct Bar1d {
  VonMisesPlasticity m;
  double plastic = 0, alpha = 0;
  double stress_at(double strain) {
    const double xi = m.young * (strain - plastic) - m.kinematic_hardening * plastic;
    const double beyond = std::abs(xi) - m.yield_stress - m.isotropic_hardening * alpha;
    if (beyond > 0) {
      const double slip = beyond / (m.young + m.isotropic_hardening + m.kinematic_hardening);
      plastic += std::copysign(slip, xi);
      alpha += slip;
    }
    return m.young * (strain - plastic);
  }
};

class PlasticBar : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Cells, PlasticBar,
                         ::testing::Values(CellKind::tet4, CellKind::tet10, CellKind::hex8, CellKind::hex20,
                                           CellKind::hex27, CellKind::prism6),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST_P(PlasticBar, FollowsTheBilinearPathThroughLoadUnloadReloadExactly) {
  const double stretch = 0.005;  // four times the first yield
  const Bar bar(stretch, steel, GetParam());
  const int increments = takes_small_sizes(device_under_test()) ? 1 : 4;
  Nonlinear options{.relative = 1e-12, .increments = increments, .path = {1, 0.2, 1.5, -1}, .shows_increments = true};
  Bar1d exact{steel};
  int seen = 0;
  const auto expect = [&](const SolutionView& s) {
    const double stress = exact.stress_at(s.part * stretch);
    EXPECT_NEAR(bar.force(s.reaction), stress, 1e-10) << "at " << *s.time;
    const DerivedFields fields = evaluate(bar.model.equations, s.u);
    ASSERT_GE(fields.components, 19);
    for (std::size_t cell = 0; cell < fields.at_cells.size(); cell += static_cast<std::size_t>(fields.components)) {
      EXPECT_NEAR(fields.at_cells[cell + 6], stress, 1e-10);
      EXPECT_NEAR(fields.at_cells[cell + 7], 0, 1e-10);
      EXPECT_NEAR(fields.at_cells[cell + 12], exact.plastic, 1e-13);
      EXPECT_NEAR(fields.at_cells[cell + 13], -exact.plastic / 2, 1e-13);
      EXPECT_NEAR(fields.at_cells[cell + 18], exact.alpha, 1e-13);
    }
    ++seen;
  };
  solve_nonlinear(bar.model.equations, bar.fixed, options, {.show = expect});
  EXPECT_EQ(seen, 4 * increments);
  EXPECT_GT(exact.alpha, 0.01);  // it did yield both ways
}

TEST(PointState, SlopeBehindYieldIsTheTangentModulus) {
  const Bar low(0.002), high(0.003);
  const double H = steel.isotropic_hardening + steel.kinematic_hardening;
  const double a = low.force(solve_nonlinear(low.model.equations, low.fixed, {.relative = 1e-12}).reaction);
  const double b = high.force(solve_nonlinear(high.model.equations, high.fixed, {.relative = 1e-12}).reaction);
  EXPECT_NEAR((b - a) / 0.001, steel.young * H / (steel.young + H), 1e-7);
}

// A block that is clamped at one end and bent by a shear traction at the other: elastic, plastic and unloading points
// at once.
struct Cantilever {
  explicit Cantilever(double traction, const VonMisesPlasticity& form = steel)
      : model(box(4, 2, 1, {4, 1, 1}, CellKind::hex20), 3,
              [&](const Mesh& mesh) {
                return std::vector{Integral::over_all_cells(form.form()),
                                   Integral::over(FormValue(Load<3, 3, 1>{{0, traction, 0}}), mesh.region("x1"))};
              }),
        fixed(model.space) {
    for (int c = 0; c < 3; ++c) fixed.prescribe(model.mesh.region("x0"), c, 0, "clamp");
    fixed.finish();
  }
  DiscreteProblem model;
  Constraints fixed;
};

double largest_alpha(const DerivedFields& fields) {
  double largest = 0;
  for (std::size_t cell = 0; cell < fields.at_cells.size(); cell += static_cast<std::size_t>(fields.components))
    largest = std::max(largest, fields.at_cells[cell + 18]);
  return largest;
}

TEST(PointState, StepsSquareTheResidual) {
  const Cantilever beam(0.05);
  const NonlinearSolution s = solve_nonlinear(beam.model.equations, beam.fixed, {.relative = 1e-12});
  EXPECT_GT(largest_alpha(evaluate(beam.model.equations, s.u)), 1e-3);
  ASSERT_GE(s.steps.size(), 4u);
  EXPECT_EQ(s.steps.back().length, 1);
  int squared = 0;  // once the plastic zone stands; the constant is that of the body
  for (std::size_t i = 1; i < s.steps.size(); ++i) {
    if (s.steps[i - 1].relative < 1e-2 && s.steps[i - 1].relative > 1e-7) {
      EXPECT_LE(s.steps[i].relative, 10 * std::pow(s.steps[i - 1].relative, 2) + 1e-12) << "step " << i + 1;
      ++squared;
    }
  }
  EXPECT_GE(squared, 1);
}

// An increment begins with points on the yield surface, give or take rounding. As it unloads all are elastic: one
// linear step.
TEST(PointState, UnloadsInOneStep) {
  for (const double hardening : {0.0, 5.0}) {
    VonMisesPlasticity form = steel;
    form.isotropic_hardening = form.kinematic_hardening = hardening;
    const Cantilever beam(hardening > 0 ? 0.05 : 0.016, form);
    const NonlinearSolution s =
        solve_nonlinear(beam.model.equations, beam.fixed, {.relative = 1e-10, .increments = 2, .path = {1, 0.8}});
    const auto steps_of = [&](int increment) { return std::ranges::count(s.steps, increment, &NewtonStep::increment); };
    EXPECT_GT(largest_alpha(evaluate(beam.model.equations, s.u)), 1e-5);
    EXPECT_GT(steps_of(2), 1) << "loading";
    EXPECT_EQ(steps_of(3), 1) << "hardening " << hardening;
    EXPECT_EQ(steps_of(4), 0) << "the extrapolation of elastic unloading is exact";
  }
}

TEST(PointState, UnloadingLeavesStressesInBalance) {
  const Cantilever beam(0.05);
  const NonlinearSolution s =
      solve_nonlinear(beam.model.equations, beam.fixed, {.relative = 1e-11, .increments = 2, .path = {1, 0}});
  const std::vector<double> u = beam.model.space.to_mesh(s.u);
  EXPECT_GT(*std::ranges::max_element(u), 1e-4);  // it stays bent
  double net[3] = {}, largest = 0;
  for (std::size_t i = 0; i < s.reaction.size(); ++i) {
    net[i % 3] += s.reaction[i];
    largest = std::max(largest, std::abs(s.reaction[i]));
  }
  for (const double force : net) EXPECT_NEAR(force, 0, 1e-9);
  EXPECT_LT(s.residual, 1e-11);
  const DerivedFields fields = evaluate(beam.model.equations, s.u);
  double stress = 0;
  for (std::size_t cell = 0; cell < fields.at_cells.size(); cell += static_cast<std::size_t>(fields.components))
    stress = std::max(stress, std::abs(fields.at_cells[cell + 6]));
  EXPECT_GT(stress, 0.01 * steel.yield_stress);
}

TEST(PointState, CommittedTangentIsThatOfDifferences) {
  const Cantilever beam(0.05);
  const Operator& equations = beam.model.equations;
  const NonlinearSolution s = solve_nonlinear(equations, beam.fixed, {.relative = 1e-10});
  const std::vector<double> u = s.u.host();  // from here on, partly unloading
  std::vector<double> at(u), v(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    v[i] = std::sin(1.7 * double(i));
    at[i] = 0.9 * u[i] + 1e-3 * std::cos(0.3 * double(i));
  }
  const Device& device = beam.model.space.device();
  const auto up = [&](const std::vector<double>& x) { return Vector(device, std::span<const double>(x), "vectors"); };
  const auto residual = [&](double h) {
    std::vector<double> x(at);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
    Vector r = beam.model.space.zeros();
    equations.residual(up(x), r);
    return r.host();
  };
  SparseMatrix K = equations.make_matrix();
  equations.assemble(up(at), K);
  Vector Kv = beam.model.space.zeros(), action = beam.model.space.zeros();
  K.apply(up(v), Kv);
  equations.action(up(at), up(v), action);
  const std::vector<double> plus = residual(1e-7), minus = residual(-1e-7), product = Kv.host(), other = action.host();
  const std::vector<double> diagonal = K.diagonal().host(), own = equations.diagonal(up(at)).host();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    difference += std::pow(product[i] - (plus[i] - minus[i]) / 2e-7, 2);
    size += product[i] * product[i];
    EXPECT_NEAR(other[i], product[i], 1e-10 * std::sqrt(size) + 1e-9);
    EXPECT_NEAR(own[i], diagonal[i], 1e-9 * std::abs(diagonal[i]));
  }
  EXPECT_LT(std::sqrt(difference / size), 1e-6);
}

TEST(PointState, GoesOnBehindAnyIncrementToTheLastBit) {
  const Cantilever beam(0.05);
  std::vector<State> states;
  Nonlinear options{.relative = 1e-10, .increments = 2, .path = {1, -0.5}};
  const NonlinearSolution whole = solve_nonlinear(beam.model.equations, beam.fixed, options,
                                                  {.keep = [&](const State& s) { states.push_back(s); }});
  const PointStates::Values end = beam.model.equations.states().values();
  ASSERT_EQ(states.size(), 3u);
  for (const State& state : states) {
    options.begin = state;
    const NonlinearSolution rest = solve_nonlinear(beam.model.equations, beam.fixed, options);
    EXPECT_EQ(rest.u.host(), whole.u.host()) << "behind increment " << state.increment;
    EXPECT_EQ(rest.reaction, whole.reaction);
    EXPECT_EQ(beam.model.equations.states().values(), end);
  }
}

// A failed increment leaves no trace: an increment in two halves is two increments. Slopes may change by 0.6 at once
// here, 1 is applied.
TEST(PointState, OfARejectedIncrementIsThrownAway) {
  const DiscreteProblem model(rectangle(3, 1, {1, 1}, CellKind::quad4), 1, [&](const Mesh& mesh) {
    return std::vector{Integral::over_all_cells(test_form(LimitedSteps{})),
                       Integral::over(facet_load(2, std::vector{1 / thickness}), mesh.region("x1"))};
  });
  Constraints fixed(model.space);
  fixed.prescribe(model.mesh.region("x0"), 0, 0, "x0");
  fixed.finish();
  EXPECT_THROW(solve_nonlinear(model.equations, fixed, {.increments = 1}), Error);
  for (const std::vector<double>& values : model.equations.states().values())
    for (const double value : values) EXPECT_EQ(value, 0);
  const NonlinearSolution halves = solve_nonlinear(model.equations, fixed, {.increments = 1, .halvings = 1});
  const PointStates::Values state = model.equations.states().values();
  for (const double value : state[0]) EXPECT_NEAR(value, 1, 1e-7);
  const NonlinearSolution two = solve_nonlinear(model.equations, fixed, {.increments = 2});
  EXPECT_EQ(model.equations.states().values(), state);
  EXPECT_EQ(two.u.host(), halves.u.host());
}

TEST(PointState, IsTheSameOnEveryBackEnd) {
  std::vector<PointStates::Values> states;
  for (const std::string& name : back_ends({"cpu:v3", "cpu:v4"})) {
    const Bar bar(0.004, steel, CellKind::hex8, Device::named(name, 2));
    solve_nonlinear(bar.model.equations, bar.fixed, {.relative = 1e-12});
    states.push_back(bar.model.equations.states().values());
  }
  for (const PointStates::Values& state : states)
    for (std::size_t k = 0; k < state[0].size(); ++k) EXPECT_NEAR(state[0][k], states[0][0][k], 1e-14);
}

TEST(PointState, IsForecastByItsTag) {
  const Bar bar(0.001);
  const MemoryNeeds needs = OperatorNeeds(bar.model.equations).of(Operator::Task::residual);
  ASSERT_TRUE(needs.by_tag().contains("point state"));
  Vector r = bar.model.space.zeros();
  bar.model.equations.residual(bar.model.space.zeros(), r);
  std::vector<std::int64_t> allocated;
  for (const auto& [tag, bytes] : bar.model.space.device().memory().statistics().live_by_tag)
    if (tag == "point state") allocated.push_back(bytes);
  EXPECT_THAT(allocated, ::testing::ElementsAre(needs.by_tag().at("point state")));
  EXPECT_FALSE(OperatorNeeds(bar.model.equations).of(Operator::Task::residual).by_tag().contains("point state"));
}

TEST(PointState, OfOtherEquationsIsRefused) {
  const Bar bar(0.001), finer(0.001, steel, CellKind::hex20);
  EXPECT_THROW(bar.model.equations.states().set(finer.model.equations.states().values()), Error);
  EXPECT_THROW(bar.model.equations.states().set({}), Error);
}

}  // namespace
}  // namespace ritz::test::plasticity_test
