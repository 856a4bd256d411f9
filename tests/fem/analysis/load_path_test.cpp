// Load paths: increments that grow and are cut, the arc length through limit points, and sentences where they end.
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/increments.hpp"
#include "fem/analysis/newton_outlook.hpp"
#include "fem/materials/laws.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/plugins/material.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;

TEST(Increments, GrowWhereTheyAreEasyAndAreCutWhereTheyFail) {
  const IncrementLimits limits{.first = 0.1, .smallest = 0.01, .largest = 0.5};
  IncrementSize size = first_size(limits);
  EXPECT_EQ(size.next, 0.1);
  size = after_success(size, 0.1, 3, limits);
  EXPECT_DOUBLE_EQ(size.next, 0.2);
  size = *after_failure(0.2, limits);
  EXPECT_DOUBLE_EQ(size.next, 0.05);
  size = after_success(size, 0.05, 3, limits);
  EXPECT_DOUBLE_EQ(size.next, 0.05);  // one success after a failure is not enough
  size = after_success(size, 0.05, 3, limits);
  EXPECT_DOUBLE_EQ(size.next, 0.1);
  EXPECT_DOUBLE_EQ(after_success(size, 0.1, 20, limits).next, 0.07);
  EXPECT_FALSE(after_failure(0.03, limits));
}

TEST(LoadPath, EndsIncrementsWhereStagesEndAndEqualOnesAtTheirPlaces) {
  const LoadPath chosen({1, -0.5}, 0), equal({1, -0.5}, 4);
  EXPECT_EQ(chosen.next(0, 0.4), 1.0 / 3);  // three equal ones rather than a short last one
  EXPECT_EQ(chosen.next(0.9, 5), 1);
  EXPECT_EQ(chosen.next(1, 5), 2);
  EXPECT_EQ(chosen.part(1), 1);
  EXPECT_EQ(chosen.part(1.5), 0.25);
  EXPECT_EQ(equal.next(0.125, 5), 0.25);
  EXPECT_EQ(equal.part(1.75), -0.125);
  EXPECT_TRUE(equal.is_stop(0.75));
  EXPECT_FALSE(equal.is_stop(0.7));
}

TEST(Hopeless, AreStepsThatGrowOrStagnate) {
  EXPECT_EQ(hopeless(std::vector<double>{1, 2e6, 2e3, 400, 70, 4, 0.7, 1.3, 0.4, 0.2, 0.3, 0.04}), "");  // bending
  EXPECT_EQ(hopeless(std::vector<double>{1, 2, 3, 5, 9}), "the residual grows");
  EXPECT_EQ(hopeless(std::vector<double>{1, 0.9, 0.8, 0.9, 0.8, 0.9, 0.8, 0.9, 0.8}), "the residual stagnates");
}

// A block of the material of St. Venant and Kirchhoff without lateral strain under a dead load: at the stretch l the
// force is E l (l^2 - 1) / 2. It has limit points at l = +-1 / sqrt(3) and continues through l = 0: the equations of
// the truss of two bars (von Mises), which snaps through.
struct Truss {
  explicit Truss(double unit = 1) : mesh(rectangle(1, 1, {unit, unit}, CellKind::quad4)), form(mesh), size(unit) {
    form.material("all", material(LinearElastic{young, 0}, {Space::plane, true}));
    form.loads.prescribe("x0", 0, 0);
    for (const char* side : {"y0", "y1"}) form.loads.prescribe(side, 1, 0);
  }
  Model pushed(double pressure) {
    form.loads.load("x1", {-pressure, 0});
    Model result = form.model(Device::named("cpu"));
    std::vector<UnknownTerm> ends;  // move alike: else the block shears where it has no stiffness left, at l = 0
    for (const Node node : result.space.nodes_in(mesh.region("x1")))
      ends.push_back({node, 0, ends.empty() ? 1.0 : -1.0});
    LinearEquations alike{.origin = "the end"};
    alike.add(ends);
    result.relations.push_back(std::move(alike));
    return result;
  }
  double force_at(double stretch) const { return 0.5 * young * stretch * (stretch * stretch - 1); }
  double stretch(const Vector& u) const { return 1 - max_abs(u) / size; }

  static constexpr double young = 3;
  Mesh mesh;
  AnyForm form;
  double size;
};

TEST(ArcLength, FollowsTheTrussThroughBothLimitPointsWhateverTheUnits) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    Truss truss(unit);
    const double load = 1.5;
    std::vector<double> parts;
    const Nonlinear path{.relative = 1e-10,
                         .sizes = {.first = 0.1, .largest = 0.3},
                         .control = Nonlinear::Control::arc_length,
                         .may_reverse = true,
                         .shows_increments = true};
    const NonlinearSolution s = solve(truss.pushed(load), path, {.show = [&](const SolutionView& view) {
                                        EXPECT_NEAR(truss.force_at(truss.stretch(view.u)), -load * view.part, 1e-8);
                                        parts.push_back(view.part);
                                      }});
    const double limit = Truss::young / (3 * std::sqrt(3.0)) / load;
    const double highest = *std::ranges::max_element(std::span(parts).first(parts.size() / 2));
    EXPECT_NEAR(highest, limit, 0.03 * limit);
    EXPECT_NEAR(std::ranges::min(parts), -limit, 0.03 * limit);
    EXPECT_EQ(parts.back(), 1);
    EXPECT_EQ(s.increments, std::ssize(parts));
    EXPECT_NEAR(truss.stretch(s.u), -1.3247179572, 1e-8);  // l^3 - l + 1 = 0
    EXPECT_EQ(s.notice, "");
  }
}

TEST(ArcLength, EndsWithASentenceWhereNoMoreIncrementsAreAllowed) {
  Truss truss;
  const NonlinearSolution s =
      solve(truss.pushed(1.5),
            Nonlinear{.sizes = {.first = 0.1}, .control = Nonlinear::Control::arc_length, .max_increments = 3});
  EXPECT_LT(s.part, 1);
  EXPECT_THAT(s.notice, HasSubstr("after 3 increments; [newton] max_increments allows more"));
}

// The next increments depend only on the state that an increment leaves.
TEST(ArcLength, ResumesAfterAnyIncrementToTheLastBit) {
  Truss truss;
  const Model model = truss.pushed(1.5);
  Nonlinear options{.sizes = {.first = 0.2}, .control = Nonlinear::Control::arc_length, .may_reverse = true};
  std::vector<State> states;
  const NonlinearSolution whole = solve(model, options, {.keep = [&](const State& s) { states.push_back(s); }});
  ASSERT_GT(states.size(), 4u);
  options.begin = states[states.size() / 2];
  EXPECT_EQ(solve(model, options).u.host(), whole.u.host());
}

TEST(LoadControl, EndsAtTheLimitPointWithASentence) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  AnyForm bar(mesh);
  bar.material("all", material(J2{200, 0.3, 0, Hardening::constant(1)}, {Space::plane, false, true}));
  bar.loads.prescribe("x0", 0, 0);
  bar.loads.prescribe("y0", 1, 0);
  bar.loads.load("x1", {1.1, 0});
  try {
    solve(bar.model(Device::named("cpu")), Nonlinear{.sizes = {.smallest = 0.01}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("Newton's method did not converge in increment"));
    EXPECT_THAT(error.why(), ::testing::AllOf(HasSubstr("longer increments failed before"),
                                              HasSubstr("of the loads are in balance"), HasSubstr("largest at node")));
    EXPECT_THAT(error.fix(), HasSubstr("control = \"arc_length\""));
  }
}

TEST(DisplacementControl, PassesLimitPoints) {
  Truss truss;
  truss.form.loads.prescribe("x1", 0, -2.2);
  int shown = 0;
  solve(truss.form.model(Device::named("cpu")),
        Nonlinear{.relative = 1e-10, .increments = 11, .may_reverse = true, .shows_increments = true},
        {.show = [&](const SolutionView& s) {
          double force = 0;
          for (Index node = 0; node < truss.mesh.node_count(); ++node)
            if (truss.mesh.point(node)[0] == 1) force += s.reaction[static_cast<std::size_t>(2 * node)];
          EXPECT_NEAR(force, truss.force_at(1 - 2.2 * ++shown / 11), 1e-9);
        }});
  EXPECT_EQ(shown, 11);
}

// A quarter of the hinged roof that snaps through (Sze, Liu and Lo, Finite Elem. Anal. Des. 40, 2004): radius 2540,
// length 508, half angle 0.1, thickness 12.7. CalculiX 2.20 on the same 4 x 4 C3D20, in 60 increments of the middle's
// displacement: 2069.16 at 10.5 near the largest force, 729.04 at 19.5 near the least one.
// Cook's membrane of rubber, loaded at once: the first attempt runs away, and its forces must not loosen the tolerance.
TEST(LoadControl, AnAttemptThatFailedLeavesTheToleranceOfTheNextOnes) {
  MeshData data = box_data(4, 4, 1, {48, 1, 8}, CellKind::hex20);
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const double u = data.points[i] / 48;
    data.points[i + 1] = 44 * u + data.points[i + 1] * (44 - 28 * u);
  }
  const Mesh mesh(std::move(data));
  ElasticBody membrane(mesh);
  membrane.large_displacements = true;
  membrane.material("all", {.law = MooneyRivlin{20, 0, 2000}});
  membrane.loads.fix("x0");
  membrane.loads.displacement("z0", 2, 0);
  membrane.loads.traction("x1", {0, 6, 0});
  const Model model = membrane.model(Device::named("cpu"));
  const LinearSolverOptions direct{.method = LinearMethod::direct};
  const NonlinearSolution at_once = solve(model, Nonlinear{.linear = direct}),
                          in_steps = solve(model, Nonlinear{.increments = 12, .linear = direct});
  EXPECT_GT(at_once.failures, 0);
  EXPECT_GT(max_abs(at_once.u), 10);
  EXPECT_NEAR(max_abs(at_once.u), max_abs(in_steps.u), 1e-5);
}

// Pressed by 0.3 E, the truss without its limit points has the stretch of l^3 - l = -0.6 alone, -1.22.
TEST(LoadControl, AStateWithCellsInsideOutIsAnErrorOfTheLibrary) {
  Truss truss;
  try {
    solve(truss.pushed(0.3 * Truss::young), Nonlinear{});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::newton_not_converged);
    EXPECT_THAT(error.message(), HasSubstr("cells are inside out: 1 of them"));
  }
}

TEST(DisplacementControl, TheHingedRoofHasTheForcesOfCalculixWhereItSnaps) {
  MeshData data = box_data(4, 4, 1, {1, 1, 1}, CellKind::hex20);
  Region middle{.name = "middle", .kind = RegionKind::nodes}, hinge{.name = "hinge", .kind = RegionKind::nodes};
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const double u = data.points[i], v = data.points[i + 1], w = data.points[i + 2], r = 2540 + 12.7 * (w - 0.5);
    const Node node = static_cast<Node>(i / 3);
    if (w == 0.5 && u == 0 && v == 0) middle.nodes.push_back(node);
    if (w == 0.5 && u == 1) hinge.nodes.push_back(node);
    data.points[i] = r * std::sin(0.1 * u);
    data.points[i + 1] = 254 * v;
    data.points[i + 2] = r * std::cos(0.1 * u);
  }
  data.regions.push_back(middle);
  data.regions.push_back(hinge);
  const Mesh mesh(std::move(data));
  ElasticBody roof(mesh);
  roof.large_displacements = true;
  roof.material("all", {.young = 3102.75, .poisson = 0.3});
  roof.loads.displacement("x0", 0, 0);
  roof.loads.displacement("y0", 1, 0);
  roof.loads.fix("hinge");
  roof.loads.displacement("middle", 2, -19.5);
  std::vector<double> forces;
  const Nonlinear analysis{
      .path = {10.5 / 19.5, 1}, .shows_increments = true, .linear = {.method = LinearMethod::direct}};
  solve(roof.model(Device::named("cpu")), analysis, {.show = [&](const SolutionView& s) {
          if (*s.time == std::round(*s.time))
            forces.push_back(-4 * s.reaction[static_cast<std::size_t>(3 * middle.nodes[0] + 2)]);
        }});
  ASSERT_EQ(forces.size(), 2u);
  EXPECT_NEAR(forces[0], 2069.16, 0.5);
  EXPECT_NEAR(forces[1], 729.04, 0.5);
}

// Bodies that bend: tip of the cantilever of Sze, Liu and Lo, Finite Elem. Anal. Des. 40, 2004, all loads at once.
TEST(LoadControl, BendsACantileverByTwoThirdsOfItsLengthInFewSteps) {
  const Mesh mesh = rectangle(20, 1, {10, 0.1}, CellKind::quad8);
  AnyForm strip(mesh);
  strip.material("all", material(LinearElastic{1.2e6, 0}, {Space::plane, true}));
  for (const int c : {0, 1}) strip.loads.prescribe("x0", c, 0);
  strip.loads.load("x1", {0, 4 / 0.1});
  const NonlinearSolution s =
      solve(strip.model(Device::named("cpu")), Nonlinear{.linear = {.method = LinearMethod::direct}});
  EXPECT_NEAR(max_abs(s.u), 6.698, 0.02);
  EXPECT_EQ(s.increments, 1);
  EXPECT_LE(s.steps.size(), 25u);
}

// A beam of length L under a load at its middle, on ground that only presses: it stays in touch over pi / beta and
// lifts off beyond, beta^4 = k / (4 E I). There it is a free beam on ground of that length, whose ends do not move
// (Hetenyi, Beams on Elastic Foundation, 1946, section 15): w = P beta / (2 k) coth(pi / 2) in the middle.
TEST(Ground, ThatOnlyPressesLetsABeamLiftOff) {
  const double young = 1e6, height = 0.1, k = 4 * young * height * height * height / 12, P = 0.1;  // beta = 1
  const double length = 8;
  const Mesh mesh = rectangle(40, 1, {length, height}, CellKind::quad8);
  ElasticBody beam(mesh, PlaneKind::stress, 1);
  beam.material("all", {.young = young, .poisson = 0});
  beam.foundation("y0", {.normal = k, .only_presses = true});
  beam.loads.displacement("x0", 0, 0);  // the middle: half of the beam
  beam.loads.traction("x0", {0, -P / 2 / height});
  const Model model = beam.model(Device::named("cpu"));
  EXPECT_FALSE(model.linear);
  const NonlinearSolution s = solve(model, Nonlinear{.linear = {.method = LinearMethod::direct}});
  const std::vector<double> u = model.space.to_mesh(s.u);
  double last = 0, middle = 0;
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    if (x[1] != 0) continue;
    const double w = -u[static_cast<std::size_t>(2 * node + 1)];
    if (w > 0) last = std::max(last, x[0]);
    if (x[0] == 0) middle = w;
  }
  EXPECT_NEAR(middle, P / (2 * k) / std::tanh(std::numbers::pi / 2), 0.01 * P / (2 * k));
  EXPECT_NEAR(last, std::numbers::pi / 2, length / 80);
  EXPECT_LE(s.steps.size(), 12u);
}

}  // namespace
}  // namespace ritz::test
