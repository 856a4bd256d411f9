// Explicit steps against exact waves, modes and balances of energy.
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/lumped_mass.hpp"
#include "fem/elements/mass.hpp"
#include "fem/elements/shell.hpp"
#include "fem/elements/shell3.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "fem/physics/heat_conduction.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gmock/gmock.h>
#include <cmath>
#include <numbers>

namespace ritz::test::central_differences_test {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;

Device cpu() { return Device::named("cpu", 1); }

// A bar of unit stiffness and density, whose waves have the speed 1.
struct Bar {
  explicit Bar(int cells) : mesh(box(cells, 1, 1, {1, 0.1, 0.1}, CellKind::hex8)), body(mesh) {
    body.material("all", {.young = Coefficient(1), .poisson = Coefficient(0), .density = Coefficient(1)});
    for (const int c : {1, 2}) body.loads.displacement("all", c, 0);
  }
  std::vector<double> field(const Model& model, const std::function<double(double)>& f) const {
    std::vector<double> values;
    for (Index n = 0; n < mesh.node_count(); ++n) values.insert(values.end(), {f(mesh.point(n)[0]), 0, 0});
    return model.space.from_mesh(values).host();
  }
  Mesh mesh;
  ElasticBody body;
};

template <class Solve>
std::string refusal(const Solve& solve) {
  try {
    solve();
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why(); }
}

// With h = c dt they are the exact solution at the nodes: halves of the shape that run to and fro between fixed ends.
TEST(CentralDifferences, AreExactAtTheNodesOfABarInStepsOfItsCells) {
  constexpr int cells = 20;
  Bar bar(cells);
  for (const char* end : {"x0", "x1"}) bar.body.loads.displacement(end, 0, 0);
  const Model model = bar.body.model(cpu());
  const auto bump = [](double x) { return x > 0.2 && x < 0.6 ? std::pow(std::sin(pi * (x - 0.2) / 0.4), 2) : 0.0; };
  const auto around = [&](double x) {  // odd about both ends
    x = std::remainder(x, 2);
    return x < 0 ? -bump(-x) : bump(x);
  };
  for (const double t : {0.25, 0.85, 2.0}) {
    Transient analysis{.end = t, .central_differences = CentralDifferences{}, .fixed_step = 1.0 / cells};
    analysis.begin.u = bar.field(model, bump);
    const std::vector<double> u = solve(model, analysis).state.u,
                              exact = bar.field(model, [&](double x) { return 0.5 * (around(x - t) + around(x + t)); });
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], exact[i], 1e-12) << t;
  }
}

TEST(CentralDifferences, KnowTheLongestStableStep) {
  Bar bar(10);
  const Model model = bar.body.model(cpu());
  const auto steps = [&](double length) {
    return refusal(
        [&] { solve(model, Transient{.end = 1, .central_differences = CentralDifferences{}, .fixed_step = length}); });
  };
  EXPECT_EQ(steps(0.1), "");
  EXPECT_THAT(steps(0.102), HasSubstr("allows 0.1 at most"));
  const TransientResult own = solve(model, Transient{.end = 1, .central_differences = CentralDifferences{.part = 0.5}});
  EXPECT_EQ(own.state.steps, 20);
}

// A body that flies, turns and swings keeps its energy, but for what the steps make of it: it comes and goes.
TEST(CentralDifferences, KeepTheEnergyOfABodyInFreeMotion) {
  const Mesh mesh = box(4, 1, 1, {4, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(100), .poisson = Coefficient(0.3), .density = Coefficient(1)});
  const Model model = body.model(cpu(), {.order = 2});
  Transient analysis{.end = 20, .central_differences = CentralDifferences{.part = 0.5}};
  for (Index n = 0; n < model.space.node_count(); ++n) {
    const Point p = model.space.point(static_cast<Node>(n));
    analysis.begin.v.insert(analysis.begin.v.end(), {1, 0, 0.1 * (p[0] - 2) * (p[0] - 2)});
  }
  double worst = 0;
  const TransientResult end =
      solve(model, analysis,
            {.step = [&](const AnalysisStep& step) { worst = std::max(worst, std::abs(step.energy->lost())); }});
  EXPECT_GT(end.state.steps, 500);
  EXPECT_LE(worst, 0.01 * end.state.energy.begin);
  EXPECT_GT(end.state.energy.strain, 0);
}

// Cells of order 2 with scaled diagonals: the mass is kept, no part is negative, and a mode returns after its period.
TEST(CentralDifferences, SwingAModeThroughItsPeriod) {
  const Mesh mesh = box(6, 1, 1, {6, 1, 1}, CellKind::hex20);
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(100), .poisson = Coefficient(0.3), .density = Coefficient(2)});
  body.loads.fix("x0");
  const Model model = body.model(cpu());
  const std::vector<double> mass = lumped_mass(Operator(model.space, model.inertia)).host();
  double sum = 0;
  for (const double each : mass) sum += each;
  EXPECT_NEAR(sum, 3 * 2 * 6, 1e-9);
  EXPECT_GT(*std::ranges::min_element(mass), 0);

  const VibrationModes modes = solve(model, Modal{{.count = 1}});
  Vector shape = model.space.zeros();
  modes.eigen.vectors->get_column(0, shape);
  Transient analysis{.end = 1 / modes.frequencies[0], .central_differences = CentralDifferences{}};
  analysis.begin.u = shape.host();
  const Vector end(model.space.device(), std::span<const double>(solve(model, analysis).state.u), "vectors");
  EXPECT_NEAR(dot(end, shape) / dot(shape, shape), 1, 0.01);
}

// v = exp(-alpha t) of a free body under alpha M; a support that moves does the work that the body has.
TEST(CentralDifferences, BalanceDampingAndTheWorkOfSupports) {
  Bar bar(4);
  Model model = bar.body.model(cpu());
  model.damping.mass = 0.5;
  Transient analysis{.end = 2, .central_differences = CentralDifferences{.part = 0.2}};
  analysis.begin.v = bar.field(model, [](double) { return 1.0; });
  const State free = solve(model, analysis).state;
  EXPECT_NEAR(free.v[0], std::exp(-1), 1e-3);
  EXPECT_NEAR(free.energy.damped, free.energy.begin - free.energy.kinetic, 1e-3 * free.energy.begin);

  Bar pulled(20);
  pulled.body.loads.displacement("x0", 0, PointExpression::t() * PointExpression::t());
  const State moved =
      solve(pulled.body.model(cpu()), Transient{.end = 0.7, .central_differences = CentralDifferences{.part = 0.3}})
          .state;
  EXPECT_NEAR(moved.energy.by_supports, moved.energy.kinetic + moved.energy.strain, 0.02 * moved.energy.by_supports);
}

// Nodes of an end that move together anyway may be told to; then their masses are joined. A heavy motion of one unknown
// is a mass at its node.
TEST(CentralDifferences, JoinMassesByEquationsAndReferencePoints) {
  Bar bar(10);
  bar.body.loads.displacement("x0", 0, 0);
  const Model plain = bar.body.model(cpu());
  std::vector<Node> end;
  for (Node n = 0; n < plain.space.node_count(); ++n)
    if (plain.space.point(n)[0] > 1 - 1e-9) end.push_back(n);
  Transient analysis{.end = 1.3, .central_differences = CentralDifferences{}};
  analysis.begin.u = bar.field(plain, [](double x) { return x * x; });
  const auto expect_same = [&](const Model& one, const Model& other) {
    const State a = solve(one, analysis).state, b = solve(other, analysis).state;
    EXPECT_EQ(a.steps, b.steps);
    for (std::size_t i = 0; i < a.u.size(); ++i) EXPECT_NEAR(a.u[i], b.u[i], 1e-9);
    EXPECT_NEAR(a.energy.kinetic, b.energy.kinetic, 1e-9);
  };
  Model together = plain;
  LinearEquations& follow = together.relations.emplace_back();
  for (std::size_t i = 1; i < end.size(); ++i) follow.add({{end[i], 0, 1.0}, {end.front(), 0, -1.0}});
  expect_same(plain, together);
  Model heavy = plain, attached = plain;
  std::vector<Node> of_mesh;
  for (const Node n : end) of_mesh.push_back(plain.space.mesh_node_of(n));
  heavy.inertia.push_back(Integral::at_nodes(FormValue(node_mass<3>(0.02)), of_mesh));
  for (const Node n : end) attached.attached.push_back({.terms = {{n, 0, 1.0}}, .mass = 0.02});
  expect_same(heavy, attached);
}

// A quarter of a period after it was let go a mode is where it rests: within 1 % of the frequency of its consistent
// masses.
TEST(CentralDifferences, SwingBeamsAndShellsAtTheirFrequencies) {
  const Mesh line = line_mesh({0, 0, 0}, {1, 0.5, 0}, 10),
             surface = surface_mesh(8, 8, {1, 1}, flat, {}, CellKind::quad4),
             triangles = surface_mesh(8, 8, {1, 1}, flat, {}, CellKind::tri3);
  const Beam beam{.young = 100,
                  .poisson = 0.3,
                  .area = 0.01,
                  .inertia_y = 1e-5,
                  .inertia_z = 2e-5,
                  .torsion = 3e-5,
                  .shear_area_y = 0,
                  .shear_area_z = 0,
                  .orientation = {0, 0, 1},
                  .offset_y = 0,
                  .offset_z = 0};
  const ShellSection section{.young = 100, .poisson = 0.3, .thickness = 0.02, .orientation = {}};
  for (const Mesh* mesh : {&line, &surface, &triangles}) {
    const Region wall{.name = "wall",
                      .kind = RegionKind::nodes,
                      .nodes = nodes_where(*mesh, [](double x, double, double) { return x < 1e-9; })};
    Frames frames(*mesh);
    if (mesh == &line) frames.section("all", {.element = beam, .density = 2, .size = beam.area});
    else if (mesh == &surface) frames.section("all", {.element = Shell{section}, .density = 2, .size = 0.02});
    else frames.section("all", {.element = Shell3{section}, .density = 2, .size = 0.02});
    frames.loads.fix(wall);
    const Model model = frames.model(cpu());
    const VibrationModes modes = solve(model, Modal{{.count = 1}});
    Vector shape = model.space.zeros();
    modes.eigen.vectors->get_column(0, shape);
    Transient analysis{.end = 0.25 / modes.frequencies[0], .central_differences = CentralDifferences{}};
    analysis.begin.u = shape.host();
    const State state = solve(model, analysis).state;
    const Vector end(model.space.device(), std::span<const double>(state.u), "vectors");
    EXPECT_NEAR(dot(end, shape) / dot(shape, shape), 0, 0.5 * pi * 0.01) << mesh->cell_count();
    EXPECT_NEAR(state.energy.kinetic, state.energy.begin, 0.01 * state.energy.begin);
  }
}

TEST(CentralDifferences, RefuseWhatHasNoMassOfItsOwnOrNoShortStep) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(1), .poisson = Coefficient(0), .density = Coefficient(1)});
  const Transient analysis{.end = 1, .central_differences = CentralDifferences{}};
  Model damped = body.model(cpu());
  damped.damping.stiffness = 0.1;
  EXPECT_THAT(refusal([&] { solve(damped, analysis); }), HasSubstr("damping in proportion to the stiffness"));
  EXPECT_THAT(refusal([&] { solve(body.model(cpu(), {.order = 3}), analysis); }), HasSubstr("cells of order 3"));
  Transient rest = analysis;
  rest.from_equilibrium = true;
  EXPECT_THAT(refusal([&] { solve(body.model(cpu()), rest); }), HasSubstr("from a static equilibrium"));
}

}  // namespace
}  // namespace ritz::test::central_differences_test
