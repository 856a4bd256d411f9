// M4 and M6: cracks by accident and hanging nodes.
#include "mesh/quality/conformity.hpp"
#include "mesh/quality/opposed_cells.hpp"

#include "tests/mesh/meshes.hpp"

#include <algorithm>
#include <random>

using namespace ritz;
using ::testing::ElementsAre;

namespace {

// A box whose cells right of the middle have nodes of their own there, moved by `gap`.
MeshData torn_box(CellKind kind, Index n, double gap) {
  MeshData data = box_data(2 * n, n, n, {2, 1, 1}, kind);
  std::vector<Node> twin(data.points.size() / 3, -1);
  for (std::size_t i = 0; i < twin.size(); ++i)
    if (data.points[3 * i] == 1) {
      twin[i] = static_cast<Node>(data.points.size() / 3);
      for (std::size_t k = 0; k < 3; ++k) data.points.push_back(data.points[3 * i + k] + (k == 0 ? gap : 0));
    }
  const auto count = static_cast<std::size_t>(traits(kind).node_count);
  auto& nodes = data.blocks[0].nodes;
  for (std::size_t c = 0; c < nodes.size(); c += count) {
    double centre = 0;
    for (std::size_t i = 0; i < count; ++i) centre += data.points[3 * static_cast<std::size_t>(nodes[c + i])];
    for (std::size_t i = 0; i < count && centre > static_cast<double>(count); ++i)
      if (static_cast<std::size_t>(nodes[c + i]) < twin.size() && twin[static_cast<std::size_t>(nodes[c + i])] >= 0)
        nodes[c + i] = twin[static_cast<std::size_t>(nodes[c + i])];
  }
  return data;
}

}  // namespace

class Cracks3d : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, Cracks3d, ::testing::ValuesIn(ritz::testing::kinds_of_dimension(3)),
                         ritz::testing::name_of);

TEST_P(Cracks3d, ATornFaceIsFoundWithAllItsFacetsAndNodes) {
  const Mesh mesh(torn_box(GetParam(), 3, 1e-9));
  const Cracks cracks = find_cracks(mesh);
  const std::size_t per_square = traits(GetParam()).linear == CellKind::tet4 ? 2 : 1;
  EXPECT_EQ(cracks.facets.size(), 9 * per_square);
  const Index twins = mesh.node_count() - Mesh(box_data(6, 3, 3, {2, 1, 1}, GetParam())).node_count();
  EXPECT_EQ(std::ssize(cracks.nodes), twins);
  EXPECT_TRUE(find_hanging_nodes(mesh).empty());  // coincident nodes do not hang
}

TEST_P(Cracks3d, AVisibleGapIsNoCrack) {
  EXPECT_TRUE(find_cracks(Mesh(torn_box(GetParam(), 2, 0.01))).facets.empty());
  EXPECT_FALSE(find_cracks(Mesh(torn_box(GetParam(), 2, 0.01)), 0.02).facets.empty());
}

// The header's promise: a crack is narrower than a millionth of the shortest edge, in any unit.
TEST_P(Cracks3d, AreNarrowerThanAMillionthOfTheShortestEdge) {
  for (const double size : {1e-3, 1.0, 1e3})
    for (const auto& [gap, is_crack] : {std::pair{0.4e-6, true}, {4e-6, false}, {1e-4, false}}) {
      MeshData data = torn_box(GetParam(), 1, gap);  // edges of length 1
      for (double& x : data.points) x *= size;
      EXPECT_EQ(!find_cracks(Mesh(std::move(data))).facets.empty(), is_crack) << gap << " " << size;
    }
}

// One edge of a thousandth, between two facets of the boundary. Cells may begin at any corner: each names its nodes in
// one of the twelve orders that keep it from being inside out.
TEST(Cracks, AreTheSameWhereverTheNumberingOfACellBegins) {
  std::vector<std::array<std::size_t, 4>> even;
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  do {
    int inversions = 0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) inversions += order[i] > order[j];
    if (inversions % 2 == 0) even.push_back(order);
  } while (std::ranges::next_permutation(order).found);
  ASSERT_EQ(even.size(), 12u);

  std::mt19937 random(1);
  for (int numbering = 0; numbering < 60; ++numbering)
    for (const auto& [gap, is_crack] : {std::pair{1e-10, true}, {1e-7, false}}) {
      MeshData data = torn_box(CellKind::tet4, 2, gap);
      for (std::size_t i = 0; i < data.points.size(); i += 3)
        if (data.points[i] == 0 && data.points[i + 1] == 0 && data.points[i + 2] == 0.5) data.points[i + 2] = 1e-3;
      data.regions.clear();
      auto& nodes = data.blocks[0].nodes;
      for (std::size_t c = 0; c < nodes.size(); c += 4) {
        const auto& chosen = even[random() % 12];
        const std::array<Node, 4> before{nodes[c], nodes[c + 1], nodes[c + 2], nodes[c + 3]};
        for (std::size_t i = 0; i < 4; ++i) nodes[c + i] = before[chosen[i]];
      }
      EXPECT_EQ(!find_cracks(Mesh(std::move(data))).facets.empty(), is_crack) << gap;
    }
}

// [0, 1]^3 in one hexahedron, and 2 x 2 x 2 small ones on [1 + gap, 2 + gap] x ...; without a gap they share the
// corners between them.
Mesh coarse_beside_fine(double gap) {
  MeshData data = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  MeshData fine = box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  std::vector<Node> number;
  for (std::size_t i = 0; i < fine.points.size(); i += 3) {
    const Point x = {fine.points[i] + 1 + gap, fine.points[i + 1], fine.points[i + 2]};
    Node node = -1;
    for (std::size_t j = 0; j < 24; j += 3)
      if (data.points[j] == x[0] && data.points[j + 1] == x[1] && data.points[j + 2] == x[2])
        node = static_cast<Node>(j / 3);
    if (node < 0) {
      node = static_cast<Node>(data.points.size() / 3);
      data.points.insert(data.points.end(), x.begin(), x.end());
    }
    number.push_back(node);
  }
  for (const Node node : fine.blocks[0].nodes) data.blocks[0].nodes.push_back(number[static_cast<std::size_t>(node)]);
  data.regions.clear();
  return Mesh(std::move(data));
}

TEST(HangingNodes, OfOneRefinedHexahedronAreFound) {
  const Mesh mesh = coarse_beside_fine(0);
  const auto hanging = find_hanging_nodes(mesh);
  EXPECT_EQ(hanging.size(), 5u);  // four on edges, one on the face
  for (const auto& [node, facet] : hanging) {
    EXPECT_EQ(mesh.point(node)[0], 1);
    EXPECT_EQ(facet, (FacetOfCell{0, 1}));
  }
}

// Bodies that are ten tolerances apart do not touch, and those within one do, in any direction.
TEST(HangingNodes, AreTheSameInAnyDirection) {
  for (const auto& [gap, count] : {std::pair{1e-5, 0u}, {1e-9, 5u}})
    for (const double angle : {0.0, 0.01, 0.7, 1.56}) {
      const Mesh along_x = coarse_beside_fine(gap);
      MeshData data{.dimension = 3, .points = {}, .blocks = {}, .regions = {}};
      data.blocks.assign(along_x.blocks().begin(), along_x.blocks().end());
      const double c = std::cos(angle), s = std::sin(angle);
      for (Node node = 0; node < along_x.node_count(); ++node) {
        const auto x = along_x.point(node);
        data.points.insert(data.points.end(), {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]});
      }
      EXPECT_EQ(find_hanging_nodes(Mesh(std::move(data))).size(), count) << gap << " " << angle;
    }
}

// One small square beside a large one: they share a corner, and another corner of the small one hangs.
TEST(Conformity, ATearIsOneWhicheverCellIsTheFirst) {
  const std::vector<Node> large = {0, 1, 2, 3}, little = {1, 5, 6, 4};
  for (const auto& [first, second] : {std::pair{large, little}, {little, large}}) {
    MeshData data{.dimension = 2, .points = {}, .blocks = {{CellKind::quad4, first}}, .regions = {}};
    data.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0.5, 0, 2, 0, 0, 2, 0.5, 0};
    data.blocks[0].nodes.insert(data.blocks[0].nodes.end(), second.begin(), second.end());
    const Conformity torn = check_conformity(Mesh(std::move(data)));
    ASSERT_EQ(torn.errors.size(), 1u);
    EXPECT_THAT(torn.errors[0].message(), ::testing::HasSubstr("1 hanging node"));
  }
}

TEST(Conformity, ATornBodyIsAnErrorAndBodiesInTouchAreANotice) {
  const Conformity torn = check_conformity(coarse_beside_fine(0));
  ASSERT_EQ(torn.errors.size(), 1u);
  EXPECT_THAT(torn.errors[0].message(), ::testing::HasSubstr("5 hanging nodes"));
  EXPECT_TRUE(torn.notices.empty());

  const Conformity touching = check_conformity(coarse_beside_fine(1e-9));
  EXPECT_TRUE(touching.errors.empty());
  ASSERT_EQ(touching.notices.size(), 1u);
  EXPECT_THAT(touching.notices[0], ::testing::HasSubstr("5 nodes lie on facets of another body"));

  const Conformity joined = check_conformity(Mesh(box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8)));
  EXPECT_TRUE(joined.errors.empty() && joined.notices.empty());
  EXPECT_THAT(check_conformity(Mesh(torn_box(CellKind::tet4, 2, 1e-9))).notices,
              ElementsAre(::testing::HasSubstr("8 pairs of facets")));
}

TEST(HangingNodes, InTwoDimensionsLieOnEdges) {
  MeshData data{.dimension = 2, .points = {}, .blocks = {}, .regions = {}};
  data.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0.5, 0, 2, 0, 0, 2, 0.5, 0, 2, 1, 0};
  data.blocks.push_back({CellKind::quad4, {0, 1, 2, 3, 1, 5, 6, 4, 4, 6, 7, 2}});
  const Mesh mesh(std::move(data));
  EXPECT_THAT(find_hanging_nodes(mesh), ElementsAre(HangingNode{4, {0, 1}}));
}

TEST(SplitFaces, AHexahedronOnTwoTetrahedraIsFound) {
  MeshData data = ritz::testing::single_cell(CellKind::hex8);
  data.points.insert(data.points.end(), {3, 0, 0});
  data.blocks.push_back({CellKind::tet4, {1, 2, 6, 8, 1, 6, 5, 8}});
  const Mesh mesh(std::move(data));
  const auto split = find_split_faces(mesh);
  ASSERT_EQ(split.size(), 2u);
  EXPECT_EQ(split[0].first, (FacetOfCell{0, 1}));
  EXPECT_EQ(split[0].second.cell, 1);
  EXPECT_EQ(split[1].second.cell, 2);
}

// A column and a girder that end in the same place, each in a node of its own.
TEST(Conformity, PartsOfAFrameThatOnlyLookJoinedAreANotice) {
  MeshData data{
      .dimension = 3, .structural = true, .points = {0, 0, 0, 0, 0, 3, 0, 0, 3, 4, 0, 3}, .blocks = {}, .regions = {}};
  data.blocks.push_back({CellKind::line2, {0, 1, 2, 3}});
  MeshData joined = data;
  joined.blocks[0].nodes[2] = 1;
  EXPECT_THAT(check_conformity(Mesh(std::move(data))).notices,
              ElementsAre(::testing::HasSubstr("1 pairs of nodes lie on each other, first node 1 at (0, 0, 3) and 2")));
  EXPECT_TRUE(check_conformity(Mesh(std::move(joined))).notices.empty());
}

// Bars alone, as ritz mesh info reads a frame: their ends are the boundary.
TEST(Conformity, EndsOfBarsFarFromEachOtherAreNoCrack) {
  MeshData data{.dimension = 1, .points = {0, 0, 0, 1, 0, 0, 2, 0, 0}, .blocks = {}, .regions = {}};
  data.blocks.push_back({CellKind::line2, {0, 1, 1, 2}});
  EXPECT_TRUE(check_conformity(Mesh(std::move(data))).notices.empty());
}

// Two squares side by side, the second one turned over; and a third one upright on the edge between them.
TEST(OpposedCells, AreNeighboursAcrossAnEdgeOfTwo) {
  MeshData data{.dimension = 3,
                .structural = true,
                .points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0, 2, 1, 0, 1, 0, 1, 1, 1, 1},
                .blocks = {},
                .regions = {}};
  data.blocks.push_back({CellKind::quad4, {0, 1, 2, 3, 1, 2, 5, 4, 1, 4, 5, 2}});
  data.blocks.push_back({CellKind::quad4, {1, 2, 7, 6}});
  const Mesh mesh(std::move(data));
  const std::array<Index, 2> opposed{0, 1}, agreed{0, 2};
  const std::array<Index, 3> junction{0, 1, 3};
  EXPECT_EQ(opposed_cells(mesh, opposed).pairs, 1);
  EXPECT_EQ(opposed_cells(mesh, opposed).second, 1);
  EXPECT_EQ(opposed_cells(mesh, agreed).pairs, 0);
  EXPECT_EQ(opposed_cells(mesh, junction).pairs, 0) << "where three meet there is no common side";
}
