// Periodic regions without a solver: the equations hold for periodic fields with a linear part, and for fields that
// turn with their place.
#include "fem/physics/periodic_region.hpp"

#include "mesh/point_algebra.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::periodic_region_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

struct PeriodicRegions : CellTest {};
INSTANTIATE_TEST_SUITE_P(AllCells, PeriodicRegions, ::testing::ValuesIn(cell_kinds()), kind_name);

// u = E x: the jump of opposite sides is E times their distance.
TEST_P(PeriodicRegions, HoldForAMeanStrain) {
  const Mesh mesh = dimension() == 3 ? box(2, 2, 3, {1, 2, 1}, kind()) : rectangle(2, 3, {1, 2}, kind());
  const std::array<std::array<double, 3>, 3> strain{{{1.1, -0.3, 0.2}, {0.5, 0.7, -0.1}, {0.3, 0.8, -0.4}}};
  const VectorField u = [&](const Point& x, int c) { return dot(strain[static_cast<std::size_t>(c)], x); };
  for (const int order : {0, 3}) {
    const FunctionSpace space(mesh, dimension(), cpu(), {.order = order});
    const Periodic pair = periodic(space, mesh.region("x1"), mesh.region("x0"), {.strain = strain});
    EXPECT_LT(distance(pair.translation, {1, 0, 0}), 1e-15);
    EXPECT_EQ(pair.equations.size(), pair.bound * dimension());
    EXPECT_LT(largest_defect(space, pair.equations, u), 1e-12);
    for (Index i = 0; i < pair.equations.size(); ++i)  // the meshes match: node on node
      EXPECT_EQ(pair.equations.terms_of(i).size(), 2U);
  }
}

// The sides of a sector that is divided in different ways on both.
TEST(PeriodicRegion, TurnsVectorsAlongWithTheSector) {
  const double angle = std::numbers::pi / 5;
  const auto part = [&](Index count, Index across, double from, double to) {
    MeshData data = box_data(across, count, 2, {2, to - from, 1}, CellKind::hex8);
    transform_points(data, [&](std::span<double, 3> x) {
      const double phi = from + x[1], r = 1 + x[0];
      x[0] = r * std::cos(phi) + 0.5, x[1] = r * std::sin(phi) - 0.25;
    });
    return data;
  };
  const Mesh mesh(both(part(3, 2, 0, angle / 2), "a", part(4, 3, angle / 2, angle), "b"));
  const FunctionSpace space(mesh, 3, cpu());
  const RotationAbout turn{{0.5, -0.25, 0}, {0, 0, 3}, angle};
  const Periodic pair = periodic(space, mesh.region("b_y1"), mesh.region("a_y0"), {.rotation = turn});
  EXPECT_EQ(pair.bound, 4 * 3);
  // radial, tangential and axial parts that are linear in space
  const VectorField u = [&](const Point& x, int c) {
    const double a = x[0] - 0.5, b = x[1] + 0.25;
    return c == 0 ? 0.3 * a - 0.7 * b : c == 1 ? 0.3 * b + 0.7 * a : 0.4 * x[2] - 1;
  };
  EXPECT_LT(largest_defect(space, pair.equations, u), 1e-12);
  EXPECT_GT(largest_defect(space, pair.equations, linear_field), 1e-2);
  const RotationAbout wrong{{0.5, -0.25, 0}, {0, 0, 3}, -angle};
  EXPECT_THROW(periodic(space, mesh.region("b_y1"), mesh.region("a_y0"), {.rotation = wrong}), Error);
}

// A quarter of a block: on the axis only what points along it is left.
TEST(PeriodicRegion, HoldsTheAxisOfASector) {
  const Mesh mesh = box(2, 2, 1, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const RotationAbout quarter{{0, 0, 0}, {0, 0, 1}, std::numbers::pi / 2};
  const Periodic pair = periodic(space, mesh.region("x0"), mesh.region("y0"), {.rotation = quarter});
  EXPECT_EQ(pair.on_axis.size(), 2U);
  EXPECT_EQ(pair.equations.size(), 4 * 3 + 2 * 2);
  const VectorField u = [](const Point& x, int c) { return c == 0 ? x[0] - x[1] : c == 1 ? x[0] + x[1] : 2 + x[2]; };
  EXPECT_LT(largest_defect(space, pair.equations, u), 1e-14);
}

TEST(PeriodicRegion, MayHaveAJumpOfAnyField) {
  const Mesh mesh = rectangle(3, 3, {2, 1}, CellKind::quad4);
  const FunctionSpace space(mesh, 1, cpu());
  const Periodic pair = periodic(space, mesh.region("x1"), mesh.region("x0"), {.jump = {6}});
  EXPECT_LT(largest_defect(space, pair.equations, [](const Point& x, int) { return 5 + 3 * x[0]; }), 1e-15);
  EXPECT_THROW(periodic(space, mesh.region("x1"), mesh.region("x0"), {.jump = {6, 1}}), Error);
}

TEST(PeriodicRegion, RefusesSidesOfDifferentShape) {
  const Mesh mesh = rectangle(3, 3, {2, 1}, CellKind::quad4);
  const FunctionSpace space(mesh, 2, cpu());
  EXPECT_THROW(periodic(space, mesh.region("x1"), mesh.region("y0")), Error);
}

}  // namespace
}  // namespace ritz::test::periodic_region_test
