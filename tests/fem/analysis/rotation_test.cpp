// Bodies and shafts that turn against closed forms (Timoshenko and Goodier, Theory of Elasticity, 1970, section 32;
// Geradin and Rixen, Mechanical Vibrations, 2015).
#include "fem/analysis/complex_modes.hpp"

#include "device/error.hpp"
#include "fem/elements/bar.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ritz::test::rotation_test {
namespace {

constexpr double pi = std::numbers::pi;

Device cpu() { return Device::named("cpu", 1); }

constexpr double young = 200e9, poisson = 0.3, density = 8000;

Modal modes_of(int count) { return {{.count = count, .method = EigenMethod::lanczos}}; }

// The state of the body that turns, and its modes about it.
std::vector<double> frequencies(const Model& model, int count) {
  Modal modal = modes_of(count);
  modal.begin.u = solve(model, Static{}).u.host();
  return solve(model, modal).frequencies;
}

// A rectangle of the plane of r and y, held along y at its lower corner.
Mesh revolved(double r0, double r1, double height, Index cells) {
  MeshData data = rectangle_data(cells, 1, {r1 - r0, height}, CellKind::quad4);
  transform_points(data, [&](std::span<double, 3> x) { x[0] += r0; });
  return Mesh(std::move(data));
}

// u = (1 - nu) rho speed^2 b^3 / 4 E at the rim of a thin disc.
TEST(Rotation, OfADiscStretchesItsRim) {
  const double b = 0.5, speed = 300;
  const Mesh mesh = revolved(0, b, 0.01, 8);
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.material("all", {.young = young, .poisson = poisson, .density = density});
  body.loads.displacement("y0", 1, 0);
  body.rotates({.axis = {0, 1, 0}, .speed = speed});
  const Model model = body.model(cpu(), {.order = 2});
  const std::vector<double> u = model.space.to_mesh(solve(model, Static{}).u);
  double rim = 0;
  for (Index node = 0; node < mesh.node_count(); ++node)
    if (mesh.point(node)[0] > b - 1e-9) rim = u[2 * static_cast<std::size_t>(node)];
  const double exact = (1 - poisson) * density * speed * speed * b * b * b / (4 * young);
  EXPECT_NEAR(rim, exact, 1e-3 * exact);
}

// A thin ring at large displacements: the force grows with the radius, rho speed^2 R^2 s = E s (s^2 - 1) / 2 of a
// St. Venant-Kirchhoff material, so that s^2 = 1 + 2 rho speed^2 R^2 / E.
TEST(Rotation, OfALargeRingGrowsWithItsRadius) {
  const double thickness = 1e-3, speed = 10, soft = 10 * density * speed * speed;
  ElasticBody body(revolved(1 - thickness / 2, 1 + thickness / 2, thickness, 1), PlaneKind::axisymmetric);
  body.material("all", {.young = soft, .poisson = 0, .density = density});
  body.large_displacements = true;
  body.loads.displacement("y0", 1, 0);
  body.rotates({.axis = {0, 1, 0}, .speed = speed});
  const Model model = body.model(cpu(), {.order = 2});
  for (const double part : {1.0, 0.5}) {  // of the load
    const std::vector<double> u = model.space.to_mesh(solve(model, Nonlinear{.path = {part}}).u);
    EXPECT_NEAR(1 + (u[0] + u[2]) / 2, std::sqrt(1 + 2 * 0.1 * part), 1e-5);
  }
}

// In a thin ring the tension of the rotation and the growing centrifugal force cancel as it breathes: sqrt(E / rho) /
// R.
TEST(Rotation, LeavesTheBreathingOfARingAsItIs) {
  const double w = std::sqrt(young / density);
  const Mesh mesh = revolved(0.995, 1.005, 0.01, 2);
  for (const double speed : {0.0, 0.5 * w}) {
    ElasticBody body(mesh, PlaneKind::axisymmetric);
    body.material("all", {.young = young, .poisson = poisson, .density = density});
    body.loads.displacement("y0", 1, 0);
    body.rotates({.axis = {0, 1, 0}, .speed = speed});
    EXPECT_NEAR(2 * pi * frequencies(body.model(cpu(), {.order = 2}), 1).front(), w, 1e-3 * w) << speed;
  }
}

// The tension is the same for motions along the axis and in the plane of the rotation, where centrifugal forces grow:
// squares differ by the speed's.
TEST(Rotation, SplitsTheBendingOfABlade) {
  const double speed = 200;
  const Mesh mesh = box(8, 1, 1, {1, 0.04, 0.04}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = young, .poisson = poisson, .density = density});
  body.loads.fix("x0");
  body.rotates({.axis = {0, 0, 3}, .point = {0, 0.02, 0}, .speed = speed});
  const std::vector<double> f = frequencies(body.model(cpu(), {.order = 2}), 2);
  const double in_plane = std::pow(2 * pi * f[0], 2), along = std::pow(2 * pi * f[1], 2);
  EXPECT_NEAR(along - in_plane, speed * speed, 5e-3 * speed * speed);
  // of a slender beam w^2 = 3.516^2 E I / rho A L^4 + 1.193 speed^2 (Geradin and Rixen)
  const double bent = 3.516 * 3.516 * young * 0.04 * 0.04 / 12 / density;
  EXPECT_NEAR(along, bent + 1.193 * speed * speed, 0.01 * along);
}

// A stiff block on equal springs in the plane circles with w -+ speed, seen from its frame, in the plane and in space.
TEST(Rotation, ShiftsTheCirclesOfABlockByItsSpeed) {
  for (const bool solid : {false, true}) {
    const double stiffness = 4000, w = 20;  // 10 kg
    MeshData data =
        solid ? box_data(2, 2, 1, {1, 1, 1}, CellKind::hex8) : rectangle_data(2, 2, {1, 1}, CellKind::quad4);
    transform_points(data, [](std::span<double, 3> x) { x[0] -= 0.5, x[1] -= 0.5; });
    const Mesh mesh(std::move(data));
    const Region nodes{.name = "nodes",
                       .kind = RegionKind::nodes,
                       .nodes = nodes_where(mesh, [](double, double, double) { return true; })};
    for (const double speed : {0.0, 4.0, -9.0}) {
      ElasticBody body(mesh, PlaneKind::stress);
      body.material("all", {.young = 1e9, .poisson = 0.3, .density = 10});
      body.spring(nodes, {.stiffness = {stiffness, stiffness, 0}});
      if (solid) body.loads.displacement("all", 2, 0);
      body.rotates({.speed = speed});
      const Model model = body.model(cpu());
      ModalBasis basis{.modal = modes_of(3), .loads_excite = false};
      basis.modal.begin.u = solve(model, Static{}).u.host();
      const std::vector<ComplexMode> modes = complex_modes(model, solve(model, basis), {});
      ASSERT_EQ(modes.size(), 3U);
      for (const double exact : {w - speed, w + speed})  // the other one turns the block
        EXPECT_TRUE(std::ranges::any_of(
            modes, [&](const ComplexMode& each) { return std::abs(2 * pi * each.frequency() - exact) < 1e-4 * w; }))
            << solid << " " << speed;
    }
  }
}

// A shaft of circular section between two bearings.
struct Shaft {
  explicit Shaft(double radius = 0.1, Point along = {1, 0, 0}, int count = 16)
      : radius(radius),
        mesh(line_mesh({0, 0, 0}, {2 * along[0], 2 * along[1], 2 * along[2]}, count)),
        first{.name = "first", .kind = RegionKind::nodes, .nodes = {0}},
        last{.name = "last", .kind = RegionKind::nodes, .nodes = {static_cast<Node>(count)}},
        middle{.name = "middle", .kind = RegionKind::nodes, .nodes = {static_cast<Node>(count / 2)}},
        frames(mesh),
        axis(along) {
    const double inertia = pi * std::pow(radius, 4) / 4;
    frames.section("all", {.element = ritz::Beam{young, poisson, area(), inertia, inertia, 2 * inertia, 0, 0, {}, 0, 0},
                           .density = density,
                           .size = area(),
                           .origin = "[[section]]"});
    for (const int c : {0, 1, 2}) {
      frames.loads.support(first, c, 0);
      frames.loads.support(last, c, 0);
    }
    for (int c = 3; c < 6; ++c)  // about its axis
      if (along[static_cast<std::size_t>(c - 3)] != 0)
        for (const Region* end : {&first, &last}) frames.loads.support(*end, c, 0);
  }
  double area() const { return pi * radius * radius; }
  std::vector<ComplexMode> modes(double speed, int count) {
    frames.rotates({.axis = axis, .speed = speed});
    const Model model = frames.model(cpu());
    return complex_modes(model, solve(model, ModalBasis{.modal = modes_of(count), .loads_excite = false}), {});
  }

  double radius;
  Mesh mesh;
  Region first, last, middle;
  Frames frames;
  Point axis;
};

// Rayleigh's shaft: (rho A + rho I k^2) w^2 -+ 2 speed rho I k^2 w = E I k^4 with k = n pi / L, forwards and backwards.
TEST(Rotation, OfARayleighShaftWhirlsForwardsAndBackwards) {
  for (const Point& along : {Point{1, 0, 0}, Point{0, 0, 1}})
    for (const double speed : {0.0, 1000.0}) {
      Shaft shaft(0.1, along);
      const std::vector<ComplexMode> modes = shaft.modes(speed, 8);
      const double A = shaft.area(), I = pi * std::pow(shaft.radius, 4) / 4;
      std::vector<double> exact;
      for (const int n : {1, 2}) {
        const double k = n * pi / 2, m = density * (A + I * k * k), g = speed * density * I * k * k,
                     root = std::sqrt(g * g + m * young * I * std::pow(k, 4));
        exact.push_back((root - g) / m);
        exact.push_back((root + g) / m);
      }
      for (std::size_t i = 0; i < exact.size(); ++i)
        EXPECT_NEAR(2 * pi * modes[i].frequency(), exact[i], 1e-4 * exact[i]) << speed << " " << i;
      EXPECT_GE(exact[1], (speed > 0 ? 1.01 : 1) * exact[0]);
    }
}

// The moments of inertia of a point mass are those of a disc: a light shaft with one in its middle tilts at
// sqrt(k / I + h^2) -+ h, h = speed I_p / 2 I, where k = 12 E J / L' with the half L' is the stiffness against tilting.
TEST(Rotation, TurnsPointMassesWithTheShaft) {
  Shaft shaft(0.02);
  const double J = pi * std::pow(0.02, 4) / 4, k = 6 * young * J, inertia = 2000, polar = 3500, speed = 40;
  shaft.frames.mass(shaft.middle, {.total = 1000, .inertia = {polar, inertia, inertia}});
  for (const int c : {1, 2}) shaft.frames.loads.support(shaft.middle, c, 0);
  const std::vector<ComplexMode> modes = shaft.modes(speed, 6);
  const double h = speed * polar / (2 * inertia), root = std::hypot(h, std::sqrt(k / inertia));
  EXPECT_NEAR(2 * pi * modes[0].frequency(), root - h, 2e-3 * root);
  bool found = false;
  for (const ComplexMode& each : modes) found = found || std::abs(2 * pi * each.frequency() - root - h) < 2e-3 * root;
  EXPECT_TRUE(found);
}

template <class Make>
std::string refusal(const Make& make) {
  try {
    make();
    return "";
  } catch (const std::exception& error) { return error.what(); }
}

TEST(Rotation, IsOfRoundShaftsOnTheAxis) {
  const auto model = [](Shaft& shaft, const Rotation& rotation) {
    shaft.frames.rotates(rotation);
    return refusal([&] { (void)shaft.frames.model(cpu()); });
  };
  Shaft shaft;
  EXPECT_EQ(model(shaft, {.axis = {1, 0, 0}, .speed = 1}), "");
  EXPECT_NE(model(shaft, {.axis = {0, 0, 1}, .speed = 1}).find("is not on the axis"), std::string::npos);
  EXPECT_NE(model(shaft, {.axis = {1, 0, 0}, .point = {0, 0.1, 0}, .speed = 1}).find("is not on the axis"),
            std::string::npos);
  EXPECT_NE(model(shaft, {.axis = {0, 0, 0}, .speed = 1}).find("about this axis"), std::string::npos);
  shaft.frames.mass(shaft.middle, {.total = 1, .inertia = {1, 2, 3}});
  EXPECT_NE(model(shaft, {.axis = {1, 0, 0}, .speed = 1}).find("not round"), std::string::npos);
  const Mesh mesh = line_mesh({0, 0, 0}, {1, 0, 0}, 1);
  Frames flat(mesh);
  flat.section("all", {.element = ritz::Beam{young, poisson, 1, 1, 2, 1, 0, 0, {}, 0, 0}, .density = 1, .size = 1});
  flat.rotates({.axis = {1, 0, 0}, .speed = 1});
  EXPECT_NE(refusal([&] { (void)flat.model(cpu()); }).find("not round"), std::string::npos);
}

TEST(Rotation, OfSolidsNeedsADensityAndAnAxis) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  const auto model = [&](PlaneKind kind, const ElasticMaterial& material, const Rotation& rotation) {
    ElasticBody body(mesh, kind);
    body.material("all", material);
    body.rotates(rotation);
    return refusal([&] { (void)body.model(cpu()); });
  };
  const ElasticMaterial light{.young = 1, .poisson = 0}, heavy{.young = 1, .poisson = 0, .density = 1};
  EXPECT_NE(model(PlaneKind::stress, light, {.speed = 1}).find("no density"), std::string::npos);
  EXPECT_EQ(model(PlaneKind::stress, heavy, {.speed = 1}), "");
  EXPECT_NE(model(PlaneKind::stress, heavy, {.axis = {1, 0, 0}, .speed = 1}).find("about this axis"),
            std::string::npos);
  EXPECT_NE(model(PlaneKind::axisymmetric, heavy, {.speed = 1}).find("about this axis"), std::string::npos);
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.material("all", heavy);
  body.rotates({.axis = {0, 1, 0}, .speed = 1});
  EXPECT_THROW(check(body.model(cpu()), ComplexModal{}), Error);
}

}  // namespace
}  // namespace ritz::test::rotation_test
