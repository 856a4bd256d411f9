#include "mesh/refinement/refine.hpp"

#include "mesh/quality/conformity.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

using namespace ritz;

namespace {

std::vector<CellKind> cells_with_extent() {
  std::vector<CellKind> kinds;
  for (const CellKind kind : all_cell_kinds())
    if (traits(kind).dimension >= 2) kinds.push_back(kind);
  return kinds;
}

Mesh curved_block(CellKind kind) {
  const Distortion distortion{.smooth = 0.08, .random = 0.03, .curved = true};
  return traits(kind).dimension == 2 ? rectangle(3, 2, {1, 1}, kind, distortion)
                                     : box(2, 2, 2, {1, 1, 1}, kind, distortion);
}

// Bends the boundary too: what the generators leave flat.
Mesh bent(const Mesh& mesh) {
  MeshData data{.dimension = mesh.dimension(),
                .points = {mesh.points().begin(), mesh.points().end()},
                .blocks = {mesh.blocks().begin(), mesh.blocks().end()},
                .regions = {mesh.regions().begin(), mesh.regions().end()}};
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const double x = data.points[i], y = data.points[i + 1], z = data.points[i + 2];
    data.points[i] += 0.1 * y * y;
    data.points[i + 1] += 0.12 * x * x + 0.05 * z * z;
    if (data.dimension == 3) data.points[i + 2] += 0.09 * x * y;
  }
  return Mesh(std::move(data));
}

}  // namespace

class Refine : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, Refine, ::testing::ValuesIn(cells_with_extent()), ritz::testing::name_of);

// The restriction of a facet's shape functions to its children lies in the children's spaces, so the boundary is kept
// exactly, and with it the volume, whatever the cells inside do.
TEST_P(Refine, VolumeAndSurfaceOfACurvedMeshAreKept) {
  const Mesh coarse = bent(curved_block(GetParam()));
  const Mesh fine = refine(coarse);
  EXPECT_NEAR(total_volume(fine), total_volume(coarse), 1e-13);
  for (const Region& region : coarse.regions())
    if (region.kind == RegionKind::facets) {
      double before = 0, after = 0;  // fluxes of x, exact for curved facets
      for (const FacetOfCell& facet : region.facets) before += integrate(coarse, facet).x_dot_n;
      for (const FacetOfCell& facet : fine.region(region.name).facets) after += integrate(fine, facet).x_dot_n;
      EXPECT_NEAR(after, before, 1e-13) << region.name;
    }
}

TEST_P(Refine, MeshIsConformingAndItsBoundaryIsThatOfTheParent) {
  const Mesh coarse = bent(curved_block(GetParam()));
  const Mesh fine = refine(coarse);
  const std::size_t children = coarse.dimension() == 2 ? 2 : 4;
  EXPECT_EQ(boundary_facets(fine).size(), children * boundary_facets(coarse).size());
  EXPECT_TRUE(find_cracks(fine).nodes.empty());
  EXPECT_TRUE(find_hanging_nodes(fine).empty());
}

TEST_P(Refine, EveryCellBecomesAsManyOfItsKind) {
  const Mesh coarse = curved_block(GetParam());
  const Mesh fine = refine(coarse);
  const bool pyramid = traits(GetParam()).linear == CellKind::pyramid5;
  EXPECT_EQ(fine.cell_count(), coarse.cell_count() * (pyramid ? 10 : coarse.dimension() == 2 ? 4 : 8));
  EXPECT_EQ(fine.kind_of(0), GetParam());
  if (pyramid) {
    EXPECT_EQ(fine.kind_of(fine.cell_count() - 1), traits(GetParam()).order == 1 ? CellKind::tet4 : CellKind::tet10);
  }
  EXPECT_TRUE(std::equal(coarse.points().begin(), coarse.points().end(), fine.points().begin()))
      << "old nodes come first";
}

TEST_P(Refine, NodesOnlyWhereCellsNeedThem) {
  const Mesh fine = refine(curved_block(GetParam()));
  EXPECT_TRUE(fine.orphan_nodes().empty());
}

TEST_P(Refine, StructuredGridBecomesTheGridOfHalfTheSpacing) {
  if (traits(GetParam()).linear == CellKind::pyramid5) return;
  const bool plane = traits(GetParam()).dimension == 2;
  const auto block = [&](Index n) {
    return plane ? rectangle(n, n, {1, 1}, GetParam()) : box(n, n, n, {1, 1, 1}, GetParam());
  };
  const Mesh fine = refine(block(2)), same = block(4);
  EXPECT_EQ(fine.cell_count(), same.cell_count());
  EXPECT_EQ(fine.node_count(), same.node_count());
  EXPECT_NEAR(quality(fine).longest_edge, quality(same).longest_edge, 1e-15) << "inner diagonals are the shortest";
}

TEST(Refine, MixedMeshStaysConformingTwice) {
  for (const int order : {1, 2})
    for (const MidNodes mid_nodes : {MidNodes::serendipity, MidNodes::full}) {
      const Mesh coarse = box_mixed(4, 1, 1, {4, 1, 1}, order, mid_nodes, {.smooth = 0.05});
      const Mesh fine = refine(refine(coarse));
      EXPECT_NEAR(total_volume(fine), total_volume(coarse), 1e-12);
      EXPECT_TRUE(find_cracks(fine).nodes.empty());
      EXPECT_TRUE(find_hanging_nodes(fine).empty());
      EXPECT_NEAR(area(fine, fine.region("x0")), 1, 1e-13);
    }
}

TEST(Refine, RegionOfNodesGrowsAlongItsEdgesAndFacesOnly) {
  for (const CellKind kind : {CellKind::hex8, CellKind::hex27}) {
    MeshData data = box_data(2, 2, 2, {1, 1, 1}, kind);
    Region edge{"edge", RegionKind::nodes, {}, {}, {}}, ends{"ends", RegionKind::nodes, {}, {}, {}};
    for (std::size_t i = 0; 3 * i < data.points.size(); ++i) {
      if (data.points[3 * i + 1] != 0 || data.points[3 * i + 2] != 0) continue;
      edge.nodes.push_back(static_cast<Node>(i));
      if (data.points[3 * i] == 0 || data.points[3 * i] == 1) ends.nodes.push_back(static_cast<Node>(i));
    }
    data.regions.push_back(edge);
    data.regions.push_back(ends);
    const Mesh fine = refine(Mesh(data));
    EXPECT_EQ(fine.region("edge").size(), 2 * edge.size() - 1);
    for (const Node node : fine.region("edge").nodes) EXPECT_EQ(fine.point(node)[1] + fine.point(node)[2], 0);
    EXPECT_EQ(fine.region("ends").size(), 2);
  }
}

TEST(Refine, BarsAreHalved) {
  MeshData data{.dimension = 1,
                .points = {0, 0, 0, 2, 0, 0, 0.8, 0, 0},
                .blocks = {{CellKind::line3, {0, 1, 2}}},
                .regions = {{"end", RegionKind::facets, {}, {{0, 1}}, {}}}};
  const Mesh fine = refine(Mesh(data));
  ASSERT_EQ(fine.cell_count(), 2);
  EXPECT_EQ(fine.node_count(), 5);
  ASSERT_EQ(fine.region("end").facets.size(), 1u);
  EXPECT_EQ(fine.point(fine.nodes_of(fine.region("end").facets[0])[0])[0], 2);
}

TEST(Refine, ABeamAlongTheEdgeOfAShellKeepsItsNodes) {
  const Mesh panel(MeshData{.dimension = 3,
                            .structural = true,
                            .points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
                            .blocks = {{CellKind::quad4, {0, 1, 2, 3}}, {CellKind::line2, {0, 1}}},
                            .regions = {}});
  const Mesh fine = refine(panel);
  EXPECT_TRUE(fine.structural());
  EXPECT_EQ(fine.cell_count(), 4 + 2);
  EXPECT_EQ(fine.node_count(), 9);
}

TEST(Refine, CutsTetrahedraAlongTheShortestDiagonal) {
  // A flat tetrahedron: edge middles 0-1 and 2-3 are near each other.
  const Mesh coarse(MeshData{.dimension = 3,
                             .points = {-1, 0, 0, 1, 0, 0, 0, -1, 0.2, 0, 1, 0.2},
                             .blocks = {{CellKind::tet4, {0, 1, 3, 2}}}});
  const Mesh fine = refine(coarse);
  double longest = 0;
  for (Index cell = 4; cell < 8; ++cell)  // the inner ones share the diagonal of length 0.2
    longest = std::max(longest, cell_volumes(fine)[static_cast<std::size_t>(cell)]);
  EXPECT_NEAR(longest, total_volume(coarse) / 8, 1e-15);
  EXPECT_NEAR(quality(fine).shortest_edge, 0.2, 1e-15);
}
