// L15: every numbering of a cell that keeps its shape and orientation gives the same volume; the mirrored half is
// recognised and repaired; any other numbering is refused.
#include "mesh/mirror.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

#include <algorithm>
#include <numeric>
#include <set>

using namespace ritz;
using ritz::testing::error_of;
using ritz::testing::single_cell;
using ::testing::HasSubstr;

namespace {

bool keeps_edges(const CellTraits& t, const std::vector<int>& corner) {
  std::set<std::pair<int, int>> edges;
  for (const auto& [a, b] : t.edges) edges.insert({std::min(a, b), std::max(a, b)});
  for (const auto& [a, b] : t.edges) {
    const int c = corner[static_cast<std::size_t>(a)], d = corner[static_cast<std::size_t>(b)];
    if (!edges.contains({std::min(c, d), std::max(c, d)})) return false;
  }
  return true;
}

// All renumberings of the nodes of a kind that keep its shape: corners by trial, the others follow their corners.
std::vector<std::vector<int>> symmetries(CellKind kind) {
  const CellTraits& t = traits(kind);
  const auto x = reference_nodes(kind);
  std::vector<int> corner(static_cast<std::size_t>(t.corner_count));
  std::iota(corner.begin(), corner.end(), 0);
  std::vector<std::vector<int>> found;
  do {
    if (!keeps_edges(t, corner)) continue;
    std::vector<int> map;
    for (const Point& node : x) {  // the symmetries are affine (for pyramids: on each level), corners carry them
      const auto N = shape_values(t.linear, node);
      Point image{};
      for (std::size_t c = 0; c < corner.size(); ++c)
        for (std::size_t k = 0; k < 3; ++k) image[k] += N[c] * x[static_cast<std::size_t>(corner[c])][k];
      map.push_back(static_cast<int>(std::find_if(x.begin(), x.end(),
                                                  [&](const Point& p) {
                                                    return std::abs(p[0] - image[0]) + std::abs(p[1] - image[1]) +
                                                               std::abs(p[2] - image[2]) <
                                                           1e-12;
                                                  }) -
                                     x.begin()));
    }
    found.push_back(map);
  } while (std::next_permutation(corner.begin(), corner.end()));
  return found;
}

MeshData renumbered(MeshData data, const std::vector<int>& map) {
  const std::vector<Node> old = data.blocks[0].nodes;
  for (std::size_t i = 0; i < map.size(); ++i) data.blocks[0].nodes[i] = old[static_cast<std::size_t>(map[i])];
  return data;
}

std::size_t symmetry_count(CellKind linear) {
  switch (linear) {
    case CellKind::tri3: return 6;
    case CellKind::quad4: return 8;
    case CellKind::tet4: return 24;
    case CellKind::hex8: return 48;
    case CellKind::prism6: return 12;
    default: return 8;
  }
}

}  // namespace

class Orientation : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, Orientation, ::testing::ValuesIn(ritz::testing::cells_with_area()),
                         ritz::testing::name_of);

TEST_P(Orientation, HalfOfAllSymmetriesKeepItAndAllGiveTheSameVolume) {
  const auto maps = symmetries(GetParam());
  ASSERT_EQ(maps.size(), symmetry_count(traits(GetParam()).linear));
  const MeshData original = single_cell(GetParam(), 0.05);
  const double volume = total_volume(Mesh(original));
  std::size_t repaired = 0;
  for (const auto& map : maps) {
    const Mesh mesh(renumbered(original, map));
    EXPECT_NEAR(total_volume(mesh), volume, 1e-13 * volume);
    for (const std::string& notice : mesh.notices()) repaired += notice.find("inside out") != std::string::npos;
  }
  EXPECT_EQ(repaired, maps.size() / 2);
}

TEST_P(Orientation, AReversedCellIsRefusedWhenRepairIsOff) {
  const auto mirror = mirrored_nodes(GetParam());
  const MeshData data = renumbered(single_cell(GetParam(), 0.05), {mirror.begin(), mirror.end()});
  const Error error = error_of([&] { Mesh(data, {.fix_inverted = false}); });
  EXPECT_EQ(error.exit(), Exit::mesh);
  EXPECT_THAT(error.message(), HasSubstr("1 cell (0) of kind " + std::string(traits(GetParam()).name)));
  EXPECT_THAT(error.message(), HasSubstr("inside out"));
}

TEST_P(Orientation, MirroringTwiceChangesNothing) {
  const auto nodes = mirrored_nodes(GetParam()), facets = mirrored_facets(GetParam());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    EXPECT_EQ(nodes[static_cast<std::size_t>(nodes[i])], static_cast<int>(i));
  ASSERT_EQ(facets.size(), traits(GetParam()).facets.size());
  for (std::size_t f = 0; f < facets.size(); ++f)
    EXPECT_EQ(facets[static_cast<std::size_t>(facets[f])], static_cast<int>(f));
}

TEST_P(Orientation, RegionsOfFacetsKeepTheirPlaceWhenABlockIsTurned) {
  MeshData data = ritz::testing::block_of(GetParam(), 2, {.random = 0.05});
  const Mesh straight(data);
  const auto mirror = mirrored_nodes(GetParam());
  const auto n = mirror.size();
  for (std::size_t c = 0; c < data.blocks[0].nodes.size(); c += n) {
    const std::vector<Node> old(data.blocks[0].nodes.begin() + static_cast<std::ptrdiff_t>(c),
                                data.blocks[0].nodes.begin() + static_cast<std::ptrdiff_t>(c + n));
    for (std::size_t i = 0; i < n; ++i) data.blocks[0].nodes[c + i] = old[static_cast<std::size_t>(mirror[i])];
  }
  for (Region& region : data.regions)
    for (FacetOfCell& f : region.facets) f.facet = mirrored_facets(GetParam())[static_cast<std::size_t>(f.facet)];
  const Mesh turned(std::move(data));
  ASSERT_THAT(turned.notices(), ::testing::ElementsAre(HasSubstr("inside out")));
  for (const Region& region : straight.regions())
    EXPECT_EQ(nodes_in(turned, turned.region(region.name)), nodes_in(straight, region)) << region.name;
}

TEST(Orientation, AHexahedronNumberedOtherwiseIsRefused) {
  MeshData data = single_cell(CellKind::hex8);
  std::swap(data.blocks[0].nodes[2], data.blocks[0].nodes[3]);  // a bow tie
  std::swap(data.blocks[0].nodes[6], data.blocks[0].nodes[7]);
  const Error error = error_of([&] { Mesh{data}; });
  EXPECT_EQ(error.exit(), Exit::mesh);
  EXPECT_THAT(error.message(), HasSubstr("folded"));
}

TEST(Orientation, MidNodesInAnotherFormatsOrderAreRefused) {
  MeshData data = single_cell(CellKind::hex20);  // Abaqus and Gmsh write the upright edges elsewhere
  for (std::size_t i = 12; i < 16; ++i) std::swap(data.blocks[0].nodes[i], data.blocks[0].nodes[i + 4]);
  EXPECT_THAT(error_of([&] { Mesh{data}; }).message(), HasSubstr("folded"));
}

TEST(Orientation, AMidNodeBeyondTheQuarterPointFoldsTheCell) {
  MeshData data = single_cell(CellKind::tet10);
  data.points[3 * 4] = 0.2;  // the middle of edge 0-1, from 0.5: past the quarter point, the corners stay good
  EXPECT_THAT(error_of([&] { Mesh{data}; }).message(), HasSubstr("folded"));
  data.points[3 * 4] = 0.3;
  EXPECT_NO_THROW(Mesh{data});
}

TEST(Orientation, SomeReversedCellsAmongOthersAreNamed) {
  MeshData data = box_data(3, 3, 3, {1, 1, 1}, CellKind::tet4);
  auto& nodes = data.blocks[0].nodes;
  for (const std::size_t cell : {5u, 17u, 100u}) std::swap(nodes[4 * cell], nodes[4 * cell + 1]);
  const Error error = error_of([&] { Mesh{data}; });
  EXPECT_EQ(error.exit(), Exit::mesh);
  EXPECT_THAT(error.message(), HasSubstr("3 cells (5, 17, 100) of kind tet4"));
  EXPECT_THAT(error.why(), HasSubstr("other cells of the block are not"));
}

TEST(Orientation, OnlyTheFirstTenOffendersAreListed) {
  MeshData data = box_data(3, 3, 3, {1, 1, 1}, CellKind::tet4);
  auto& nodes = data.blocks[0].nodes;
  for (std::size_t cell = 0; cell < 12; ++cell) std::swap(nodes[4 * cell], nodes[4 * cell + 1]);
  EXPECT_THAT(error_of([&] { Mesh{data}; }).message(), HasSubstr("12 cells (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...)"));
}

TEST(Orientation, BlocksAreTurnedOneByOne) {
  MeshData data = box_mixed_data(4, 2, 2, {1, 1, 1});
  const auto mirror = mirrored_nodes(CellKind::prism6);
  for (std::size_t c = 0; c < data.blocks[1].nodes.size(); c += 6) {
    const std::vector<Node> old(&data.blocks[1].nodes[c], &data.blocks[1].nodes[c] + 6);
    for (std::size_t i = 0; i < 6; ++i) data.blocks[1].nodes[c + i] = old[static_cast<std::size_t>(mirror[i])];
  }
  for (Region& region : data.regions) region.facets.clear();
  const Mesh mesh(std::move(data));
  EXPECT_NEAR(total_volume(mesh), 1, 1e-14);
  EXPECT_THAT(mesh.notices(), ::testing::Contains(HasSubstr("all 8 cells of kind prism6")));
}

// M3: edges collapsed to nothing, to rounding, and to a sliver.
TEST(ZeroVolume, ACollapsedEdgeIsRefusedAndASliverIsNot) {
  const auto with_edge = [](double length) {
    MeshData data = single_cell(CellKind::tet4);
    data.points[3 * 1] = length;
    return data;
  };
  for (const double length : {0.0, 1e-16}) {
    const Error error = error_of([&] { Mesh{with_edge(length)}; });
    EXPECT_EQ(error.exit(), Exit::mesh);
    EXPECT_THAT(error.message(), HasSubstr("1 cell (0) of kind tet4 in mesh is without volume"));
  }
  EXPECT_NO_THROW(Mesh{with_edge(1e-8)});
  EXPECT_EQ(quality(Mesh(with_edge(1e-8))).sliver_count, 1);
}

TEST(ZeroVolume, ARepeatedNodeIsRefused) {
  MeshData data = single_cell(CellKind::hex8);
  data.blocks[0].nodes[1] = data.blocks[0].nodes[0];
  EXPECT_THAT(error_of([&] { Mesh{data}; }).message(), HasSubstr("folded"));
}
