// Internal variables of energies, facets and whole elements, kept from increment to increment.
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/operator_needs.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/dense.hpp"
#include "tests/fem/stateful_forms.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>

namespace ritz::test {
namespace {

// An energy that is stationary in its internal variables gives the same as the flux, through loading, unloading and
// reversed loading.
TEST(StateOfAnEnergy, IsThatOfItsFlux) {
  const YieldingShear numbers{.stiffness = 2, .yield = 0.05, .hardening = 0.3};
  const Mesh mesh = patch(CellKind::quad8, {.count = 2, .random = 0.1});
  const DiscreteProblem energy(mesh, test_form(FromEnergy<YieldingByEnergy>{{{numbers}}})),
      flux(mesh, test_form(YieldingByFlux{{numbers}}));
  const auto count = static_cast<std::size_t>(flux.space.unknown_count());
  double largest = 0;
  for (const double part : {1.0, 0.4, -0.7}) {
    std::vector<double> u = random_values(count, 3);
    for (double& value : u) value *= part;
    const std::vector<double> r = energy.residual(u), expected = flux.residual(u);
    const Vector at = flux.space.from_mesh(u);
    const Dense K = dense_on_mesh(energy, energy.matrix(at)), expected_K = dense_on_mesh(flux, flux.matrix(at));
    for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(r[i], expected[i], 1e-12 * flux.magnitude(u));
    EXPECT_LE(largest_difference(K, expected_K), 1e-11 * largest_entry(expected_K));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(K(i, j), K(j, i));
    energy.equations.states().commit(energy.space.from_mesh(u));
    flux.equations.states().commit(at);
    const PointStates::Values a = energy.equations.states().values(), b = flux.equations.states().values();
    ASSERT_EQ(a[0].size(), b[0].size());
    for (std::size_t i = 0; i < a[0].size(); ++i) {
      EXPECT_NEAR(a[0][i], b[0][i], 1e-13);
      largest = std::max(largest, std::abs(a[0][i]));
    }
  }
  EXPECT_GT(largest, 0.1);  // it did yield
}

// A rod of conductivity k between temperature T at x = 0 and the fouled wall at x = 1: k (T - w) = h w / (1 + m).
double wall_temperature(double k, double h, double T, double& highest) {
  double w = k * T / (k + h / (1 + highest));  // while it stays below
  if (w > highest) {                           // k (T - w) (1 + w) = h w
    const double b = k * (1 - T) + h;
    w = (-b + std::sqrt(b * b + 4 * k * k * T)) / (2 * k);
    highest = w;
  }
  return w;
}

TEST(StateOnFacets, FoulsAWallInClosedForm) {
  const double k = 2.5, h = 4;
  const DiscreteProblem rod(rectangle(4, 2, {1, 1}, CellKind::quad9), 1, [&](const Mesh& mesh) {
    return std::vector{Integral::over_all_cells(Diffusion<2>{.conductivity = k}),
                       Integral::over(test_form(FouledWall{h}), mesh.region("x1"))};
  });
  Constraints fixed(rod.space);
  fixed.prescribe(rod.mesh.region("x0"), 0, 3, "hot end");
  fixed.finish();
  Nonlinear options{.relative = 1e-12, .increments = 3, .path = {1, 0.3, 1.4}, .shows_increments = true};
  double highest = 0.5;
  int increments = 0;
  const auto expect = [&](const SolutionView& s) {
    const double w = wall_temperature(k, h, 3 * s.part, highest);
    const DerivedFields fields = evaluate(rod.equations, s.u, FouledWall::name);
    ASSERT_EQ(fields.components, 2);
    const std::vector<double> u = rod.space.to_mesh(s.u);
    int at_the_wall = 0;
    for (Index node = 0; node < rod.mesh.node_count(); ++node) {
      const auto i = static_cast<std::size_t>(node);
      const bool at_wall = rod.mesh.point(node)[0] > 0.999;
      at_the_wall += at_wall;
      if (at_wall) { EXPECT_NEAR(u[i], w, 1e-11); }
      EXPECT_NEAR(fields.at_nodes[2 * i], at_wall ? h * w / (1 + highest) : 0, 1e-10);
      EXPECT_NEAR(fields.at_nodes[2 * i + 1], at_wall ? highest : 0.5, 1e-11);  // elsewhere as it began
    }
    EXPECT_EQ(at_the_wall, 5);
    ++increments;
  };
  solve_nonlinear(rod.equations, fixed, options, {.show = expect});
  EXPECT_EQ(increments, 9);
  const DerivedFields cells = evaluate(rod.equations, rod.space.zeros());  // those of the cells alone, without a name
  EXPECT_EQ(cells.components, 2);
}

// Bars in series, pulled: each carries the same force, that of one dimension.
class WholeState : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, WholeState, ::testing::Values(Way::strains, Way::energy, Way::residual),
                         [](const auto& info) {
                           return info.param == Way::strains  ? "strains"
                                  : info.param == Way::energy ? "energy"
                                                              : "residual";
                         });

FormValue plastic_line(Way way) {
  const auto made = [](auto element) {
    FormValue value = element;
    value.module = "ritz_test_forms";
    return value;
  };
  if (way == Way::strains) return made(PlasticByStrains{{200, 0.25, 5, 15}});
  if (way == Way::energy) return made(PlasticLine<Way::energy>{200, 0.25, 5, 15});
  return made(PlasticLine<Way::residual>{200, 0.25, 5, 15});
}

TEST_P(WholeState, FollowsTheBilinearPathExactly) {
  MeshData data{.structural = true};
  CellBlock block{.kind = CellKind::line2};
  const int count = 11;  // more than a batch; along (2, 1, 2) / 3
  for (int i = 0; i <= count; ++i) {
    const double s = double(i) / count;
    data.points.insert(data.points.end(), {2 * s / 3, s / 3, 2 * s / 3});
    if (i < count) block.nodes.insert(block.nodes.end(), {i, i + 1});
  }
  data.blocks.push_back(std::move(block));
  const DiscreteProblem bars(Mesh(std::move(data)), plastic_line(GetParam()));
  const double stretch = 0.005, direction[3] = {2.0 / 3, 1.0 / 3, 2.0 / 3};
  Constraints fixed(bars.space);
  for (Node node = 0; node <= count; ++node)
    for (int c = 0; c < 3; ++c)
      fixed.prescribe_nodes({&node, 1}, c,
                            stretch * static_cast<double>(bars.space.mesh_node_of(node)) / count * direction[c],
                            "pulled along the line");
  fixed.finish();
  Nonlinear options{.relative = 1e-12, .increments = 4, .path = {1, 0.2, 1.5, -1}, .shows_increments = true};
  double plastic = 0, alpha = 0;
  int seen = 0;
  const auto expect = [&](const SolutionView& s) {
    const double strain = s.part * stretch, xi = 200 * (strain - plastic) - 15 * plastic;
    const double slip = std::max(0.0, (std::abs(xi) - 0.25 - 5 * alpha) / 220);
    plastic += std::copysign(slip, xi);
    alpha += slip;
    const double force = 200 * (strain - plastic);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(s.reaction[static_cast<std::size_t>(3 * count + c)], force * direction[c], 1e-12);
      EXPECT_NEAR(s.reaction[static_cast<std::size_t>(3 + c)], 0, 1e-12);
    }
    const DerivedFields fields = evaluate(bars.equations, s.u, bars.equations.integrals().front().form.name);
    ASSERT_EQ(fields.components, 3);
    for (std::size_t i = 0; i < fields.at_cells.size(); i += 3) {
      EXPECT_NEAR(fields.at_cells[i], force, 1e-12);
      EXPECT_NEAR(fields.at_cells[i + 1], plastic, 1e-15);
      EXPECT_NEAR(fields.at_cells[i + 2], alpha, 1e-15);
    }
    ++seen;
  };
  solve_nonlinear(bars.equations, fixed, options, {.show = expect});
  EXPECT_EQ(seen, 16);
  EXPECT_GT(alpha, 0.01);
}

// The truss of three bars under a force: the middle one yields first; without hardening the force F = yield A (1 + 2
// cos) is the limit.
TEST_P(WholeState, ThreeBarsCarryTheirLimitLoadAndNoMore) {
  const double angle = std::numbers::pi / 4, limit = 0.25 * (1 + 2 * std::cos(angle));
  MeshData data{.structural = true};
  data.points = {0, 0, 0, -1, 0, 1, 0, 0, 1, 1, 0, 1};
  data.blocks.push_back({.kind = CellKind::line2, .nodes = {1, 0, 2, 0, 3, 0}});
  FormValue bar = plastic_line(GetParam());
  const double ideal[4] = {200, 0.25, 0, 0};
  std::memcpy(bar.bytes.data(), ideal, sizeof ideal);
  const DiscreteProblem truss(Mesh(std::move(data)), bar);
  const auto solve = [&](double force) {
    Constraints fixed(truss.space);
    for (Node node = 0; node < 4; ++node)
      for (int c = 0; c < 3; ++c)
        if (truss.space.mesh_node_of(node) > 0 || c < 2) fixed.prescribe_nodes({&node, 1}, c, 0, "held");
    fixed.finish();
    std::vector<double> load(12, 0.0);
    load[2] = -force;
    const Vector forces = truss.space.from_mesh(load);
    const NonlinearSolution s =
        solve_nonlinear(truss.equations, fixed, {.relative = 1e-10, .increments = 4, .forces = &forces});
    return -truss.space.to_mesh(s.u)[2];
  };
  // Elastic: F = E u (1 + 2 cos^3); after the yield of the middle bar F = yield + 2 E u cos^3.
  const double cube = std::pow(std::cos(angle), 3);
  EXPECT_NEAR(solve(0.2), 0.2 / (200 * (1 + 2 * cube)), 1e-12);
  truss.equations.states().reset();
  EXPECT_NEAR(solve(0.99 * limit), (0.99 * limit - 0.25) / (400 * cube), 1e-9);
  truss.equations.states().reset();
  EXPECT_THROW(solve(1.01 * limit), Error);
}

TEST(WholeState, IsForecastByItsTag) {
  MeshData data{.structural = true};
  data.points = {0, 0, 0, 1, 0, 0};
  data.blocks.push_back({.kind = CellKind::line2, .nodes = {0, 1}});
  const DiscreteProblem bar(Mesh(std::move(data)), plastic_line(Way::strains));
  // points, numbers
  EXPECT_EQ(OperatorNeeds(bar.equations).of(Operator::Task::residual).by_tag().at("point state"),
            2 * 2 * lane_count * 8);
}

}  // namespace
}  // namespace ritz::test
