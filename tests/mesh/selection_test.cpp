#include "mesh/selection.hpp"

#include "mesh/generators.hpp"
#include "mesh/order.hpp"
#include "mesh/quality/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ritz {
namespace {

const PlaceTest everywhere = [](const Point&) { return true; };

TEST(Selection, SidesOfABoxHaveTheirAreasForEveryKindOfCell) {
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5}) {
    const Mesh mesh = box(2, 3, 4, {1, 2, 3}, kind);
    const Region skin = select(mesh, "skin", RegionKind::facets, everywhere);
    EXPECT_NEAR(area(mesh, skin), 22, 1e-12);
    for (int d = 0; d < 3; ++d)
      for (const double side : {-1.0, 1.0}) {
        Point direction{}, point{1, 2, 3};
        direction[static_cast<std::size_t>(d)] = 4 * side;
        if (side < 0) point = {};
        const double expected = 6.0 / (d + 1);
        const Region looks = select_by_normal(mesh, "looks", skin, direction, 0.01),
                     lies = select(mesh, "lies", RegionKind::facets, near_plane(point, direction, 1e-9));
        EXPECT_NEAR(area(mesh, looks), expected, 1e-12) << traits(kind).name << d << side;
        EXPECT_EQ(looks.facets, lies.facets);
      }
  }
}

TEST(Selection, SetsObeyTheirLaws) {
  const Mesh mesh = box(5, 4, 3, {1, 1, 1}, CellKind::hex8);
  const Region a = select(mesh, "a", RegionKind::cells, within({{0, 0, 0}, 0.8}, 0)),
               b = select(mesh, "b", RegionKind::cells, in_box({0.3, 0, 0}, {1, 1, 1}, 0));
  const auto size = [&](SetOperation operation, const Region& x, const Region& y) {
    return combine("c", operation, std::vector{&x, &y}).size();
  };
  EXPECT_GT(a.size(), 0);
  EXPECT_EQ(size(SetOperation::together, a, b), a.size() + b.size() - size(SetOperation::common, a, b));
  EXPECT_EQ(size(SetOperation::without, a, b), a.size() - size(SetOperation::common, a, b));
  EXPECT_EQ(size(SetOperation::common, a, b), size(SetOperation::common, b, a));
  EXPECT_EQ(size(SetOperation::without, a, a), 0);
}

TEST(Selection, CellsAreSharedOutByTheirCentres) {
  const Mesh mesh = box(7, 3, 3, {1, 1, 1}, CellKind::tet4);
  const Region left = select(mesh, "left", RegionKind::cells, [](const Point&x) { return x[0] < 0.4; }),
               right = select(mesh, "right", RegionKind::cells, [](const Point&x) { return !(x[0] < 0.4); });
  EXPECT_EQ(left.size() + right.size(), mesh.cell_count());
}

TEST(Selection, RoundPlaces) {
  const PlaceTest pipe = on({{1, 0, 0}, 2, {0, 0, 7}}, 1e-9), rod = within({{1, 0, 0}, 2, {0, 0, 7}}, 1e-9),
                  ball = on({{0, 0, 0}, 1}, 1e-9);
  EXPECT_TRUE(pipe({1 + 2 * std::cos(0.3), 2 * std::sin(0.3), -40}));
  EXPECT_FALSE(pipe({1, 0, 0}));
  EXPECT_TRUE(rod({1, 0, 5}));
  EXPECT_FALSE(rod({3.1, 0, 0}));
  EXPECT_TRUE(ball({std::sqrt(0.5), 0, std::sqrt(0.5)}));
  EXPECT_FALSE(ball({0.5, 0, 0}));
}

TEST(Selection, TheFlatEndOfARodIsNotItsSkinThoughItsCornersAreOnIt) {
  MeshData data{.dimension = 3, .points = {}, .blocks = {{CellKind::prism6, {0, 1, 2, 3, 4, 5}}}, .regions = {}};
  for (const double z : {0.0, 1.0})
    for (int i = 0; i < 3; ++i) {
      const double angle = 2 * std::numbers::pi * i / 3;
      data.points.insert(data.points.end(), {std::cos(angle), std::sin(angle), z});
    }
  const Mesh rod(data);
  const RoundSurface skin{{0, 0, 0}, 1, {0, 0, 1}};
  const Region found = select(rod, "skin", RegionKind::facets, on(skin, 1e-9));
  EXPECT_EQ(found.size(), 5);
  EXPECT_NEAR(area(rod, select_along(rod, "skin", found, skin)), 3 * std::sqrt(3.0), 1e-12);
}

// A quarter of a pipe of radii 1 and 2 with straight edges, of order 2: nodes between corners lie on chords.
Mesh pipe_of_chords(const Mesh& block, MidNodes mid_nodes) {
  MeshData data{.dimension = block.dimension(),
                .points = {block.points().begin(), block.points().end()},
                .blocks = {block.blocks().begin(), block.blocks().end()},
                .regions = {block.regions().begin(), block.regions().end()}};
  transform_points(data, [](std::span<double, 3> x) {
    const double radius = 1 + x[0], angle = std::numbers::pi / 2 * x[1];
    x[0] = radius * std::cos(angle), x[1] = radius * std::sin(angle);
  });
  return with_order(Mesh(data), 2, mid_nodes);
}

TEST(Selection, NodesOnARoundSurfaceAreThoseOfItsFacetsThoughEdgesAreStraight) {
  std::vector<Mesh> blocks;
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4}) blocks.push_back(rectangle(2, 4, {1, 1}, kind));
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5})
    blocks.push_back(box(2, 4, 2, {1, 1, 1}, kind));
  const PlaceTest lower = in_box({-9, -9, -9}, {9, 9, 0.6}, 0);
  for (const Mesh& block : blocks)
    for (const MidNodes mid_nodes : {MidNodes::serendipity, MidNodes::full}) {
      const Mesh mesh = pipe_of_chords(block, mid_nodes);
      SCOPED_TRACE(traits(mesh.kind_of(0)).name);
      for (const double radius : {1.0, 2.0}) {
        const RoundSurface skin{{0, 0, 0}, radius, {0, 0, 1}};
        const PlaceTest both = [&](const Point& x) { return on(skin, 1e-9)(x) && lower(x); };
        const Region facets = select_along(mesh, "skin", select(mesh, "skin", RegionKind::facets, both), skin);
        Region nodes = select(mesh, "skin", RegionKind::nodes, both);
        const std::size_t corners = nodes.nodes.size();
        const std::vector<Node> more = nodes_on_chords(mesh, nodes, boundary_facets(mesh), skin, 1e-9, lower);
        nodes.nodes.insert(nodes.nodes.end(), more.begin(), more.end());
        std::ranges::sort(nodes.nodes);
        EXPECT_GT(nodes.nodes.size(), corners);
        EXPECT_EQ(nodes.nodes, nodes_in(mesh, facets));
      }
    }
}

TEST(Selection, AnEdgeThatCrossesTheBodyHasNoNodeOnItsSurface) {
  MeshData data{.dimension = 2,
                .points = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0},
                .blocks = {{CellKind::tri3, {0, 1, 2, 0, 2, 3}}},
                .regions = {}};
  const Mesh mesh = with_order(Mesh(data), 2);
  const RoundSurface circle{{0, 0, 0}, 1};
  const Region rim = select(mesh, "rim", RegionKind::nodes, on(circle, 1e-9));
  const std::vector<Node> more = nodes_on_chords(mesh, rim, boundary_facets(mesh), circle, 1e-9, everywhere);
  ASSERT_EQ(more.size(), 4U);
  for (const Node node : more)
    EXPECT_NEAR(circle.signed_distance({mesh.point(node)[0], mesh.point(node)[1], 0}), std::sqrt(0.5) - 1, 1e-12);
  EXPECT_EQ(nodes_between(mesh, rim).size(), 5U) << "with that of the diameter";
}

TEST(Selection, RegionsOfOneNameReplaceEachOther) {
  const Mesh mesh = box(2, 1, 1, {1, 1, 1}, CellKind::hex8);
  const auto count = mesh.regions().size();
  const Mesh other = with_regions(mesh, {{"all", RegionKind::cells, {1}, {}, {}}});
  EXPECT_EQ(other.regions().size(), count);
  EXPECT_EQ(other.region("all").size(), 1);
}

TEST(Selection, NewRegionsStandBesideTheOldOnes) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  const auto count = mesh.regions().size();
  const Mesh more = with_regions(mesh, {select(mesh, "corner", RegionKind::nodes, in_box({0, 0, 0}, {0, 0, 0}, 1e-9))});
  EXPECT_EQ(more.regions().size(), count + 1);
  EXPECT_EQ(more.region("corner").size(), 1);
  EXPECT_THROW(with_regions(mesh, {Region{"bad", RegionKind::cells, {99}, {}, {}}}), Error);
}

}  // namespace
}  // namespace ritz
