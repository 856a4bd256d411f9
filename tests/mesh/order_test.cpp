#include "mesh/order.hpp"

#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

#include <set>

using namespace ritz;
using ritz::testing::error_of;
using ::testing::ElementsAre;

namespace {

std::vector<CellKind> linear_cells() {
  std::vector<CellKind> kinds;
  for (const CellKind kind : all_cell_kinds())
    if (traits(kind).order == 1 && traits(kind).dimension >= 2) kinds.push_back(kind);
  return kinds;
}

std::vector<double> all_points(const Mesh& mesh) { return {mesh.points().begin(), mesh.points().end()}; }

}  // namespace

class Order : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, Order, ::testing::ValuesIn(linear_cells()), ritz::testing::name_of);

TEST_P(Order, RaisingKeepsTheVolumeOfEveryCellAndAllRegions) {
  const Mesh coarse(ritz::testing::block_of(GetParam(), 3, {.smooth = 0.1, .random = 0.05}));
  const std::vector<double> before = cell_volumes(coarse);
  for (const MidNodes mid_nodes : {MidNodes::serendipity, MidNodes::full}) {
    const Mesh fine = with_order(coarse, 2, mid_nodes);
    EXPECT_EQ(fine.kind_of(0), kind_with_order(GetParam(), 2, mid_nodes));
    const std::vector<double> after = cell_volumes(fine);
    for (std::size_t c = 0; c < before.size(); ++c) EXPECT_NEAR(after[c], before[c], 1e-14);
    for (const Region& region : coarse.regions()) {
      EXPECT_EQ(fine.region(region.name).facets, region.facets);
      EXPECT_EQ(fine.region(region.name).cells, region.cells);
    }
  }
}

TEST_P(Order, RaisingAndLoweringGivesTheSameMesh) {
  const Mesh coarse(ritz::testing::block_of(GetParam(), 2, {.random = 0.05}));
  for (const MidNodes mid_nodes : {MidNodes::serendipity, MidNodes::full}) {
    const Mesh back = with_order(with_order(coarse, 2, mid_nodes), 1);
    EXPECT_EQ(all_points(back), all_points(coarse));
    EXPECT_EQ(back.blocks()[0].nodes, coarse.blocks()[0].nodes);
  }
}

TEST_P(Order, NewNodesAreSharedBetweenCells) {  // their number: edges, quadrilaterals and centres of the grid
  const Mesh coarse(ritz::testing::block_of(GetParam(), 2));
  std::set<FewNodes> edges, quads;
  Index centres = 0;
  for (Index cell = 0; cell < coarse.cell_count(); ++cell) {
    const CellTraits& t = traits(coarse.kind_of(cell));
    const auto nodes = coarse.nodes_of(cell);
    const auto set_of = [&](std::span<const int> local) {
      FewNodes set;
      for (const int i : local) set.insert(nodes[static_cast<std::size_t>(i)]);
      return set;
    };
    for (const auto& edge : t.edges) edges.insert(set_of(edge));
    for (const Facet& facet : t.facets)
      if (facet.kind == CellKind::quad4) quads.insert(set_of(facet.nodes));
    centres += t.kind == CellKind::quad4 || t.kind == CellKind::hex8;
  }
  const Index with_edges = coarse.node_count() + std::ssize(edges);
  EXPECT_EQ(with_order(coarse, 2, MidNodes::serendipity).node_count(), with_edges);
  EXPECT_EQ(with_order(coarse, 2, MidNodes::full).node_count(), with_edges + std::ssize(quads) + centres);
}

TEST_P(Order, FillingACurvedSerendipityMeshKeepsItsBoundaryAndVolume) {
  const CellKind lean = kind_with_order(GetParam(), 2, MidNodes::serendipity);
  const Mesh curved(ritz::testing::block_of(lean, 3, {.smooth = 0.1, .random = 0.03, .curved = true}));
  const Mesh full = with_order(curved, 2, MidNodes::full);
  EXPECT_NEAR(total_volume(full), total_volume(curved), 1e-13);
  for (const FacetOfCell& facet : boundary_facets(curved))
    EXPECT_NEAR(integrate(full, facet).area, integrate(curved, facet).area, 1e-13);
}

TEST(OrderOfMixedMesh, IsRaisedConformingly) {
  for (const MidNodes mid_nodes : {MidNodes::serendipity, MidNodes::full})  // Mesh refuses faces that do not fit
    EXPECT_NEAR(total_volume(with_order(box_mixed(4, 2, 2, {1, 1, 1}), 2, mid_nodes)), 1, 1e-14);
}

TEST(Order, RegionsOfNodesGainWhatLiesBetweenTheirNodes) {
  MeshData data = rectangle_data(2, 1, {2, 1}, CellKind::quad4);
  data.regions.push_back({"bottom", RegionKind::nodes, {}, {}, {0, 1, 2}});
  data.regions.push_back({"left", RegionKind::nodes, {}, {}, {0, 1, 3, 4}});
  const Mesh fine = with_order(Mesh(data), 2);
  for (const Node node : fine.region("bottom").nodes) EXPECT_EQ(fine.point(node)[1], 0);
  EXPECT_EQ(fine.region("bottom").size(), 5);
  EXPECT_EQ(fine.region("left").size(), 9);
  EXPECT_THAT(with_order(fine, 1).region("left").nodes, ElementsAre(0, 1, 3, 4));
}

TEST(Order, OrphanNodesStay) {
  MeshData data = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  data.points.insert(data.points.end(), {7, 7, 7});
  EXPECT_THAT(with_order(Mesh(data), 2).orphan_nodes(), ElementsAre(8));
}

TEST(Order, OtherThanOneOrTwoIsAnInputError) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  EXPECT_EQ(error_of([&] { with_order(mesh, 3); }).exit(), Exit::input);
}
