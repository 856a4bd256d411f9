#include "mesh/facets.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

#include <omp.h>

#include <algorithm>
#include <map>

using namespace ritz;
using ::testing::ElementsAre;

namespace {

// The definition, word by word: facets whose corners occur once.
std::vector<FacetOfCell> boundary_by_definition(const Mesh& mesh) {
  std::map<FewNodes, std::vector<FacetOfCell>> cells;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const FacetTable& table = facet_table(mesh.kind_of(cell));
    for (int f = 0; f < table.facet_count; ++f)
      cells[corners_of(mesh.nodes_of(cell), table.facets[f])].push_back({cell, f});
  }
  std::vector<FacetOfCell> boundary;
  for (const auto& [corners, facets] : cells)
    if (facets.size() == 1) boundary.push_back(facets[0]);
  std::sort(boundary.begin(), boundary.end(), [](const FacetOfCell& a, const FacetOfCell& b) {
    return std::pair(a.cell, a.facet) < std::pair(b.cell, b.facet);
  });
  return boundary;
}

CellBlock surface_of(const Mesh& mesh, const std::vector<FacetOfCell>& facets, CellKind kind) {
  CellBlock block{kind, {}};
  for (const FacetOfCell& facet : facets)
    if (traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind == kind) {
      const std::vector<Node> nodes = mesh.nodes_of(facet);
      block.nodes.insert(block.nodes.end(), nodes.begin(), nodes.end());
    }
  return block;
}

std::vector<CellKind> cells_with_facets() {
  std::vector<CellKind> kinds = ritz::testing::kinds_of_dimension(2);
  for (const CellKind kind : ritz::testing::kinds_of_dimension(3)) kinds.push_back(kind);
  return kinds;
}

}  // namespace

class Facets : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, Facets, ::testing::ValuesIn(cells_with_facets()), ritz::testing::name_of);

TEST_P(Facets, TheBoundaryIsWhatItsDefinitionSays) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 3));
  EXPECT_EQ(boundary_facets(mesh), boundary_by_definition(mesh));
}

TEST_P(Facets, TheBoundaryIsMadeOfTheSides) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 2));
  Index count = 0;
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::facets) count += region.size();
  EXPECT_EQ(std::ssize(boundary_facets(mesh)), count);
}

TEST_P(Facets, EveryFacetIsFoundAgainByItsNodes) {
  const MeshData data = ritz::testing::block_of(GetParam(), 2);
  const Mesh mesh(data);
  for (const Region& side : mesh.regions()) {
    if (side.kind != RegionKind::facets) continue;
    const CellKind kind = traits(GetParam()).facets[static_cast<std::size_t>(side.facets[0].facet)].kind;
    const CellBlock surface = surface_of(mesh, side.facets, kind);
    Index unmatched = -1;
    const auto found = match_facets(data, std::span(&surface, 1), unmatched);
    EXPECT_EQ(unmatched, 0);
    EXPECT_EQ(found, side.facets);
  }
}

TEST(MixedFacets, TheBoundaryOfAMixedMeshIsWhatItsDefinitionSays) {
  const Mesh mesh = box_mixed(8, 3, 2, {1, 1, 1}, 2);
  EXPECT_EQ(boundary_facets(mesh), boundary_by_definition(mesh));
}

// Facets are found by keys of 33 bits: of 450 000 edges some ten pairs share theirs.
TEST(BoundaryFacets, OfLooseTrianglesAreAllTheirEdges) {
  constexpr Node count = 150'000;
  MeshData data{.dimension = 2, .points = {}, .blocks = {{CellKind::tri3, {}}}, .regions = {}};
  for (Node triangle = 0; triangle < count; ++triangle)
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}) {
      data.blocks[0].nodes.push_back(static_cast<Node>(data.points.size() / 3));
      data.points.insert(data.points.end(), {x + 2 * (triangle % 400), y + 2 * (triangle / 400), 0});
    }
  EXPECT_EQ(boundary_facets(Mesh(std::move(data))).size(), 3u * count);
}

TEST(BoundaryFacets, AreTheSameForEveryThreadCount) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto alone = boundary_facets(box(9, 8, 7, {1, 1, 1}, CellKind::tet4));
  omp_set_num_threads(5);
  EXPECT_EQ(boundary_facets(box(9, 8, 7, {1, 1, 1}, CellKind::tet4)), alone);
  omp_set_num_threads(threads);
}

TEST(MatchFacets, GivesTheLowestCellOfAnInnerFacetInAnyNumbering) {
  const MeshData data = box_data(3, 1, 1, {3, 1, 1}, CellKind::hex8);
  const CellBlock surface{CellKind::quad4, {6, 2, 10, 14, 14, 10, 2, 6, 1, 5, 13, 9}};  // x = 2 twice, x = 1
  Index unmatched = -1;
  EXPECT_THAT(match_facets(data, std::span(&surface, 1), unmatched),
              ElementsAre(FacetOfCell{1, 1}, FacetOfCell{1, 1}, FacetOfCell{0, 1}));
  EXPECT_EQ(unmatched, 0);
}

TEST(MatchFacets, ReportsWhatIsNoFacet) {
  const MeshData data = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const std::vector<CellBlock> surface = {{CellKind::quad4, {0, 1, 6, 7}},                // a plane through the middle
                                          {CellKind::quad4, {0, 1, 3, 99, -5, 1, 3, 2}},  // numbers that are not there
                                          {CellKind::line2, {0, 1}},                      // an edge
                                          {CellKind::tri3, {0, 1, 3}},                    // half of a face
                                          {CellKind::quad4, {0, 1, 3, 2}}};               // z = 0
  Index unmatched = -1;
  const auto found = match_facets(data, surface, unmatched);
  EXPECT_EQ(unmatched, 5);
  ASSERT_EQ(found.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(found[i].cell, -1);
  EXPECT_EQ(found[5], (FacetOfCell{0, 4}));
}

TEST(MatchFacets, CountsCellsThroughAllBlocks) {
  const MeshData data = box_mixed_data(4, 1, 1, {4, 1, 1});
  const Mesh mesh(data);
  const auto& side = mesh.region("x1").facets;
  const CellBlock surface = surface_of(mesh, side, CellKind::tri3);
  Index unmatched = -1;
  EXPECT_EQ(match_facets(data, std::span(&surface, 1), unmatched), side);
}

TEST(DuplicateCells, AreNamedWithTheFirstOfTheirKind) {
  MeshData data = box_data(2, 1, 1, {1, 1, 1}, CellKind::hex8);
  data.blocks.push_back(data.blocks[0]);
  data.blocks[1].first_cell = 2;
  EXPECT_THAT(duplicate_cells(data), ElementsAre(std::pair<Index, Index>(0, 2), std::pair<Index, Index>(1, 3)));
}
