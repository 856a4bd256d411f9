// Ties without a solver: the equations hold for every field that is linear in space, and say which nodes they bind.
#include "fem/physics/tie.hpp"

#include "mesh/search/nearest_facet.hpp"
#include "mesh/point_algebra.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <gmock/gmock.h>

namespace ritz::test::tie_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

struct TieOfCells : CellTest {};
INSTANTIATE_TEST_SUITE_P(AllCells, TieOfCells, ::testing::ValuesIn(cell_kinds()), kind_name);

// Onto every kind of facet, with and without a gap, of every order of the field.
TEST_P(TieOfCells, HoldsForFieldsLinearInSpace) {
  const CellKind other = dimension() == 2 ? CellKind::tri6 : CellKind::tet10;
  for (const double gap : {0.0, 0.003})
    for (const int order : {0, 1, 3}) {
      const Mesh mesh = two_parts({.low = kind(), .up = other, .gap = gap});
      const FunctionSpace space(mesh, dimension(), cpu(), {.order = order});
      const Tie tied = tie(space, mesh.region("up_bottom"), mesh.region("low_top"));
      EXPECT_EQ(tied.tied, space.nodes_in(mesh.region("up_bottom")));
      EXPECT_EQ(tied.equations.size(), static_cast<Index>(tied.tied.size()) * dimension());
      EXPECT_LT(largest_defect(space, tied.equations, linear_field), 1e-12) << "order " << order << ", gap " << gap;
      EXPECT_NEAR(tied.largest_gap, gap, 1e-15);
    }
}

TEST_P(TieOfCells, HasWeightsThatSumToOne) {
  const Mesh mesh = two_parts({.low = kind(), .up = kind(), .low_count = 2, .up_count = 3});
  const FunctionSpace space(mesh, 1, cpu());
  const Tie tied = tie(space, mesh.region("up_bottom"), mesh.region("low_top"));
  for (Index i = 0; i < tied.equations.size(); ++i) {
    double sum = 0;
    for (const UnknownTerm& t : tied.equations.terms_of(i)) sum += t.factor;
    EXPECT_NEAR(sum, 0, 1e-13);  // of the dependent node 1, of the others -1 together
    EXPECT_EQ(tied.equations.terms_of(i).front().factor, 1);
  }
}

// Two rings of different division: their chords leave gaps, and linear fields are met even so.
TEST(Tie, BetweenArcsOfDifferentDivisionHoldsForLinearFields) {
  const Mesh mesh = two_rings(4, 7, CellKind::quad9);
  const FunctionSpace space(mesh, 2, cpu());
  const Tie tied = tie(space, mesh.region("out_y0"), mesh.region("in_y1"));
  EXPECT_GT(tied.largest_gap, 1e-6);  // of the parabolas that stand for arcs
  EXPECT_LT(tied.largest_gap, 1e-2);
  EXPECT_LT(largest_defect(space, tied.equations, linear_field), 1e-13);
}

TEST(Tie, KeepsNodesThatBothSidesHave) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const Tie tied = tie(space, mesh.region("x0"), mesh.region("z0"), {.tolerance = 2});
  EXPECT_EQ(tied.shared, 3);
  EXPECT_EQ(tied.tied.size(), 6U);
}

TEST(Tie, RefusesNodesThatLieTooFarOff) {
  const Mesh mesh = two_parts({.low = CellKind::hex8, .up = CellKind::hex8, .gap = 0.05});
  const FunctionSpace space(mesh, 3, cpu());
  try {
    tie(space, mesh.region("up_bottom"), mesh.region("low_top"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), ::testing::HasSubstr("9 of 9 nodes of 'up_bottom' lie outside of the tolerance"));
    EXPECT_THAT(error.why(), ::testing::HasSubstr("0.05 m from 'low_top'"));
  }
  EXPECT_EQ(tie(space, mesh.region("up_bottom"), mesh.region("low_top"), {.tolerance = 0.051}).tied.size(), 9U);
}

// The upper part overhangs: the nodes beyond the edge are left, and told.
TEST(Tie, MayLeaveNodesBesideTheOtherSide) {
  MeshData up = box_data(2, 2, 1, {2, 1, 1}, CellKind::hex8);
  transform_points(up, [](std::span<double, 3> x) { x[2] += 1; });
  const Mesh mesh(both(box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8), "low", up, "up"));
  const FunctionSpace space(mesh, 3, cpu());
  const Tie tied = tie(space, mesh.region("up_z0"), mesh.region("low_z1"), {.leave_far_nodes = true});
  EXPECT_EQ(tied.tied.size(), 6U);
  EXPECT_EQ(tied.left.size(), 3U);
  EXPECT_EQ(tied.distances.back(), 1);
  const std::vector<double> marks = tied_nodes(space, tied);
  EXPECT_EQ(std::ranges::count(marks, 1), 6);
  EXPECT_EQ(std::ranges::count(marks, -1), 3);
}

TEST(Tie, MayBindSomeComponentsOnly) {
  const Mesh mesh = two_parts({.low = CellKind::hex8, .up = CellKind::hex8});
  const FunctionSpace space(mesh, 3, cpu());
  const Tie tied = tie(space, mesh.region("up_bottom"), mesh.region("low_top"), {.components = {2}});
  EXPECT_EQ(tied.equations.size(), 9);
  for (const UnknownTerm& t : tied.equations.terms) EXPECT_EQ(t.component, 2);
}

// The distance from a box is that from the point clamped into it.
TEST_P(TieOfCells, FindsTheNearestPointOfABox) {
  const Mesh mesh = dimension() == 3 ? box(3, 2, 2, {1, 1, 1}, kind()) : rectangle(3, 2, {1, 1}, kind());
  const NearestFacet surface(mesh, boundary_facets(mesh));
  const std::vector<double> numbers = random_values(150);
  for (std::size_t i = 0; i + 3 <= numbers.size(); i += 3) {
    Point x{0.5 + 3 * numbers[i], 0.5 + 3 * numbers[i + 1], dimension() == 3 ? 0.5 + 3 * numbers[i + 2] : 0}, near = x;
    for (std::size_t d = 0; d < 3; ++d) near[d] = std::clamp(x[d], 0.0, 1.0);
    if (near == x) continue;  // inside
    const NearestFacet::Place place = surface.to(x);
    EXPECT_NEAR(place.distance, distance(x, near), 1e-12);
    EXPECT_LT(distance(place.at, near), 1e-7);
    EXPECT_LT(distance(CellMap(mesh, place.facet.cell).at(place.xi), place.at), 1e-14);
  }
}

}  // namespace
}  // namespace ritz::test::tie_test
