// Constraints that open and close within Newton's method: stops, alone and with equations between the same unknowns.
#include "fem/analysis/active_constraints.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/materials/laws.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/plugins/material.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test {
namespace {

// Two blocks in a row, stiffness E each, a gap between them and a wall behind: the first carries the load until the gap
// closes at u = g, both carry the rest.
struct Gap {
  explicit Gap(double force) : mesh(rectangle(2, 1, {2, 1}, CellKind::quad4)), form(mesh) {
    form.material("all", material(LinearElastic{100, 0}, {Space::plane, false}));
    form.loads.prescribe("x0", 0, 0);
    form.loads.prescribe("y0", 1, 0);
    form.loads.load("x1", {force, 0});
  }
  Model model(double gap) {
    Model result = form.model(Device::named("cpu"));
    LinearEquations stop{.origin = "the stop", .at_most = true};
    for (Index node = 0; node < mesh.node_count(); ++node)
      if (mesh.point(node)[0] == 2) stop.add({{result.space.node_of(static_cast<Node>(node)), 0, 1.0}}, gap);
    result.relations.push_back(std::move(stop));
    return result;
  }
  Mesh mesh;
  AnyForm form;
};

TEST(ActiveSet, AStopHoldsWhatGoesBeyondIt) {
  for (const int increments : {0, 4}) {
    Gap pushed(3);  // alone it would move by 0.06
    const Model model = pushed.model(0.02);
    const NonlinearSolution s = solve(model, Nonlinear{.relative = 1e-11, .increments = increments});
    EXPECT_NEAR(max_abs(s.u), 0.02, 1e-13);
    double at_stop = 0;
    for (Index node = 0; node < pushed.mesh.node_count(); ++node)
      if (pushed.mesh.point(node)[0] == 2) at_stop += s.reaction[static_cast<std::size_t>(2 * node)];
    EXPECT_NEAR(at_stop, -2, 1e-10);  // the block carries E g / 2 = 1
    EXPECT_LE(s.steps.size(), 3u + 4);
  }
}

TEST(ActiveSet, IsOpenWhereTheLoadPullsOrEndsBefore) {
  for (const double force : {-3.0, 0.5}) {
    Gap pulled(force);
    const NonlinearSolution s = solve(pulled.model(0.02), Nonlinear{.relative = 1e-11});
    EXPECT_NEAR(max_abs(s.u), std::abs(force) * 0.02, 1e-12);
  }
  Gap touching(-3);  // closed at the begin
  EXPECT_NEAR(max_abs(solve(touching.model(0), Nonlinear{.relative = 1e-11}).u), 0.06, 1e-12);
}

TEST(ActiveSet, OpensAgainWhenTheLoadGoes) {
  Gap pushed(3);
  std::vector<double> moved;
  solve(pushed.model(0.02), Nonlinear{.relative = 1e-11, .increments = 3, .path = {1, 0}, .shows_increments = true},
        {.show = [&](const SolutionView& s) { moved.push_back(max_abs(s.u)); }});
  EXPECT_THAT(moved, ::testing::Pointwise(::testing::DoubleNear(1e-12), {0.02, 0.02, 0.02, 0.02, 0.02, 0.0}));
}

TEST(ActiveSet, IsRefusedByAnalysesThatDoNotFollowIt) {
  Gap pushed(3);
  EXPECT_THROW(solve(pushed.model(0.02), Modal{}), Error);
}

// The equation u(2) = -u(1) lets the first block be drawn while the second one is pressed: free, u(2) = F / 5 E. A stop
// that has closed on the way to a larger load opens where its own force pulls, whatever the equation does at the same
// nodes: with F = 8 it would have to pull with 2, and the equation pushes with 6.
TEST(ActiveSet, OpensByItsOwnForceWhereAnEquationActsOnTheSameNode) {
  Gap pushed(8);
  Model model = pushed.model(0.02);
  LinearEquations opposite{.origin = "opposite"};
  for (const double y : {0.0, 1.0}) {
    std::array<Node, 2> nodes{};
    for (Index node = 0; node < pushed.mesh.node_count(); ++node)
      for (const int x : {1, 2})
        if (const auto at = pushed.mesh.point(node); at[0] == x && at[1] == y)
          nodes[static_cast<std::size_t>(x - 1)] = model.space.node_of(static_cast<Node>(node));
    opposite.add({{nodes[1], 0, 1.0}, {nodes[0], 0, 1.0}});
  }
  model.relations.push_back(std::move(opposite));
  std::vector<double> moved;
  solve(model, Nonlinear{.relative = 1e-11, .increments = 1, .path = {1.5, 1}, .shows_increments = true},
        {.show = [&](const SolutionView& s) { moved.push_back(max_abs(s.u)); }});
  EXPECT_THAT(moved, ::testing::Pointwise(::testing::DoubleNear(1e-12), {0.02, 0.016}));
}

// Changing all wrong constraints at once goes round in a circle from six of the eight beginnings of this problem,
// min u.H u / 2 + c.u with u <= 0 (Curtis, Han and Robinson, Comput. Optim. Appl. 60, 2015). Its solution is (-1/2, 0,
// 0).
TEST(ActiveSet, FindsTheSolutionFromEveryBeginning) {
  constexpr double H[3][3] = {{4, 5, -5}, {5, 9, -5}, {-5, -5, 7}}, c[3] = {2, 1, -3};
  const Mesh mesh = rectangle(2, 1, {2, 1}, CellKind::quad4);
  AnyForm form(mesh);
  form.material("all", material(LinearElastic{100, 0}, {Space::plane, false}));
  Model model = form.model(Device::named("cpu"));
  LinearEquations stops{.origin = "stops", .at_most = true};
  for (Node node = 0; node < 3; ++node) stops.add({{node, 0, 1.0}}, 0);
  model.relations.push_back(std::move(stops));
  for (int begin = 0; begin < 8; ++begin) {
    ActiveConstraints active(model);
    active.set_closed({std::uint8_t(begin & 1), std::uint8_t(begin >> 1 & 1), std::uint8_t(begin >> 2)});
    active.begin();
    std::array<double, 3> x{};
    int changes = -1;
    for (std::string changed = "begin"; !changed.empty() && changes < 50; ++changes) {
      x = {};
      for (int sweep = 0; sweep < 4000; ++sweep)  // Gauss and Seidel's, of the open ones
        for (std::size_t i = 0; i < 3; ++i)
          if (active.closed()[i] == 0) {
            double rest = -c[i];
            for (std::size_t j = 0; j < 3; ++j) rest -= i == j ? 0 : H[i][j] * x[j];
            x[i] = rest / H[i][i];
          }
      std::vector<double> u(static_cast<std::size_t>(model.space.unknown_count()), 0.0), r = u;
      for (std::size_t i = 0; i < 3; ++i) {
        u[2 * i] = x[i];
        r[2 * i] = c[i] + H[i][0] * x[0] + H[i][1] * x[1] + H[i][2] * x[2];
      }
      const auto vector = [&](const std::vector<double>& of) {
        return Vector(model.space.device(), std::span<const double>(of), "vectors");
      };
      changed = active.update(vector(u), vector(r), true);
    }
    EXPECT_LE(changes, 20) << begin;
    EXPECT_THAT(x, ::testing::ElementsAre(::testing::DoubleNear(-0.5, 1e-9), 0, 0)) << begin;
  }
}

}  // namespace
}  // namespace ritz::test
