// Oblique supports without a solver: which motions they leave, and how many directions a node has.
#include "fem/physics/oblique_support.hpp"

#include "fem/physics/place.hpp"
#include "mesh/point_algebra.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <random>

namespace ritz::test::oblique_support_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

// The box turned about z by 30 degrees.
Mesh turned_box(CellKind kind) {
  MeshData data = box_data(2, 2, 2, {1, 1, 1}, kind);
  transform_points(data, [](std::span<double, 3> x) {
    const double c = std::cos(0.5), s = std::sin(0.5), x0 = x[0];
    x[0] = c * x0 - s * x[1], x[1] = s * x0 + c * x[1];
  });
  return Mesh(std::move(data));
}

struct ObliqueSupport : CellTest {};
INSTANTIATE_TEST_SUITE_P(AllCells, ObliqueSupport, ::testing::ValuesIn(cell_kinds(0, 3)), kind_name);

TEST_P(ObliqueSupport, OfAFlatSideHasItsNormal) {
  const Mesh mesh = turned_box(kind());
  for (const int order : {0, 1, 2}) {
    const FunctionSpace space(mesh, 3, cpu(), {.order = order});
    const std::vector<NodeNormal> normals = node_normals(space, mesh.region("x1"));
    EXPECT_EQ(normals.size(), space.nodes_in(mesh.region("x1")).size());
    for (const NodeNormal& each : normals) EXPECT_LT(distance(each.normal, {std::cos(0.5), std::sin(0.5), 0}), 1e-14);
    const LinearEquations held = normal_support(space, mesh.region("x1"), 0.25);
    const VectorField along = [](const Point&, int c) {  // 0.25 along the normal, and anything across it
      return c == 2   ? 7.0
             : c == 0 ? 0.25 * std::cos(0.5) - 3 * std::sin(0.5)
                      : 0.25 * std::sin(0.5) + 3 * std::cos(0.5);
    };
    EXPECT_LT(largest_defect(space, held, along), 1e-14);
  }
}

TEST(ObliqueSupports, HaveADirectionForEachSideOfAnEdge) {
  MeshData data = box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  Region sides{"sides", RegionKind::facets, {}, {}, {}};
  for (const Region& region : data.regions)
    if (region.name == "x0" || region.name == "y0" || region.name == "z0")
      sides.facets.insert(sides.facets.end(), region.facets.begin(), region.facets.end());
  std::ranges::sort(sides.facets, {}, [](const FacetOfCell& f) { return std::pair(f.cell, f.facet); });
  data.regions.push_back(sides);
  const Mesh mesh(std::move(data));
  const FunctionSpace space(mesh, 3, cpu());
  // 12 nodes inside of the sides, 6 on three edges with two directions, one corner with three
  EXPECT_EQ(node_normals(space, mesh.region("sides")).size(), 12U + 2 * 6 + 3);
}

// A pyramid of six facets: neighbours meet at 33 degrees, others beyond the angle of an edge.
TEST(ObliqueSupports, HaveOneDirectionWhereEachFacetContinuesTheNextInAnyOrder) {
  MeshData data = box_data(2, 2, 1, {2, 2, 1}, CellKind::prism6);
  transform_points(data, [](std::span<double, 3> x) {
    x[2] += x[0] == 1 && x[1] == 1 && x[2] == 1 ? 0.7 * std::sqrt(0.75) : 0;
    x[0] -= 0.5 * x[1], x[1] *= std::sqrt(0.75);  // equilateral triangles
  });
  const Mesh mesh(std::move(data));
  const FunctionSpace space(mesh, 3, cpu());
  Region top = mesh.region("z1");
  std::minstd_rand random(1);
  for (int order = 0; order < 1000; ++order) {
    std::ranges::shuffle(top.facets, random);
    ASSERT_EQ(node_normals(space, top).size(), 9U) << order;
  }
}

TEST(ObliqueSupports, OfFacetsBetweenTwoCellsStandStillOrAreRefused) {
  MeshData data = box_data(2, 1, 1, {1, 1, 1}, CellKind::hex8);
  Region middle{"middle", RegionKind::facets, {}, {}, {}};
  for (const Region& region : data.regions)
    if (region.name == "x1") middle.facets = {{0, region.facets.front().facet}};  // that of the first cell
  data.regions.push_back(middle);
  const Mesh mesh(std::move(data));
  const FunctionSpace space(mesh, 3, cpu());
  EXPECT_EQ(inner_facets(mesh, mesh.region("middle")), 1);
  EXPECT_NO_THROW(normal_support(space, mesh.region("middle"), 0));
  EXPECT_THROW(normal_support(space, mesh.region("middle"), 0.25), Error);
  EXPECT_NO_THROW(normal_support(space, mesh.region("x1"), 0.25));
}

// Nodes of a cylinder of chords: the mean normal at a corner is radial, by symmetry.
TEST(ObliqueSupports, OfACoarseCylinderAreRadial) {
  MeshData data = box_data(12, 1, 2, {2 * std::numbers::pi, 1, 1}, CellKind::hex8);
  transform_points(data, [](std::span<double, 3> x) {
    const double angle = x[0], r = 1 + x[1];
    x[0] = r * std::sin(angle), x[1] = r * std::cos(angle);
  });
  const Mesh mesh(std::move(data));
  const FunctionSpace space(mesh, 3, cpu());
  Index inner = 0;
  for (const auto& [node, normal] : node_normals(space, mesh.region("y1"))) {
    const Point x = space.point(node);
    if (std::abs(x[0]) < 1e-9 && x[1] > 0) continue;  // the seam, where one side is missing
    EXPECT_LT(distance(normal, {x[0] / 2, x[1] / 2, 0}), 1e-12);
    ++inner;
  }
  EXPECT_EQ(inner, 11 * 3);
}

TEST(ObliqueSupports, AboutAnAxisLeaveRotationAndHoldWhatIsRadial) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const CylindricalAxes axes{{-1, 0.3, 0}, {0, 0, 2}};
  const VectorField spin = [&](const Point& x, int c) { return c == 0 ? -(x[1] - 0.3) : c == 1 ? x[0] + 1 : 0; };
  const VectorField swell = [&](const Point& x, int c) { return c == 0 ? x[0] + 1 : c == 1 ? x[1] - 0.3 : 0; };
  const Region& all = mesh.region("all");
  using enum CylindricalComponent;
  EXPECT_LT(largest_defect(space, cylindrical_support(space, all, axes, radial, 0), spin), 1e-14);
  EXPECT_LT(largest_defect(space, cylindrical_support(space, all, axes, axial, 0), spin), 1e-14);
  EXPECT_GT(largest_defect(space, cylindrical_support(space, all, axes, tangential, 0), spin), 0.1);
  EXPECT_LT(largest_defect(space, cylindrical_support(space, all, axes, tangential, 0), swell), 1e-14);
  const Coefficient radius = PointFunction([](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::hypot(x[3 * i] + 1, x[3 * i + 1] - 0.3);
  });
  EXPECT_LT(largest_defect(space, cylindrical_support(space, all, axes, radial, radius), swell), 1e-14);
}

TEST(ObliqueSupports, HoldTheAxisItself) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const CylindricalAxes axes{{0, 0, 0}, {0, 0, 1}};
  // 6 nodes with one direction, 2 on the axis with two
  EXPECT_EQ(cylindrical_support(space, mesh.region("all"), axes, CylindricalComponent::radial, 0).size(), 10);
  EXPECT_THROW(cylindrical_support(space, mesh.region("all"), axes, CylindricalComponent::radial, 1), Error);
}

TEST(ObliqueSupports, AlongADirectionHoldNothingAcross) {
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::tri6);
  const FunctionSpace space(mesh, 2, cpu());
  const LinearEquations held = support_along(space, mesh.region("x0"), {3, 4, 0}, 0.5);
  EXPECT_EQ(held.size(), 5);
  EXPECT_LT(largest_defect(space, held, [](const Point&, int c) { return c == 0 ? 0.3 - 4 : 0.4 + 3.0; }), 1e-14);
  EXPECT_EQ(held.terms_of(0).front().component, 1);  // the larger factor comes first
  EXPECT_THROW(support_along(space, mesh.region("x0"), {0, 0, 0}, 0), Error);
}

}  // namespace
}  // namespace ritz::test::oblique_support_test
