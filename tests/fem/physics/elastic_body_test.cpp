// Elastic bodies without a case file: what the builder makes of typed inputs, and what it refuses.
#include "fem/physics/elastic_body.hpp"

#include "fem/analysis/static_solution.hpp"
#include "fem/operator/operator.hpp"
#include "mesh/generators.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;
constexpr double young = 200e9, poisson = 0.3;

const Mesh& block() {
  static const Mesh mesh = box(2, 2, 3, {1, 2, 3}, CellKind::hex8);
  return mesh;
}
Device cpu() { return Device::named("cpu", 1); }

std::vector<double> solve(const Model& model) {
  const Operator equations(model.space, model.equations);
  return model.space.to_mesh(solve_static(equations, make_constraints(model), {.relative = 1e-11}).u);
}

// Sum of a load along each axis.
std::vector<double> resultant(const Model& model, const std::vector<Integral>& integrals) {
  const auto components = static_cast<std::size_t>(model.space.components());
  Vector r = model.space.zeros();
  Operator(model.space, integrals).residual(model.space.zeros(), r);
  std::vector<double> total(components, 0.0);
  const std::vector<double> values = r.host();
  for (std::size_t i = 0; i < values.size(); ++i) total[i % components] -= values[i];
  return total;
}

std::string refusal(const ElasticBody& body) {
  try {
    body.model(cpu());
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why() + error.fix(); }
}

// A column under its end load: u_z = F z / (E A), and it gets thinner by nu.
TEST(ElasticBody, UnderAForceGetsLonger) {
  ElasticBody body(block());
  body.material("all", {.young = young, .poisson = poisson});
  body.loads.displacement("z0", 2, 0);
  body.loads.displacement("x0", 0, 0);
  body.loads.displacement("y0", 1, 0);
  body.loads.force("z1", {0, 0, 4e6});
  const std::vector<double> u = solve(body.model(cpu()));
  for (Index node = 0; node < block().node_count(); ++node) {
    const auto x = block().point(node);
    EXPECT_NEAR(u[static_cast<std::size_t>(3 * node + 2)], 1e-5 * x[2], 1e-12);
    EXPECT_NEAR(u[static_cast<std::size_t>(3 * node)], -0.3e-5 * x[0], 1e-12);
  }
}

TEST(ElasticBody, LoadsSumToWhatTheyAre) {
  ElasticBody body(block());
  body.material("all", {.young = young, .poisson = poisson, .density = 1000});
  body.loads.fix("z0");
  body.loads.gravity({0, 0, -10});
  ElasticLoads& wind = body.load_case("wind");
  wind.pressure("x0", 50);
  wind.traction("y1", {1, 2, 3});
  wind.body_force("all", {10, 0, 0});
  const Model model = body.model(cpu());
  std::vector<Integral> loads;
  for (const Integral& each : model.equations)
    if (!each.form.has_matrix) loads.push_back(each);
  EXPECT_NEAR(resultant(model, loads)[2], -6 * 1000 * 10, 1e-7);
  const std::vector<double> total = resultant(model, model.load_cases.at(0).loads);
  EXPECT_NEAR(total[0], 50 * 6 + 1 * 3 + 10 * 6, 1e-9);
  EXPECT_NEAR(total[1], 2 * 3, 1e-10);
  EXPECT_NEAR(total[2], 3 * 3, 1e-10);
}

// A density of 1000 z in 1 x 2 x 3 m is a mass of 9000.
TEST(ElasticBody, WeighsAVaryingDensity) {
  const PointFunction density = [](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1000 * x[3 * i + 2];
  };
  ElasticBody body(block());
  body.material("all", {.young = young, .poisson = poisson, .density = density});
  body.loads.fix("z0");
  body.loads.gravity({0, 0, -10});
  const Model model = body.model(cpu());
  EXPECT_NEAR(resultant(model, {model.equations.back()})[2], -9000 * 10, 1e-6);
}

// A ring of 0.1 and 0.2 m under a pressure inside, by Lame: u(a) = p a / E ((a^2 + b^2) / (b^2 - a^2) + nu).
TEST(ElasticBody, OfRevolutionFollowsLame) {
  MeshData data = rectangle_data(24, 1, {0.1, 0.05}, CellKind::quad9);
  for (std::size_t n = 0; n < data.points.size(); n += 3) data.points[n] += 0.1;
  const Mesh mesh(std::move(data));
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.material("all", {.young = young, .poisson = poisson});
  body.loads.displacement("y0", 1, 0);
  body.loads.pressure("x0", 60e6);
  const std::vector<double> u = solve(body.model(cpu()));
  for (Index node = 0; node < mesh.node_count(); ++node)
    if (mesh.point(node)[0] < 0.1001) {
      EXPECT_NEAR(u[static_cast<std::size_t>(2 * node)], 60e6 * 0.1 / young * (5.0 / 3 + poisson), 1e-10);
    }
}

TEST(ElasticBody, OfRevolutionStaysOnItsAxis) {
  const Mesh mesh = rectangle(2, 3, {1, 1}, CellKind::quad4);
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.material("all", {.young = young, .poisson = poisson});
  body.loads.displacement("y0", 1, 0);
  EXPECT_EQ(make_constraints(body.model(cpu())).count(), 4 + 3);  // radial on the axis, axial below
}

// 3 x 1 m in plane stress, 0.2 m thick, and as a ring from r = 1: by a number and by a formula.
TEST(ElasticBody, HasItsMass) {
  for (const PlaneKind kind : {PlaneKind::stress, PlaneKind::axisymmetric})
    for (const bool formula : {false, true}) {
      MeshData data = rectangle_data(3, 2, {3, 1}, CellKind::quad4);
      for (std::size_t n = 0; n < data.points.size(); n += 3) data.points[n] += 1;
      const Mesh mesh(std::move(data));
      const bool ring = kind == PlaneKind::axisymmetric;
      ElasticBody body(mesh, kind, ring ? 1 : 0.2);
      const PointFunction density = [](std::span<const double>, std::span<double> values) {
        std::ranges::fill(values, 7850);
      };
      body.material(
          "all", {.young = young, .poisson = poisson, .density = formula ? Coefficient(density) : Coefficient(7850)});
      const Model model = body.model(cpu());
      std::vector<double> along(static_cast<std::size_t>(2 * mesh.node_count()), 0.0);
      for (std::size_t i = 1; i < along.size(); i += 2) along[i] = 1;
      Vector m = model.space.zeros();
      Operator(model.space, model.inertia).residual(model.space.from_mesh(along), m);
      double mass = 0;
      for (const double each : m.host()) mass += each;
      const double exact = 7850 * 3 * (ring ? 2 * std::numbers::pi * 2.5 : 0.2);
      EXPECT_NEAR(mass / exact, 1, 1e-12) << ring << formula;
    }
}

TEST(ElasticBody, ReportsLocking) {
  ElasticBody body(block());
  body.material("all", {.young = young, .poisson = 0.4999});
  EXPECT_THAT(body.model(cpu()).notices, ::testing::ElementsAre(HasSubstr("volumetric locking")));
}

TEST(ElasticBody, RefusesWhatCannotBe) {
  const auto steel = [] {
    ElasticBody body(block());
    body.material("all", {.young = young, .poisson = poisson});
    return body;
  };
  ElasticBody weighs = steel();
  weighs.loads.gravity({0, 0, -10}, "line 9");
  EXPECT_THAT(refusal(weighs), HasSubstr("has no density"));

  ElasticBody incompressible(block());
  incompressible.material("all", {.young = young, .poisson = 0.5, .origin = "line 3"});
  EXPECT_THAT(refusal(incompressible), ::testing::AllOf(HasSubstr("'poisson' is 0.5, line 3"), HasSubstr("below 0.5")));

  ElasticBody flat = steel();
  flat.loads.traction("z1", {1, 2});
  EXPECT_THAT(refusal(flat), HasSubstr("the traction has 2 numbers"));

  ElasticBody fourth = steel();
  fourth.loads.displacement("z0", 3, 0);
  EXPECT_THAT(refusal(fourth), HasSubstr("a displacement of component 3"));

  const Mesh section = rectangle(2, 2, {1, 1}, CellKind::quad4);
  ElasticBody across(section, PlaneKind::axisymmetric);
  across.material("all", {.young = young, .poisson = poisson});
  across.loads.force("x1", {1, 0});
  EXPECT_THAT(refusal(across), HasSubstr("across the axis of a body of revolution"));
}

// Resultant of a load, and its moment about the origin.
std::array<double, 6> wrench(const Model& model) {
  Vector r = model.space.zeros();
  const std::vector<Integral> loads(model.equations.begin() + 1, model.equations.end());
  Operator(model.space, loads).residual(model.space.zeros(), r);
  const std::vector<double> f = model.space.to_mesh(r);
  std::array<double, 6> sum{};
  for (Index node = 0; node < block().node_count(); ++node) {
    const auto x = block().point(node);
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t j = (d + 1) % 3, k = (d + 2) % 3, at = static_cast<std::size_t>(3 * node);
      sum[d] -= f[at + d];
      sum[3 + d] -= x[j] * f[at + k] - x[k] * f[at + j];
    }
  }
  return sum;
}

// The forces at the nodes have the force, and the moment about any point, of the one that is given.
TEST(ElasticBody, ARemoteForceIsStaticallyEquivalent) {
  ElasticBody body(block());
  body.material("all", {.young = young, .poisson = poisson});
  const std::array<double, 3> force = {100, -200, 300}, moment = {7, 11, -13}, at = {3, -1, 5};
  body.loads.remote_force("z1", {.force = force, .moment = moment, .at = at});
  const std::array<double, 6> sum = wrench(body.model(cpu()));
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t j = (d + 1) % 3, k = (d + 2) % 3;
    EXPECT_NEAR(sum[d], force[d], 1e-9);
    EXPECT_NEAR(sum[3 + d], moment[d] + at[j] * force[k] - at[k] * force[j], 1e-9);
  }
}

// Without a point it acts at the centre of the surface: a plain force is the same without its moment.
TEST(ElasticBody, ARemoteForceActsAtTheCentre) {
  ElasticBody body(block());
  body.material("all", {.young = young, .poisson = poisson});
  body.loads.remote_force("z1", {.force = {0, 0, 1}});
  const std::array<double, 6> sum = wrench(body.model(cpu()));
  EXPECT_NEAR(sum[2], 1, 1e-12);
  EXPECT_NEAR(sum[3], 1, 1e-12);     // y F of the centre (0.5, 1)
  EXPECT_NEAR(sum[4], -0.5, 1e-12);  // -x F
}

TEST(ElasticBody, ForcesAtNodesAreInTotalOrEach) {
  const Region corners{.name = "corners", .kind = RegionKind::nodes, .nodes = {0, 1}};
  ElasticBody total(block()), each(block());
  for (ElasticBody* body : {&total, &each}) body->material("all", {.young = young, .poisson = poisson});
  total.loads.force(corners, {5, 0, -6});
  each.loads.force_at_each(corners, {5, 0, -6});
  const Model a = total.model(cpu()), b = each.model(cpu());
  EXPECT_THAT(resultant(a, {a.equations.back()}), ::testing::ElementsAre(5, 0, -6));
  EXPECT_THAT(resultant(b, {b.equations.back()}), ::testing::ElementsAre(10, 0, -12));
}

}  // namespace
}  // namespace ritz::test
