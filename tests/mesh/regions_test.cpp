#include "tests/mesh/meshes.hpp"

using namespace ritz;
using ritz::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

MeshData two_hexes(std::vector<Region> regions) {
  MeshData data = box_data(2, 1, 1, {2, 1, 1}, CellKind::hex8);
  data.source = "part.msh";
  data.regions = std::move(regions);
  return data;
}

}  // namespace

TEST(Regions, AreSortedAndEachMemberCountsOnce) {
  const Mesh mesh(two_hexes({{"a", RegionKind::cells, {1, 0, 1}, {}, {}},
                             {"b", RegionKind::facets, {}, {{1, 3}, {0, 2}, {1, 3}}, {}},
                             {"c", RegionKind::nodes, {}, {}, {5, 2, 5}}}));
  EXPECT_THAT(mesh.region("a").cells, ElementsAre(0, 1));
  EXPECT_THAT(mesh.region("b").facets, ElementsAre(FacetOfCell{0, 2}, FacetOfCell{1, 3}));
  EXPECT_THAT(mesh.region("c").nodes, ElementsAre(2, 5));
  EXPECT_EQ(mesh.region("b").size(), 2);
}

TEST(Regions, AMeshWithoutCellRegionsGetsOneOfAllCells) {
  const Mesh mesh(two_hexes({}));
  EXPECT_EQ(mesh.region("all").size(), 2);
  EXPECT_THAT(mesh.notices(), ElementsAre(HasSubstr("names no region of cells")));
}

TEST(Regions, AnUnknownNameListsWhatExists) {
  const Mesh mesh(
      two_hexes({{"steel", RegionKind::cells, {0, 1}, {}, {}}, {"clamp", RegionKind::facets, {}, {{0, 0}}, {}}}));
  const Error error = error_of([&] { mesh.region("clmap"); });
  EXPECT_EQ(error.exit(), Exit::input);
  EXPECT_THAT(error.message(), HasSubstr("part.msh has no region named 'clmap'"));
  EXPECT_THAT(error.why(), HasSubstr("'clamp'"));
  EXPECT_THAT(error.fix(), HasSubstr("'steel' (2 cells), 'clamp' (1 facets)"));
  EXPECT_FALSE(mesh.has_region("clmap"));
  EXPECT_TRUE(mesh.has_region("clamp"));
}

TEST(Regions, OfOneNameTheHighestDimensionIsFound) {
  const Mesh mesh(two_hexes({{"fix", RegionKind::nodes, {}, {}, {1}}, {"fix", RegionKind::facets, {}, {{0, 0}}, {}}}));
  EXPECT_EQ(mesh.region("fix").kind, RegionKind::facets);
  EXPECT_THAT(mesh.region_names(), ElementsAre("fix", "all"));
}

TEST(Regions, OverlapIsAllowed) {
  EXPECT_NO_THROW(Mesh(two_hexes({{"a", RegionKind::cells, {0, 1}, {}, {}}, {"b", RegionKind::cells, {1}, {}, {}}})));
}

TEST(Regions, AnEmptyOneIsANotice) {
  const Mesh mesh(two_hexes({{"a", RegionKind::cells, {0, 1}, {}, {}}, {"b", RegionKind::facets, {}, {}, {}}}));
  EXPECT_THAT(mesh.notices(), ElementsAre("region 'b' of part.msh is empty"));
}

TEST(Regions, BadContentsAreErrorsThatNameTheRegion) {
  const auto message = [](Region region) {
    const Error error = error_of([&] { Mesh(two_hexes({region})); });
    EXPECT_EQ(error.exit(), Exit::mesh);
    return error.message();
  };
  EXPECT_EQ(message({"a", RegionKind::cells, {2}, {}, {}}), "region 'a' of part.msh names cell 2, outside 0..1");
  EXPECT_EQ(message({"a", RegionKind::cells, {-1}, {}, {}}), "region 'a' of part.msh names cell -1, outside 0..1");
  EXPECT_EQ(message({"a", RegionKind::nodes, {}, {}, {12}}), "region 'a' of part.msh names node 12, outside 0..11");
  EXPECT_EQ(message({"a", RegionKind::facets, {}, {{2, 0}}, {}}), "region 'a' of part.msh names cell 2, outside 0..1");
  EXPECT_EQ(message({"a", RegionKind::facets, {}, {{1, 6}}, {}}),
            "region 'a' of part.msh names facet 6 of cell 1, but a hex8 has facets 0..5");
  EXPECT_EQ(message({"", RegionKind::cells, {0}, {}, {}}), "a region of cells in part.msh has no name");
}

TEST(Regions, TwoOfOneKindAndNameAreRefused) {
  const Region region{"a", RegionKind::cells, {0}, {}, {}};
  EXPECT_THAT(error_of([&] {
                Mesh(two_hexes({region, region}));
              }).message(),
              HasSubstr("two regions of cells in part.msh are named 'a'"));
}

TEST(NodesIn, GivesTheNodesOfCellsFacetsAndNodes) {
  const Mesh mesh(two_hexes({{"left", RegionKind::cells, {0}, {}, {}},
                             {"side", RegionKind::facets, {}, {{0, 0}}, {}},
                             {"one", RegionKind::nodes, {}, {}, {7}}}));
  EXPECT_THAT(nodes_in(mesh, mesh.region("left")), ElementsAre(0, 1, 3, 4, 6, 7, 9, 10));
  EXPECT_THAT(nodes_in(mesh, mesh.region("side")), ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(nodes_in(mesh, mesh.region("one")), ElementsAre(7));
}

TEST(NodesIn, LargeAndSmallRegionsAgree) {
  const Mesh mesh = box(6, 6, 6, {1, 1, 1}, CellKind::hex27);
  std::vector<Node> all;
  for (Node node = 0; node < mesh.node_count(); ++node) all.push_back(node);
  EXPECT_EQ(nodes_in(mesh, mesh.region("all")), all);
}
