// Damped and gyroscopic vibration against closed forms.
#include "fem/analysis/complex_modes.hpp"

#include "device/error.hpp"
#include "fem/elements/bar.hpp"
#include "fem/elements/beam.hpp"
#include "fem/physics/frames.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ritz::test::complex_modes_test {
namespace {

constexpr double pi = std::numbers::pi;

Device cpu() { return Device::named("cpu", 1); }

// Two masses of 2 and 1 kg on springs of 1000 N/m in a row along x.
struct Row {
  Row() : mesh(line_mesh({0, 0, 0}, {2, 0, 0}, 2)), frames(mesh) {
    frames.section("all", {.element = ritz::Bar{1000, 1}, .density = 1e-12, .size = 1});
    nodes.reserve(3);
    for (const Node i : {0, 1, 2}) {
      nodes.push_back({.name = "node", .kind = RegionKind::nodes, .nodes = {i}});
      if (i > 0) frames.mass(nodes.back(), {.total = i == 1 ? 2.0 : 1.0});
      for (const int c : {0, 1, 2})
        if (i == 0 || c > 0) frames.loads.support(nodes.back(), c, 0);
    }
    model = frames.model(cpu());
  }
  Mesh mesh;
  std::vector<Region> nodes;
  Frames frames;
  Model model;
};

std::vector<ComplexMode> solved(const Model& model, const ComplexModal& analysis, int count) {
  const ModalBasis basis = complex_basis(
      model, {.modal = {{.count = count, .method = EigenMethod::lanczos}}, .loads_excite = false}, analysis);
  return complex_modes(model, solve(model, basis), analysis);
}

// A dashpot of each strength at the second mass: lambda^2 M + lambda C + K is singular, and light damping is that of
// c |phi|^2 / 2.
TEST(ComplexModes, OfTwoMassesWithADashpotSolveTheirQuadraticEquation) {
  const Row row;
  for (const double c : {0.5, 20.0, 60.0}) {
    const std::vector<ComplexMode> modes = solved(row.model, {.dashpots = {{{2}, {c, 0, 0}}}}, 2);
    ASSERT_EQ(modes.size(), 2U);
    for (const ComplexMode& mode : modes) {
      const std::complex<double> l = mode.value, a = 2.0 * l * l + 2000.0, b = l * l + c * l + 1000.0;
      EXPECT_LE(std::abs(a * b - 1e6), 1e-6 * std::abs(a * b)) << c;
      EXPECT_GT(mode.ratio(), 0);
    }
  }
}

// lambda = -zeta w +- i w sqrt(1 - zeta^2); beyond the critical damping two real ones.
TEST(ComplexModes, OfAnOscillatorHaveItsDampingRatio) {
  const Mesh mesh = line_mesh({0, 0, 0}, {1, 0, 0}, 1);
  Frames frames(mesh);
  frames.section("all", {.element = ritz::Bar{1000, 1}, .density = 1e-12, .size = 1});
  const Region fixed{.name = "a", .kind = RegionKind::nodes, .nodes = {0}},
      moving{.name = "b", .kind = RegionKind::nodes, .nodes = {1}};
  for (const int c : {0, 1, 2}) frames.loads.support(fixed, c, 0);
  for (const int c : {1, 2}) frames.loads.support(moving, c, 0);
  frames.mass(moving, {.total = 2.5});
  const Model model = frames.model(cpu());
  const double w = 20;  // sqrt(1000 / 2.5)
  for (const double zeta : {0.05, 0.7}) {
    const ComplexMode dashpot = solved(model, {.dashpots = {{{1}, {2 * zeta * w * 2.5, 0, 0}}}}, 1).front();
    const ComplexMode modal = solved(model, {.damping = {.ratio = zeta}}, 1).front();
    for (const ComplexMode& mode : {dashpot, modal}) {
      EXPECT_NEAR(mode.ratio(), zeta, 1e-9);
      EXPECT_NEAR(mode.frequency(), w * std::sqrt(1 - zeta * zeta) / (2 * pi), 1e-8);
    }
  }
  const ComplexMode slow = solved(model, {.dashpots = {{{1}, {2 * 1.25 * w * 2.5, 0, 0}}}}, 1).front();
  EXPECT_NEAR(slow.value.real(), -0.5 * w, 1e-6);  // -zeta w + w sqrt(zeta^2 - 1)
  EXPECT_EQ(slow.frequency(), 0);
}

// A disc at the end of a shaft that only bends: of I w^2 -+ speed H w = k the precession backwards and forwards.
TEST(ComplexModes, OfADiscSplitByItsSpeed) {
  const Mesh mesh = line_mesh({0, 0, 0}, {0, 0, 1}, 1);
  Frames frames(mesh);
  const double EI = 1000, k = 4 * EI, inertia = 2, polar = 3;
  const ritz::Beam shaft{.young = EI,
                         .poisson = 0.3,
                         .area = 1,
                         .inertia_y = 1,
                         .inertia_z = 1,
                         .torsion = 1,
                         .shear_area_y = 0,
                         .shear_area_z = 0,
                         .orientation = {},
                         .offset_y = 0,
                         .offset_z = 0};
  frames.section("all", {.element = shaft, .density = 1e-12, .size = 1});
  const Region fixed{.name = "a", .kind = RegionKind::nodes, .nodes = {0}},
      disc{.name = "b", .kind = RegionKind::nodes, .nodes = {1}};
  frames.loads.fix(fixed);
  for (const int c : {0, 1, 2, 5}) frames.loads.support(disc, c, 0);
  frames.mass(disc, {.total = 1, .inertia = {inertia, inertia, polar}});
  const Model model = frames.model(cpu());
  for (const double speed : {0.0, 10.0, 100.0}) {
    const std::vector<ComplexMode> modes =
        solved(model, {.discs = {{.nodes = {1}, .polar = polar, .speed = speed}}}, 2);
    ASSERT_EQ(modes.size(), 2U);
    const double half = speed * polar / (2 * inertia), root = std::hypot(half, std::sqrt(k / inertia));
    EXPECT_NEAR(2 * pi * modes[0].frequency(), root - half, 1e-6 * root);
    EXPECT_NEAR(2 * pi * modes[1].frequency(), root + half, 1e-6 * root);
    EXPECT_NEAR(modes[0].ratio(), 0, 1e-9);
  }
  EXPECT_THROW(check(Row().model, ComplexModal{.discs = {{.nodes = {1}}}}), Error);
}

// A mass on equal springs, seen from a frame that turns: its circles have the frequencies w +- speed.
TEST(ComplexModes, InATurningFrameAreShiftedByItsSpeed) {
  const Mesh mesh = line_mesh({0, 0, 0}, {0, 0, 1}, 1);
  Frames frames(mesh);
  frames.section("all", {.element = ritz::Bar{1000, 1}, .density = 1e-12, .size = 1});
  const Region fixed{.name = "a", .kind = RegionKind::nodes, .nodes = {0}},
      mass{.name = "b", .kind = RegionKind::nodes, .nodes = {1}};
  for (const int c : {0, 1, 2}) frames.loads.support(fixed, c, 0);
  frames.loads.support(mass, 2, 0);
  frames.mass(mass, {.total = 2});
  frames.spring(mass, {.stiffness = {800, 800, 0}});
  const Model model = frames.model(cpu());
  const double w = 20;
  for (const double speed : {0.0, 3.0, -7.0}) {
    const std::vector<ComplexMode> modes = solved(model, {.frame = TurningFrame{.axis = {0, 0, 5}, .speed = speed}}, 2);
    ASSERT_EQ(modes.size(), 2U);
    EXPECT_NEAR(2 * pi * modes[0].frequency(), w - std::abs(speed), 1e-7 * w);
    EXPECT_NEAR(2 * pi * modes[1].frequency(), w + std::abs(speed), 1e-7 * w);
  }
}

}  // namespace
}  // namespace ritz::test::complex_modes_test
