// Pressure that follows the surface: states of one strain under it, a tube of rubber by its closed form, and a body
// that turns under it.
#include "fem/analysis/analysis.hpp"
#include "fem/materials/laws.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::follower_pressure_test {
namespace {

using ::testing::HasSubstr;

Device cpu() { return Device::named("cpu", 1); }

constexpr NeoHooke rubber{1000, 0.3};
constexpr double shear = 1000 / 2.6, lame = 1000 * 0.3 / (1.3 * 0.4);

// Cauchy's stress at the stretch l in `directions` of three.
double stress_at(double l, int directions) {
  const double J = std::pow(l, directions);
  return (shear * (l * l - 1) + lame * std::log(J)) / J;
}

// A block with three planes of symmetry under pressure on all other sides: one strain, whatever the mesh.
double stretch_under(double pressure, ElasticBody& body, const std::vector<const char*>& sides, double unit) {
  body.large_displacements = true;
  body.material("all", {.law = NeoHooke{rubber.young / unit / unit, rubber.poisson}});
  for (const char* side : sides) body.loads.pressure(side, pressure / unit / unit);
  const NonlinearSolution s = solve(body.model(cpu()), Nonlinear{.relative = 1e-11});
  return 1 - std::copysign(max_abs(s.u) / unit, pressure);  // the corner goes farthest
}

TEST(FollowerPressure, ABlockIsPressedToTheStretchOfItsStressInAnyUnits) {
  for (const double unit : {1e-3, 1.0, 1e3}) {
    const Mesh mesh = box(2, 1, 2, {unit, unit, unit}, CellKind::hex8);
    ElasticBody body(mesh);
    for (int c = 0; c < 3; ++c)
      body.loads.displacement(std::array{"x0", "y0", "z0"}[static_cast<std::size_t>(c)], c, 0);
    const double l = stretch_under(400, body, {"x1", "y1", "z1"}, unit);
    EXPECT_NEAR(stress_at(l, 3), -400, 1e-6);
    EXPECT_LT(l, 0.9);
  }
}

TEST(FollowerPressure, APlaneBlockHasTheDeformedLengthOfItsEdges) {
  const Mesh mesh = rectangle(2, 1, {1, 1}, CellKind::quad8);
  ElasticBody body(mesh);
  body.loads.displacement("x0", 0, 0);
  body.loads.displacement("y0", 1, 0);
  EXPECT_NEAR(stress_at(stretch_under(-300, body, {"x1", "y1"}, 1), 2), 300, 1e-6);
}

// Rivlin's tube, incompressible and held along its axis: with r^2 - R^2 = c the pressure inside is
// mu [ln(R / r) - c / (2 r^2)] between its surfaces. The bulk modulus is large enough for three digits.
TEST(FollowerPressure, ATubeOfRubberIsBlownUpAsItsClosedFormHasIt) {
  const double A = 1, B = 2, a = 1.8, c = a * a - A * A, b = std::sqrt(B * B + c), mu = 1;
  const auto term = [&](double R, double r) { return std::log(R / r) - c / (2 * r * r); };
  const double pressure = mu * (term(B, b) - term(A, a));
  MeshData data = rectangle_data(4, 1, {B - A, 0.2}, CellKind::quad8);
  for (std::size_t i = 0; i < data.points.size(); i += 3) data.points[i] += A;
  const Mesh mesh(std::move(data));
  ElasticBody tube(mesh, PlaneKind::axisymmetric);
  tube.large_displacements = true;
  tube.material("all", {.law = MooneyRivlin{mu / 2, 0, 1e3}});
  for (const char* side : {"y0", "y1"}) tube.loads.displacement(side, 1, 0);
  tube.loads.pressure("x0", pressure);
  const Model model = tube.model(cpu());
  for (const auto control : {Nonlinear::Control::loads, Nonlinear::Control::arc_length}) {
    const NonlinearSolution s = solve(
        model, Nonlinear{.sizes = {.first = 0.2}, .control = control, .linear = {.method = LinearMethod::direct}});
    EXPECT_EQ(s.part, 1);
    const std::vector<double> u = model.space.to_mesh(s.u);
    for (Node node = 0; node < mesh.node_count(); ++node) {
      const double R = mesh.point(node)[0];
      EXPECT_NEAR(u[static_cast<std::size_t>(2 * node)], std::sqrt(R * R + c) - R, 5e-3) << R;
    }
  }
}

// A bar in a fluid: pressed on all sides it only shrinks, and a rotation of the whole leaves it in balance.
TEST(FollowerPressure, TurnsWithTheBody) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.large_displacements = true;
  body.material("all", {.law = rubber});
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"}) body.loads.pressure(side, 400);
  const Model model = body.model(cpu());
  double low = 0.5, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double l = (low + high) / 2;
    (stress_at(l, 3) < -400 ? low : high) = l;
  }
  const double c = std::cos(0.8) * low, s = std::sin(0.8) * low;
  std::vector<double> moved;
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    moved.insert(moved.end(), {c * x[0] - s * x[1] - x[0], s * x[0] + c * x[1] - x[1], low * x[2] - x[2]});
  }
  const Operator equations(model.space, model.equations);
  Vector r = equations.zeros();
  equations.residual(model.space.from_mesh(moved), r);
  for (const double each : r.host()) EXPECT_NEAR(each, 0, 1e-9);
}

TEST(FollowerPressure, IsRefusedAtSmallDisplacementsAndCanBeDead) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = 1, .poisson = 0});
  for (int c = 0; c < 3; ++c) body.loads.displacement(std::array{"x0", "y0", "z0"}[static_cast<std::size_t>(c)], c, 0);
  body.loads.pressure("x1", -0.1, "", true);
  try {
    body.model(cpu());
    ADD_FAILURE();
  } catch (const Error& error) { EXPECT_THAT(error.what(), HasSubstr("a pressure that follows the surface")); }
  ElasticBody dead(mesh);
  dead.large_displacements = true;
  dead.material("all", {.law = LinearElastic{1, 0}});
  for (int c = 0; c < 3; ++c) dead.loads.displacement(std::array{"x0", "y0", "z0"}[static_cast<std::size_t>(c)], c, 0);
  dead.loads.pressure("x1", -0.1, "", false);
  const double l = 1 + std::ranges::max(solve(dead.model(cpu()), Nonlinear{}).u.host());
  EXPECT_NEAR(l * (l * l - 1) / 2, 0.1, 1e-8);  // per undeformed area
}

}  // namespace
}  // namespace ritz::test::follower_pressure_test
