// Elastic ground: a traction on the facets of a foundation moves the body by traction over stiffness, along any
// directions and without any stress.
#include "fem/physics/ground.hpp"

#include "fem/analysis/analysis.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"
#include "mesh/point_algebra.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::ground_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double young = 2e9, poisson = 0.3;  // beside which the ground is not too soft for exact numbers
constexpr Point traction{3e3, -5e3, 7e3};     // [Pa]

Device cpu() { return Device::named("cpu", 1); }

// A block of which no facet lies across an axis: turned about (1, 2, 3) by 0.7 radian.
Point turned(const Point& x) {
  const double size = std::sqrt(14.0), s = std::sin(0.7), c = std::cos(0.7);
  const Point axis{1 / size, 2 / size, 3 / size}, across = cross(axis, x);
  Point result{};
  for (std::size_t d = 0; d < 3; ++d) result[d] = c * x[d] + s * across[d] + (1 - c) * dot(axis, x) * axis[d];
  return result;
}

Mesh oblique_block(CellKind kind) {
  MeshData data = box_data(2, 2, 1, {1, 0.8, 0.5}, kind);
  for (std::size_t n = 0; n < data.points.size(); n += 3) {
    const Point x = turned({data.points[n], data.points[n + 1], data.points[n + 2]});
    std::ranges::copy(x, data.points.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return Mesh(std::move(data));
}

std::vector<Coefficient> pull(int dimension) { return {traction.begin(), traction.begin() + dimension}; }

ElasticBody steel(const Mesh& mesh, PlaneKind plane = PlaneKind::strain, double thickness = 1) {
  ElasticBody body(mesh, plane, thickness);
  body.material("all", {.young = young, .poisson = poisson, .density = 8000});
  return body;
}

void expect_everywhere(const Model& model, const Point& expected) {
  const StaticSolution solution = ritz::solve(model, Static{.linear = {.relative = 1e-11}});
  const std::vector<double> u = model.space.to_mesh(solution.u);
  const auto components = static_cast<std::size_t>(model.space.components());
  for (std::size_t i = 0; i < u.size(); ++i)
    ASSERT_NEAR(u[i], expected[i % components], 1e-7 * length(expected)) << "at node " << i / components;
}

std::string refusal(const ElasticBody& body) {
  try {
    const Model model = body.model(cpu());
    make_constraints(model);
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why() + error.fix(); }
}

std::size_t free_motions(const Model& model) {
  Constraints none(model.space);
  none.finish();
  std::size_t count = 0;
  for (const FreePart& part : free_parts(model, none)) count += part.motions.size();
  return count;
}

class OnFacetsOf : public ::testing::TestWithParam<CellKind> {};

TEST_P(OnFacetsOf, NormalAndTangentialStiffnessesMoveAnObliqueBodyAsSprings) {
  const Mesh mesh = oblique_block(GetParam());
  const double kn = 4e8, kt = 1e8;
  ElasticBody body = steel(mesh);
  body.foundation("z0", {.normal = kn, .tangential = kt});
  body.loads.traction("z0", pull(3));
  const Point normal = turned({0, 0, -1});
  const double out = dot(traction, normal);
  Point u{};
  for (std::size_t d = 0; d < 3; ++d) u[d] = out / kn * normal[d] + (traction[d] - out * normal[d]) / kt;
  expect_everywhere(body.model(cpu()), u);
}

TEST_P(OnFacetsOf, StiffnessesAlongAxesActOneByOne) {
  const Mesh mesh = oblique_block(GetParam());
  ElasticBody body = steel(mesh);
  body.foundation("z0", {.along = {1e8, 2e8, 4e8}});
  body.loads.traction("z0", pull(3));
  expect_everywhere(body.model(cpu()), {traction[0] / 1e8, traction[1] / 2e8, traction[2] / 4e8});
}

INSTANTIATE_TEST_SUITE_P(Shapes, OnFacetsOf,
                         ::testing::Values(CellKind::tet4, CellKind::tet10, CellKind::hex8, CellKind::hex20,
                                           CellKind::hex27, CellKind::prism6),
                         [](const auto& info) { return std::string(traits(info.param).name); });

// k(x) and a traction of the same shape: the displacement is constant.
TEST(Foundation, MayVaryFromPointToPoint) {
  const auto linear = [](double factor) {
    return PointFunction([factor](std::span<const double> x, std::span<double> values) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = factor * (1 + x[3 * i] + 2 * x[3 * i + 1]);
    });
  };
  const Mesh mesh = box(3, 2, 1, {1, 1, 0.5}, CellKind::hex20);
  ElasticBody body = steel(mesh);
  body.foundation("z0", {.normal = linear(2e8), .tangential = linear(1e8), .along = {linear(1e8), 0, 0}});
  body.loads.traction("z0", {linear(1e3), linear(2e3), linear(3e3)});
  expect_everywhere(body.model(cpu()), {1e3 / 2e8, 2e3 / 1e8, 3e3 / 2e8});
}

// Ground and loads; the elasticity between them is the same.
TEST(Foundation, NumbersAndTheSameValuesAsFormulasHaveEqualBits) {
  for (const CellKind kind : {CellKind::hex8, CellKind::quad8}) {
    const auto dimension = static_cast<std::size_t>(traits(kind).dimension);
    const Mesh mesh = dimension == 3 ? box(2, 2, 1, {1, 0.8, 0.5}, kind) : rectangle(3, 2, {1, 0.8}, kind);
    const auto residual = [&](bool formulas) {
      const auto given = [formulas](double value) -> Coefficient {
        if (!formulas) return value;
        return PointFunction([value](std::span<const double>, std::span<double> v) { std::ranges::fill(v, value); });
      };
      ElasticBody body(mesh, PlaneKind::stress, 0.3);
      body.material("all", {.young = young, .poisson = poisson, .density = given(8000.7)});
      body.foundation("y0", {.normal = given(4.1e8), .tangential = given(1.3e8), .along = {given(3e7), given(2e7), 0}});
      body.loads.pressure("x0", given(3.7e3));
      std::vector<Coefficient> pull;
      for (std::size_t d = 0; d < dimension; ++d) pull.push_back(given(traction[d] / 3));
      body.loads.traction("x1", pull);
      body.loads.body_force("all", pull);
      std::vector<double> gravity(dimension, 0.0);
      gravity[1] = -9.81;
      body.loads.gravity(gravity);
      const Model model = body.model(cpu());
      const std::vector<double> u = random_values(static_cast<std::size_t>(model.space.unknown_count()));
      Vector r = model.space.zeros();
      Operator(model.space, model.equations).residual(Vector(cpu(), std::span(u), "test"), r);
      return r.host();
    };
    EXPECT_EQ(residual(false), residual(true)) << traits(kind).name;
  }
}

TEST(Foundation, OfAPlateTakesItsThickness) {
  const Mesh mesh = rectangle(4, 2, {1, 0.5}, CellKind::quad8);
  ElasticBody body = steel(mesh, PlaneKind::stress, 0.02);
  body.foundation("y0", {.normal = 4e8, .tangential = 1e8});
  body.loads.force("y0", {1e3 * 0.02, 2e3 * 0.02});  // the area is 0.02 m^2
  expect_everywhere(body.model(cpu()), {1e3 / 1e8, 2e3 / 4e8, 0});
}

TEST(Foundation, UnderABodyOfRevolutionIsAllAround) {
  const Mesh mesh = rectangle(4, 2, {1, 0.5}, CellKind::quad8);
  ElasticBody body = steel(mesh, PlaneKind::axisymmetric);
  body.foundation("y0", {.normal = 4e8});
  body.loads.force("y0", {0, std::numbers::pi * 2e3});  // on pi m^2
  expect_everywhere(body.model(cpu()), {0, 2e3 / 4e8, 0});
}

// Under its own normal stiffness alone a body slides: three motions of a solid are left.
TEST(Foundation, AlongItsNormalHoldsThreeOfSixMotions) {
  const Mesh mesh = oblique_block(CellKind::hex8);
  ElasticBody body = steel(mesh);
  body.foundation("z0", {.normal = 1e8});
  EXPECT_EQ(free_motions(body.model(cpu())), 3u);
  EXPECT_THAT(refusal(body), HasSubstr("can still move freely"));

  ElasticBody sticks = steel(mesh);
  sticks.foundation("z0", {.tangential = 1e8});
  EXPECT_EQ(free_motions(sticks.model(cpu())), 3u);  // up, and two rotations across

  ElasticBody both = steel(mesh);
  both.foundation("z0", {.normal = 1e8, .tangential = 1e8});
  EXPECT_EQ(refusal(both), "");
}

TEST(Foundation, OnTwoObliqueSidesHoldsWhatTheirNormalsSpan) {
  const Mesh mesh = oblique_block(CellKind::hex8);
  ElasticBody body = steel(mesh);
  for (const char* side : {"x0", "y0", "z0"}) body.foundation(side, {.normal = 1e8});
  EXPECT_EQ(refusal(body), "");
}

// A rod on a foundation at one end, free at the other: E beta tan(beta L) = k, f = beta sqrt(E / rho) / (2 pi).
TEST(Foundation, LowersTheFrequencyOfARod) {
  const double L = 2, k = young / L;
  double low = 0, high = std::numbers::pi / 2 / L;
  for (int i = 0; i < 80; ++i) {
    const double beta = (low + high) / 2;
    (young * beta * std::tan(beta * L) < k ? low : high) = beta;
  }
  const Mesh mesh = box(16, 1, 1, {L, 0.1, 0.1}, CellKind::hex20);
  ElasticBody body(mesh);
  body.material("all", {.young = young, .poisson = 0, .density = 8000});
  body.foundation("x0", {.normal = k});
  for (const auto& [side, component] : {std::pair{"y0", 1}, {"y1", 1}, {"z0", 2}, {"z1", 2}})
    body.loads.displacement(side, component, 0);
  const VibrationModes modes = ritz::solve(body.model(cpu()), Modal{{.count = 1}});
  EXPECT_NEAR(modes.frequencies.front(), low * std::sqrt(young / 8000) / (2 * std::numbers::pi), 0.002);
}

TEST(Foundation, AlongItsFacetsAloneLetsABodyGoAcrossThem) {
  const Mesh plane = rectangle(2, 2, {1, 1}, CellKind::quad4), solid = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody flat = steel(plane), block = steel(solid);
  flat.foundation("y0", {.tangential = 1e7});
  EXPECT_THAT(refusal(flat), AllOf(HasSubstr("translation along y"), Not(HasSubstr("translation along x"))));
  block.foundation("z0", {.tangential = 1e7});
  EXPECT_THAT(refusal(block), AllOf(HasSubstr("translation along z"), Not(HasSubstr("translation along x")),
                                    Not(HasSubstr("translation along y"))));
}

TEST(GroundSpring, SharesItsStiffnessAmongNodes) {
  const Mesh mesh = oblique_block(CellKind::hex8);
  const Region corners{.name = "corners", .kind = RegionKind::nodes, .nodes = {0, 1, 2, 3, 4}};
  for (const bool each : {false, true}) {
    ElasticBody body = steel(mesh);
    body.spring(corners, {.stiffness = {1e6, 2e6, 4e6}, .each = each});
    body.loads.force(corners, {10, 20, 40});  // in equal parts at the same nodes
    const double u = each ? 1e-5 / 5 : 1e-5;
    expect_everywhere(body.model(cpu()), {u, u, u});
  }
}

TEST(GroundSpring, OfOneComponentHoldsThatOne) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const Region corners{.name = "corners", .kind = RegionKind::nodes, .nodes = {0, 1, 2, 3, 4, 5, 6, 7}};
  ElasticBody body = steel(mesh);
  body.spring(corners, {.stiffness = {0, 0, 1e6}});
  EXPECT_THAT(refusal(body), AllOf(HasSubstr("translation along x"), Not(HasSubstr("translation along z"))));
}

// A plane body with its springs in series with nothing else: forces over stiffnesses, whatever the thickness.
TEST(GroundSpring, HoldsPlaneBodiesByForceOverStiffness) {
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad4);
  const Region corners{.name = "corners", .kind = RegionKind::nodes, .nodes = {0, 2, 6, 8}};
  for (const double thickness : {1.0, 0.25}) {
    ElasticBody body = steel(mesh, PlaneKind::stress, thickness);
    body.spring(corners, {.stiffness = {1e6, 2e6, 0}});
    body.loads.force("x0", {20, 40});
    body.loads.force("x1", {20, 40});  // 40 N along x, 80 N along y, without a moment about the middle
    const Model model = body.model(cpu());
    const StaticSolution solution = ritz::solve(model, Static{.linear = {.relative = 1e-11}});
    const std::vector<double> u = model.space.to_mesh(solution.u);
    double x = 0, y = 0;
    for (const Node n : corners.nodes) {
      x += u[2 * static_cast<std::size_t>(n)] / 4;
      y += u[2 * static_cast<std::size_t>(n) + 1] / 4;
    }
    EXPECT_NEAR(x, 4e-5, 1e-12);
    EXPECT_NEAR(y, 4e-5, 1e-12);
  }
}

// The stiffness of a ring of nodes is that of the whole ring: a tube on springs along its axis sinks by weight over
// stiffness.
TEST(GroundSpring, HoldsBodiesOfRevolutionByWholeRings) {
  MeshData data = rectangle_data(1, 2, {1, 1}, CellKind::quad4);
  for (std::size_t i = 0; i < data.points.size(); i += 3) data.points[i] += 2;
  const Mesh mesh{std::move(data)};
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.material("all", {.young = young, .poisson = poisson});
  const Region foot{.name = "foot", .kind = RegionKind::nodes, .nodes = {0, 1}};
  body.spring(foot, {.stiffness = {0, 3e6, 0}});
  body.loads.force("y1", {0, -600});
  const Model model = body.model(cpu());
  const StaticSolution solution = ritz::solve(model, Static{.linear = {.relative = 1e-11}});
  const std::vector<double> u = model.space.to_mesh(solution.u);
  EXPECT_NEAR((u[1] + u[3]) / 2, -2e-4, 1e-11);
}

TEST(Ground, RefusesWhatCannotBe) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8), plane = rectangle(1, 1, {1, 1}, CellKind::quad4);
  const Region corner{.name = "corner", .kind = RegionKind::nodes, .nodes = {0}};
  ElasticBody nothing = steel(mesh);
  nothing.foundation("z0", {.origin = "line 7"});
  EXPECT_THAT(refusal(nothing), HasSubstr("this foundation has no stiffness, line 7"));
  ElasticBody negative = steel(mesh);
  negative.foundation("z0", {.normal = -1});
  EXPECT_THAT(refusal(negative), HasSubstr("'stiffness' is -1"));
  ElasticBody cells = steel(mesh);
  cells.foundation("all", {.normal = 1});
  EXPECT_THAT(refusal(cells), HasSubstr("facets"));
  ElasticBody slack = steel(mesh);
  slack.spring(corner, {.stiffness = {0, 0, 0}});
  EXPECT_THAT(refusal(slack), HasSubstr("this spring has no stiffness"));
  ElasticBody pushes = steel(mesh);
  pushes.spring(corner, {.stiffness = {0, -1, 3}});
  EXPECT_THAT(refusal(pushes), HasSubstr("[0, -1, 3]"));
  ElasticBody flat = steel(plane);
  flat.spring(corner, {.stiffness = {1, 1, 1}});
  EXPECT_THAT(refusal(flat), HasSubstr("a spring along z of a plane model"));
}

}  // namespace
}  // namespace ritz::test::ground_test
