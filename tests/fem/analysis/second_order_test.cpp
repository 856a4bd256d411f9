// Evolution of second order in time on problems whose solutions are known: oscillators, bars, solids; order, energies,
// moving supports, free flight.
#include "fem/analysis/analysis.hpp"
#include "fem/elements/bar.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/mass.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/loads.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"
#include "solvers/time/generalised_alpha.hpp"
#include "tests/fem/stateful_forms.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>
#include <complex>
#include <gmock/gmock.h>
#include <map>
#include <numbers>
#include <optional>

namespace ritz::test::second_order_test {
namespace {

using std::numbers::pi;
using FieldInTime = std::function<double(const Point& x, double t)>;

Device single_thread() { return Device::named("cpu", 1); }

PointFunction over_points(const FieldInTime& f) {
  return [f](std::span<const double> points, double t, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = f({points[3 * i], points[3 * i + 1], points[3 * i + 2]}, t);
  };
}

Transient exactly(Transient options) {
  options.newton.relative = 1e-13;
  options.linear.relative = 1e-13;
  return options;
}

// A chain of bars along x from a wall, that moves along x alone. E A = 200, L = 1.
const Mesh& chain(Index count) {
  static std::map<Index, Mesh> meshes;
  const auto found = meshes.find(count);
  if (found != meshes.end()) return found->second;
  MeshData data{.structural = true};
  std::vector<Node> all, cells;
  for (Index n = 0; n <= count; ++n) {
    data.points.insert(data.points.end(), {double(n) / double(count), 0, 0});
    all.push_back(Node(n));
    if (n > 0) cells.insert(cells.end(), {Node(n - 1), Node(n)});
  }
  data.blocks.push_back({CellKind::line2, cells});
  data.regions.push_back({.name = "wall", .kind = RegionKind::nodes, .nodes = {0}});
  data.regions.push_back({.name = "end", .kind = RegionKind::nodes, .nodes = {Node(count)}});
  data.regions.push_back({.name = "all", .kind = RegionKind::nodes, .nodes = all});
  return meshes.emplace(count, Mesh(std::move(data))).first->second;
}

constexpr double stiffness = 200;
Model bars(Index count, std::vector<Integral> inertia, const Coefficient& wall = 0) {
  const Mesh& mesh = chain(count);
  return {.space = FunctionSpace(mesh, 3, single_thread()),
          .equations = {Integral::over_all_cells(Bar{stiffness, 1})},
          .inertia = std::move(inertia),
          .supports = {{&mesh.region("wall"), 0, wall}, {&mesh.region("all"), 1, 0}, {&mesh.region("all"), 2, 0}},
          .rigid = RigidModes::solid};
}
Model rod(Index count) { return bars(count, {Integral::over_all_cells(LineMass{3})}); }

// Mass on a spring: m = 2, k = 200, w = 10.
constexpr double mass = 2, omega = 10;
Model oscillator(const Coefficient& wall = 0) { return bars(1, {Integral::at_nodes(node_mass<3>(mass), {1})}, wall); }
constexpr std::size_t tip = 3;  // its unknown

State moving(const Model& model, std::size_t unknown, double u, double v) {
  State state = uniform_state(model, 0);
  state.v = state.u;
  state.u[unknown] = u;
  state.v[unknown] = v;
  return state;
}

struct Motion {
  double u, v, a;
};
// u'' + 2 z w u' + w^2 u = 0 with u(0) = 1, u'(0) = 3
Motion damped_motion(double ratio, double t) {
  const std::complex<double> s = omega * std::complex<double>(-ratio, std::sqrt(1 - ratio * ratio));
  const std::complex<double> amplitude(1, (s.real() - 3) / s.imag());
  const std::complex<double> u = amplitude * std::exp(s * t);
  return {u.real(), (s * u).real(), (s * s * u).real()};
}

struct SpectralRadius : ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Of, SpectralRadius, ::testing::Values(0.0, 0.5, 0.8, 1.0));

// With damping of both kinds: z = (0.6 / 10 + 0.008 * 10) / 2 = 0.07.
TEST_P(SpectralRadius, UnknownVelocityAndAccelerationAreOfOrderTwo) {
  Model model = oscillator();
  model.damping = {.mass = 0.6, .stiffness = 0.008};
  const auto errors = [&](int count) {
    Motion shown{};
    solve(model,
          exactly(
              {.end = 1, .spectral_radius = GetParam(), .fixed_step = 1.0 / count, .begin = moving(model, tip, 1, 3)}),
          {.show = [&](const SolutionView& s) {
            shown = {s.u.host()[tip], s.velocity->host()[tip], s.acceleration->host()[tip]};
          }});
    const Motion exact = damped_motion(0.07, 1);
    return std::array{shown.u - exact.u, shown.v - exact.v, shown.a - exact.a};
  };
  const auto coarse = errors(200), fine = errors(400);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(std::log2(std::abs(coarse[i] / fine[i])), 2, 0.15) << "derivative " << i;
}

// One step multiplies the fastest motions by the spectral radius, up to the sign, once the first steps are over.
TEST_P(SpectralRadius, IsWhatAStepLeavesOfTheFastestMotions) {
  const Model model = oscillator();
  const double h = 1e5 / omega;
  std::vector<double> sizes;
  solve(model,
        exactly({.end = 40 * h, .spectral_radius = GetParam(), .fixed_step = h, .begin = moving(model, tip, 1, 0)}),
        {.keep = [&](const State& s) {
          if (s.steps > 0) sizes.push_back(std::hypot(s.u[tip], h * s.v[tip], h * h * s.a[tip]));
        }});
  if (GetParam() == 0) {
    EXPECT_LT(sizes[5], 1e-6 * sizes[0]);
  } else {  // a double or triple root: up to a factor that grows like the steps
    EXPECT_NEAR(std::pow(sizes[39] / sizes[29], 0.1), GetParam(), 0.1);
  }
}

TEST(GeneralisedAlphaCoefficients, AreThoseOfAverageAccelerationAtOne) {
  const GeneralisedAlpha m = generalised_alpha(1);
  EXPECT_EQ(m.beta, 0.25);
  EXPECT_EQ(m.gamma, 0.5);
  EXPECT_EQ(m.lag(), 0);
}

// All motions of a bar at once, for 100 000 steps: the energy is that of the begin, but for rounding.
TEST(SecondOrder, AnUndampedBarKeepsItsEnergy) {
  const Model model = rod(4);
  State begin = uniform_state(model, 0);
  begin.v = begin.u;
  begin.u[12] = 0.01;
  begin.v[6] = 0.3;
  double worst = 0;
  const double h = 2 * pi / std::sqrt(stiffness / 3) / 30;
  const State end = solve(model, exactly({.end = 1e4 * h, .spectral_radius = 1, .fixed_step = h, .begin = begin}),
                          {.keep =
                               [&](const State& s) {
                                 if (s.steps > 0) worst = std::max(worst, std::abs(s.energy.lost()) / s.energy.begin);
                               }})
                        .state;
  EXPECT_EQ(end.steps, 10000);
  EXPECT_LT(worst, 1e-11);  // 10 000 roundings are 2e-12
  // Not by the sums alone: the energy of the bars by their lengths.
  double strain = 0;
  for (std::size_t i = 0; i < 4; ++i) strain += 0.5 * 4 * stiffness * std::pow(end.u[3 * i + 3] - end.u[3 * i], 2);
  EXPECT_NEAR(strain, end.energy.strain, 1e-10 * end.energy.begin);
}

TEST(SecondOrder, NumericalDampingTakesEnergyAndNeverGivesAny) {
  const Model model = rod(4);
  const State end =
      solve(model, exactly({.end = 2, .spectral_radius = 0.5, .fixed_step = 0.02, .begin = moving(model, 12, 0, 1)}),
            {.keep = [&](const State& s) { EXPECT_GE(s.energy.lost(), -1e-12); }})
          .state;
  EXPECT_GT(end.energy.lost(), 0.05 * end.energy.begin);
  EXPECT_LT(end.energy.lost(), end.energy.begin);
}

// A force at once on a damped mass: in the end F u of work, of which half is strain energy.
TEST(SecondOrder, DampingTakesHalfOfTheWorkOfASuddenForce) {
  for (const RayleighDamping damping : {RayleighDamping{.mass = 4}, RayleighDamping{.stiffness = 0.04}}) {
    Model model = oscillator();
    model.damping = damping;
    model.equations.push_back(Integral::at_nodes(NodeLoad<3>{{5, 0, 0}, {}}, {1}));
    const State end = solve(model, exactly({.end = 8, .spectral_radius = 1, .fixed_step = 0.01})).state;
    EXPECT_NEAR(end.u[tip], 5 / stiffness, 1e-8);
    EXPECT_NEAR(end.energy.by_loads, 25 / stiffness, 1e-7);
    EXPECT_NEAR(end.energy.damped, 12.5 / stiffness, 1e-7);
    EXPECT_NEAR(end.energy.strain, 12.5 / stiffness, 1e-7);
    EXPECT_LT(std::abs(end.energy.lost()), 1e-14);
  }
}

// From rest the mass overshoots twice the static displacement, half a period later (Clough and Penzien, section 4-3).
TEST(SecondOrder, ASuddenForceMovesAnOscillatorTwiceAsFar) {
  Model model = oscillator();
  model.equations.push_back(Integral::at_nodes(NodeLoad<3>{{5, 0, 0}, {}}, {1}));
  double most = 0, when = 0, force = 0;
  solve(model, exactly({.end = 0.5, .output = {pi / omega}, .fixed_step = 1e-4}), {.show = [&](const SolutionView& s) {
          if (s.u.host()[tip] <= most) return;
          most = s.u.host()[tip];
          when = *s.time;
          force = s.reaction[0];
        }});
  EXPECT_NEAR(most, 2 * 5 / stiffness, 1e-6 * most);
  EXPECT_NEAR(when, pi / omega, 1e-9);
  EXPECT_NEAR(force, -10, 1e-4);
}

AttachedMotion mass_of_nodes(std::vector<Node> nodes, double size) {
  AttachedMotion motion{.mass = size};
  for (const Node node : nodes) motion.terms.push_back({node, 0, 1 / static_cast<double>(nodes.size())});
  return motion;
}

TEST_P(SpectralRadius, AMassAtAReferencePointIsOneAtItsNode) {
  const Coefficient wall = over_points([](const Point&, double t) { return 0.1 * std::sin(3 * t); });
  Model at_node = bars(2, {Integral::over_all_cells(LineMass{3}), Integral::at_nodes(node_mass<3>(mass), {2})}, wall);
  Model attached = bars(2, {Integral::over_all_cells(LineMass{3})}, wall);
  attached.attached = {
      mass_of_nodes({2}, mass), {.terms = {{2, 1, 1.0}}, .mass = mass}, {.terms = {{2, 2, 1.0}}, .mass = mass}};
  const auto end_of = [&](Model& model, double step) {
    model.damping = {.mass = 0.6, .stiffness = 0.008};
    return solve(
               model,
               exactly({.end = 1, .spectral_radius = GetParam(), .fixed_step = step, .begin = moving(model, 6, 1, 3)}))
        .state;
  };
  for (const double step : {0.01, 0.0}) {
    const State a = end_of(at_node, step), b = end_of(attached, step);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_NEAR(a.u[6], b.u[6], 1e-11);
    EXPECT_NEAR(a.v[6], b.v[6], 1e-10);
    EXPECT_NEAR(a.a[6], b.a[6], 1e-9);
    for (const auto energy : {&EnergyBalance::begin, &EnergyBalance::kinetic, &EnergyBalance::strain,
                              &EnergyBalance::damped, &EnergyBalance::by_supports})
      EXPECT_NEAR(a.energy.*energy, b.energy.*energy, 1e-8 * a.energy.begin);
  }
}

// Nodes 1 and 2 have no mass of their own, but move one in the mean: a force on one of them moves both.
TEST(SecondOrder, AMassAtAReferencePointMovesAllOfItsNodesAtTheBegin) {
  Model model = bars(3, {Integral::at_nodes(node_mass<3>(mass), {3})});
  model.attached = {mass_of_nodes({1, 2}, 4)};
  model.equations.push_back(Integral::at_nodes(NodeLoad<3>{{8, 0, 0}, {}}, {1}));
  std::vector<double> a;
  solve(model, exactly({.end = 1e-3, .fixed_step = 1e-3}), {.show = [&](const SolutionView& s) {
          if (a.empty()) a = s.acceleration->host();
        }});
  EXPECT_NEAR(a[3], 2, 1e-12);
  EXPECT_NEAR(a[6], 2, 1e-12);
  EXPECT_NEAR(a[9], 0, 1e-12);
}

TEST(SecondOrder, SpringsAtReferencePointsAreRefused) {
  Model model = oscillator();
  model.attached = {{.terms = {{1, 0, 1.0}}, .stiffness = 3}};
  EXPECT_THROW(solve(model, exactly({.end = 1, .fixed_step = 0.1})), Error);
}

// The wall moves by g = sin 3t: m u'' + k (u - g) = 0.
TEST_P(SpectralRadius, AMovingSupportDrivesTheMassWithOrderTwo) {
  const Model model = oscillator(over_points([](const Point&, double t) { return std::sin(3 * t); }));
  const auto run = [&](int count) {
    return solve(model, exactly({.end = 1, .spectral_radius = GetParam(), .fixed_step = 1.0 / count})).state;
  };
  const double c = omega * omega / (omega * omega - 9);
  const double exact = c * std::sin(3.0) - 3 * c / omega * std::sin(omega);
  const State coarse = run(200), fine = run(400);
  EXPECT_NEAR(std::log2(std::abs((coarse.u[tip] - exact) / (fine.u[tip] - exact))), 2, 0.15);
  EXPECT_NEAR(fine.v[0], 3 * std::cos(3.0), 1e-4);
  EXPECT_NEAR(fine.a[0], -9 * std::sin(3.0), 1e-3);
  EXPECT_LT(std::abs(fine.energy.lost()), 0.3 * std::abs(coarse.energy.lost()) + 1e-10);
}

// Work that a moving wall gives to a rod that is damped by its mass, the part of the wall's own node included, is
// stored or damped.
TEST(SecondOrder, AMovingSupportDoesTheWorkThatDampingTakes) {
  Model model = bars(2, {Integral::over_all_cells(LineMass{3})},
                     over_points([](const Point&, double t) { return std::sin(3 * t); }));
  model.damping = {.mass = 4};
  const EnergyBalance energy =
      solve(model, exactly({.end = 2, .spectral_radius = 1, .fixed_step = 0.005, .begin = moving(model, 0, 0, 3)}))
          .state.energy;
  EXPECT_GT(energy.damped, 10);
  EXPECT_LT(std::abs(energy.lost()), 1e-3 * energy.damped);
}

// A support that starts at a speed of 1 at once: the momentum of its node is that of its speed, whatever the steps.
TEST(SecondOrder, AnAbruptMotionOfASupportHasItsImpulse) {
  const FieldInTime ramp = [](const Point&, double t) { return std::max(0.0, t - 0.1234); };
  const Model model = bars(1, {Integral::over_all_cells(LineMass{3})}, over_points(ramp));
  for (const double h : {0.01, 0.013}) {
    double sum = 0;
    solve(model, exactly({.end = 0.5, .fixed_step = h}),
          {.keep = [&](const State& s) { sum += s.steps > 0 ? s.dt * s.a[0] : 0; }});
    EXPECT_NEAR(sum, 1, 1e-9) << h;
  }
}

// Plane strain: u = (1 + 2 x - 3 y, x + 4 y) g(t) is in the space, and its stress in balance with itself.
struct DrivenSolid {
  explicit DrivenSolid(double (*g)(double), double (*second)(double), double alpha = 0,
                       double (*first)(double) = nullptr)
      : mesh(rectangle(4, 3, {1, 1}, CellKind::quad4, {.random = 0.05})), body(mesh) {
    body.material("all", {.young = 20, .poisson = 0.3, .density = density});
    const auto field = [](int c, const Point& x) { return c == 0 ? 1 + 2 * x[0] - 3 * x[1] : x[0] + 4 * x[1]; };
    exact = [field, g](int c, const Point& x, double t) { return field(c, x) * g(t); };
    std::vector<Coefficient> force;
    for (int c = 0; c < 2; ++c) {
      for (const char* side : {"x0", "x1", "y0", "y1"})
        body.loads.displacement(side, c,
                                over_points([field, g, c](const Point& x, double t) { return field(c, x) * g(t); }));
      force.emplace_back(over_points([=](const Point& x, double t) {
        return density * field(c, x) * (second(t) + (first != nullptr ? alpha * first(t) : 0));
      }));
    }
    body.loads.body_force("all", force);
    model.emplace(body.model(single_thread()));
    model->damping = {.mass = alpha};
    begin = uniform_state(*model, 0);
    begin.v = begin.u;
    for (Index n = 0; n < model->space.node_count(); ++n)
      for (int c = 0; c < 2; ++c) {
        const auto i = std::size_t(2 * n + c);
        const Point x = model->space.point(Node(n));
        begin.u[i] = field(c, x) * g(0);
        begin.v[i] = field(c, x) * (g(1e-6) - g(-1e-6)) / 2e-6;
      }
  }
  double error(const State& state) const {
    double worst = 0;
    for (Index n = 0; n < model->space.node_count(); ++n)
      for (int c = 0; c < 2; ++c)
        worst = std::max(worst,
                         std::abs(state.u[std::size_t(2 * n + c)] - exact(c, model->space.point(Node(n)), state.time)));
    return worst;
  }
  static constexpr double density = 1.9;
  Mesh mesh;
  ElasticBody body;
  std::optional<Model> model;
  std::function<double(int, const Point&, double)> exact;
  State begin;
};

TEST_P(SpectralRadius, ASolidWithMovingSidesIsOfOrderTwo) {
  DrivenSolid solid([](double t) { return std::sin(3 * t) + 2; }, [](double t) { return -9 * std::sin(3 * t); }, 0.7,
                    [](double t) { return 3 * std::cos(3 * t); });
  const auto error = [&](int count) {
    return solid.error(
        solve(*solid.model,
              exactly({.end = 1, .spectral_radius = GetParam(), .fixed_step = 1.0 / count, .begin = solid.begin}))
            .state);
  };
  const double coarse = error(100), fine = error(200);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << coarse << " " << fine;
}

TEST(SecondOrder, MotionQuadraticInTimeIsExact) {
  DrivenSolid solid([](double t) { return 1 + 2 * t - 3 * t * t; }, [](double) { return -6.0; });
  const State end = solve(*solid.model, exactly({.end = 2, .fixed_step = 0.25, .begin = solid.begin})).state;
  EXPECT_LT(solid.error(end), 1e-6);  // the velocity at the begin is a difference
}

TEST(SecondOrder, WithoutAMatrixTheMotionIsTheSame) {
  const auto end = [](OperatorKind kind) {
    DrivenSolid solid([](double t) { return std::cos(5 * t); }, [](double t) { return -25 * std::cos(5 * t); });
    solid.model->damping = {.mass = 0.1, .stiffness = 0.002};
    Transient options = exactly({.end = 1, .fixed_step = 0.1, .begin = solid.begin});
    options.linear.operator_kind = kind;
    return solve(*solid.model, options).state.u;
  };
  const std::vector<double> with = end(OperatorKind::matrix), without = end(OperatorKind::matrix_free);
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_NEAR(with[i], without[i], 1e-9);
}

// A body without supports turns (as small displacements have it) and flies on: u = t v, exactly, whatever the steps.
TEST(SecondOrder, AFreeBodyMovesExactly) {
  const Mesh mesh = box(3, 2, 2, {1, 0.5, 0.4}, CellKind::tet10);
  ElasticBody body(mesh);
  body.material("all", {.young = 210e9, .poisson = 0.3, .density = 7850});
  const Model model = body.model(single_thread());
  State begin = uniform_state(model, 0);
  for (Index n = 0; n < model.space.node_count(); ++n) {
    const Point x = model.space.point(Node(n));
    begin.v.insert(begin.v.end(), {3 - 2 * x[1], -1 + 2 * x[0] - 0.5 * x[2], 4 + 0.5 * x[1]});
  }
  const std::vector<double> v = begin.v;
  for (const double fixed : {0.0, 0.125}) {
    const State end = solve(model, {.end = 1, .fixed_step = fixed, .begin = begin}).state;
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_NEAR(end.u[i], v[i], 1e-9);
      EXPECT_NEAR(end.v[i], v[i], 1e-9);
    }
    EXPECT_NEAR(end.energy.kinetic, end.energy.begin, 1e-9 * end.energy.begin);
    EXPECT_LT(end.energy.strain, 1e-12 * end.energy.begin);
  }
}

// Weight alone: v = g t, u = g t^2 / 2.
TEST(SecondOrder, AFreeBodyFallsExactly) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = 1e9, .poisson = 0.3, .density = 1000});
  body.loads.gravity({0, 0, -9.81});
  const State end = solve(body.model(single_thread()), exactly({.end = 2, .fixed_step = 0.1})).state;
  for (std::size_t i = 0; i < end.u.size(); ++i) {
    EXPECT_NEAR(end.u[i], i % 3 == 2 ? -0.5 * 9.81 * 4 : 0, 1e-9);
    EXPECT_NEAR(end.v[i], i % 3 == 2 ? -9.81 * 2 : 0, 1e-9);
  }
  EXPECT_NEAR(end.energy.by_loads, 1000 * 9.81 * 0.5 * 9.81 * 4, 1e-3);
}

// A cantilever let go in the shape of its first mode passes its rest after a quarter of the period of that mode.
TEST(SecondOrder, FreeVibrationHasTheFrequencyOfTheMode) {
  const Mesh mesh = box(8, 1, 1, {1, 0.1, 0.05}, CellKind::hex20);
  ElasticBody body(mesh);
  body.material("all", {.young = 210e9, .poisson = 0.3, .density = 7850});
  body.loads.fix("x0");
  const Model model = body.model(single_thread());
  const VibrationModes modes = solve(model, Modal{{.count = 1}});
  const double period = 1 / modes.frequencies[0];
  Vector shape = model.space.zeros();
  modes.eigen.vectors->get_column(0, shape);
  State begin;
  begin.u = shape.host();
  const auto largest = [](const std::vector<double>& u) {
    return std::abs(*std::ranges::max_element(u, {}, [](double each) { return std::abs(each); }));
  };
  std::vector<double> size;
  solve(model,
        {.end = period,
         .output = {period / 4, period / 2},
         .spectral_radius = 1,
         .fixed_step = period / 400,
         .newton = {.relative = 1e-10},
         .linear = {.relative = 1e-10},
         .begin = begin},
        {.show = [&](const SolutionView& s) { size.push_back(largest(s.u.host())); }});
  ASSERT_EQ(size.size(), 4u);
  const double delay = std::pow(2 * pi / 400, 2) / 12;  // of the phase, by average acceleration
  EXPECT_NEAR(size[1] / size[0], pi / 2 * delay, 0.2 * delay);
  EXPECT_NEAR(size[2] / size[0], 1, 1e-6);
  EXPECT_NEAR(size[3] / size[0], 1, 1e-6);
}

TEST(SecondOrder, StepsOfControlledLengthMeetTheTolerance) {
  const auto run = [](double tolerance) {
    const Model model = oscillator();
    const State end =
        solve(model, exactly({.end = 2, .tolerance = tolerance, .begin = moving(model, tip, 1, 3)})).state;
    return std::pair(std::abs(end.u[tip] - damped_motion(0, 2).u), end.steps);
  };
  const auto [loose, few] = run(1e-3);
  const auto [tight, many] = run(1e-6);
  EXPECT_LT(loose, 0.2);  // three periods; errors add up
  EXPECT_LT(tight, 0.01 * loose + 1e-3);
  EXPECT_LT(few, 200);
  EXPECT_GT(many, 5 * few);  // order 3 of the local error
  EXPECT_LT(many, 20 * few);
}

TEST(SecondOrder, FromEquilibriumNothingMoves) {
  const Mesh mesh = rectangle(6, 2, {1, 0.2}, CellKind::quad9);
  ElasticBody body(mesh);
  body.material("all", {.young = 1e6, .poisson = 0.3, .density = 1000});
  body.loads.fix("x0");
  body.loads.gravity({0, -9.81});
  Model model = body.model(single_thread());
  const std::vector<double> at_rest = solve(model, Static{.linear = {.relative = 1e-12}}).u.host();
  const State end = solve(model, exactly({.end = 1, .fixed_step = 0.05, .from_equilibrium = true})).state;
  const double sag = std::abs(*std::ranges::min_element(at_rest));
  for (std::size_t i = 0; i < at_rest.size(); ++i) EXPECT_NEAR(end.u[i], at_rest[i], 1e-9 * sag);
  EXPECT_LT(end.energy.kinetic, 1e-15 * end.energy.strain);
}

TEST(SecondOrder, AFreeBodyHasNoEquilibriumToBeginFrom) {
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad4);
  ElasticBody body(mesh);
  body.material("all", {.young = 1e6, .poisson = 0.3, .density = 1000});
  EXPECT_THROW(solve(body.model(single_thread()), Transient{.end = 1, .from_equilibrium = true}), Error);
}

// u'' = div (1 + 2 u) grad u + f with u = (1 + x - 2 y) g(t), linear in space.
Model nonlinear_membrane(double (*g)(double), double (*second)(double)) {
  static const Mesh mesh = rectangle(4, 3, {1, 1}, CellKind::tri3);
  const auto field = [](const Point& x) { return 1 + x[0] - 2 * x[1]; };
  const FieldInTime force = [=](const Point& x, double t) {
    return field(x) * second(t) - 2 * 5 * g(t) * g(t);  // 5 = |grad|^2
  };
  Model model{.space = FunctionSpace(mesh, 1, single_thread()),
              .equations = {Integral::over_all_cells(test_form(NonlinearDiffusion<2>{1, 2, 0})),
                            Integral::over_all_cells(FormValue(Load<1, 2, 0>{}, {over_points(force)}))},
              .inertia = {Integral::over_all_cells(Mass<1, 2>{1})},
              .linear = false,
              .definite = false,
              .rigid = {}};
  for (const char* side : {"x0", "x1", "y0", "y1"})
    model.supports.push_back(
        {&mesh.region(side), 0, over_points([=](const Point& x, double t) { return field(x) * g(t); })});
  return model;
}

TEST(SecondOrder, NonlinearEquationsKeepTheOrder) {
  const auto g = [](double t) { return 1 + 0.3 * std::sin(4 * t); };
  const Model model = nonlinear_membrane(g, [](double t) { return -4.8 * std::sin(4 * t); });
  State begin = uniform_state(model, 0);
  for (Index n = 0; n < model.space.node_count(); ++n) {
    const Point x = model.space.point(Node(n));
    begin.u[std::size_t(n)] = 1 + x[0] - 2 * x[1];
    begin.v.push_back(1.2 * begin.u[std::size_t(n)]);
  }
  const auto error = [&](int count) {
    const State end = solve(model, exactly({.end = 1, .fixed_step = 1.0 / count, .begin = begin})).state;
    double worst = 0;
    for (std::size_t i = 0; i < end.u.size(); ++i) worst = std::max(worst, std::abs(end.u[i] - begin.u[i] * g(1)));
    return worst;
  };
  const double coarse = error(40), fine = error(80);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << coarse << " " << fine;
}

// From each state that was kept the analysis ends with the same bits.
void expect_the_same_end_from_every_state(const Model& model, Transient options) {
  std::vector<State> kept;
  const State end = solve(model, options, {.keep = [&](const State& s) { kept.push_back(s); }}).state;
  ASSERT_EQ(Index(kept.size()), end.steps + 1);
  for (std::size_t i = 0; i < kept.size(); i += 3) {
    options.begin = kept[i];
    const State other = solve(model, options).state;
    EXPECT_EQ(other.u, end.u) << "from step " << i;
    EXPECT_EQ(other.v, end.v);
    EXPECT_EQ(other.a, end.a);
    EXPECT_EQ(other.steps, end.steps);
    EXPECT_EQ(other.energy.strain, end.energy.strain);
    EXPECT_EQ(other.energy.by_supports, end.energy.by_supports);
    EXPECT_EQ(other.energy.damped, end.energy.damped);
  }
}

TEST(SecondOrder, GoesOnWithTheSameBitsWhenLinear) {
  DrivenSolid solid([](double t) { return std::cos(5 * t); }, [](double t) { return -25 * std::cos(5 * t); });
  solid.model->damping = {.mass = 0.1, .stiffness = 0.002};
  expect_the_same_end_from_every_state(*solid.model,
                                       {.end = 0.5, .output = {0.1}, .tolerance = 1e-2, .begin = solid.begin});
}
TEST(SecondOrder, GoesOnWithTheSameBitsWhenNonlinear) {
  const Model model = nonlinear_membrane([](double t) { return 1 + 0.3 * std::sin(4 * t); },
                                         [](double t) { return -4.8 * std::sin(4 * t); });
  expect_the_same_end_from_every_state(model, {.end = 0.5, .tolerance = 1e-2});
}
TEST(SecondOrder, GoesOnWithTheSameBitsWithInternalVariables) {
  static const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad4);
  const Model model{
      .space = FunctionSpace(mesh, 1, single_thread()),
      .equations = {Integral::over_all_cells(
          test_form(YieldingByFlux{{.stiffness = 2, .yield = 0.05, .hardening = 0.3}}))},
      .inertia = {Integral::over_all_cells(Mass<1, 2>{0.1})},
      .supports = {{&mesh.region("x0"), 0, over_points([](const Point&, double t) { return 0.2 * std::sin(6 * t); })}},
      .linear = false,
      .definite = false,
      .rigid = {}};
  expect_the_same_end_from_every_state(model, {.end = 1, .fixed_step = 0.1});
}

// Two masses that keep their distance, whatever the bar between them: 2 m on the first bar, k = 400.
TEST(SecondOrder, UnknownsThatFollowOthersMoveWithThem) {
  Model model = bars(2, {Integral::at_nodes(node_mass<3>(mass), {1, 2})});
  LinearEquations distance{.origin = "a rigid link"};
  distance.add({{2, 0, 1.0}, {1, 0, -1.0}}, 0.05);
  model.relations = {distance};
  model.damping = {.mass = 0, .stiffness = 1e-3};
  const double w = std::sqrt(2 * stiffness / (2 * mass)), ratio = 0.5e-3 * w;
  State begin = moving(model, 3, 0.1, 0);
  begin.u[6] = 0.15;
  const State end = solve(model, exactly({.end = 1, .fixed_step = 1e-3, .begin = begin})).state;
  const double damped = w * std::sqrt(1 - ratio * ratio);
  EXPECT_NEAR(end.u[6], end.u[3] + 0.05, 1e-14);
  EXPECT_EQ(end.v[6], end.v[3]);
  EXPECT_EQ(end.a[6], end.a[3]);
  EXPECT_NEAR(end.u[3],
              0.1 * std::exp(-ratio * w) * (std::cos(damped) + ratio / std::sqrt(1 - ratio * ratio) * std::sin(damped)),
              1e-5);
}

// The begin takes the nearest motion that satisfies an equation, here by equal masses: which of both masses follows
// the other plays no part.
TEST(SecondOrder, AnEquationThatDoesNotHoldAtTheBeginMovesBothItsUnknownsAlike) {
  for (const bool turned : {false, true}) {
    Model model = bars(2, {Integral::at_nodes(node_mass<3>(mass), {1, 2})});
    LinearEquations distance{.origin = "a rigid link"};
    distance.add({{turned ? 1 : 2, 0, turned ? -1.0 : 1.0}, {turned ? 2 : 1, 0, turned ? 1.0 : -1.0}}, 0.05);
    model.relations = {distance};
    std::vector<double> first;
    solve(model, {.end = 1e-3, .fixed_step = 1e-3, .begin = moving(model, 3, 0.1, 0)},
          {.show = [&](const SolutionView& s) {
            if (first.empty()) first = s.u.host();
          }});
    EXPECT_NEAR(first[3], 0.025, 1e-12);
    EXPECT_NEAR(first[6], 0.075, 1e-12);
  }
}

TEST(SecondOrder, OneMatrixServesAllStepsOfALength) {
  const Model model = rod(8);
  std::map<double, int> lengths;
  const State end = solve(model, {.end = 3, .tolerance = 1e-4, .begin = moving(model, 24, 0, 1)},
                          {.step = [&](const AnalysisStep& step) { ++lengths[step.dt]; }})
                        .state;
  EXPECT_LT(lengths.size(), std::size_t(end.steps) / 4);
}

std::string refused(Model model, Transient options) {
  try {
    solve(model, std::move(options));
    return "";
  } catch (const Error& error) { return error.what(); }
}

TEST(SecondOrder, SaysWhatItCannotDo) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refused(oscillator(), {.end = 1, .spectral_radius = 1.5}), HasSubstr("spectral radius"));
  Model negative = oscillator();
  negative.damping.mass = -1;
  EXPECT_THAT(refused(negative, {.end = 1}), HasSubstr("Rayleigh damping of -1 M"));
}

TEST(RayleighDamping, HasItsRatiosAtBothFrequencies) {
  const RayleighDamping d = rayleigh_through({0.02, 40}, {0.03, 200});
  const auto ratio = [&](double f) { return (d.mass / (2 * pi * f) + d.stiffness * 2 * pi * f) / 2; };
  EXPECT_NEAR(ratio(40), 0.02, 1e-14);
  EXPECT_NEAR(ratio(200), 0.03, 1e-14);
  EXPECT_THROW(rayleigh_through({0.02, 40}, {0.02, 40}), Error);
  EXPECT_THROW(rayleigh_through({0.2, 40}, {0.01, 41}), Error);
}

}  // namespace
}  // namespace ritz::test::second_order_test
