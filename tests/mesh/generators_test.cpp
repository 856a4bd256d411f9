#include "mesh/generators.hpp"

#include "mesh/quality/conformity.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

using namespace ritz;
using ritz::testing::error_of;
using ::testing::HasSubstr;

namespace {

Index cells_per_cube(CellKind linear) {
  switch (linear) {
    case CellKind::tri3:
    case CellKind::prism6: return 2;
    case CellKind::tet4:
    case CellKind::pyramid5: return 6;
    default: return 1;
  }
}

}  // namespace

class Boxes : public ::testing::TestWithParam<CellKind> {
 protected:
  int dimension = traits(GetParam()).dimension;
};
INSTANTIATE_TEST_SUITE_P(All, Boxes, ::testing::ValuesIn(ritz::testing::cells_with_area()), ritz::testing::name_of);

TEST_P(Boxes, HaveTheVolumeAndCentroidOfTheBox) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 3));
  EXPECT_NEAR(total_volume(mesh), ritz::testing::volume_of_block(dimension), 1e-14);
  const Point middle = centroid(mesh), exact = {0.5, 1, dimension == 3 ? 0.25 : 0};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(middle[k], exact[k], 1e-14);
  EXPECT_EQ(bounding_box(mesh).high, (Point{1, 2, dimension == 3 ? 0.5 : 0}));
  EXPECT_EQ(mesh.region("all").size(), mesh.cell_count());
  EXPECT_TRUE(mesh.notices().empty());
}

TEST_P(Boxes, HaveTheCellsOfEveryCube) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 3));
  const Index cubes = dimension == 3 ? 3 * 4 * 3 : 3 * 4;
  EXPECT_EQ(mesh.cell_count(), cubes * cells_per_cube(traits(GetParam()).linear));
}

TEST_P(Boxes, NameTheirSidesWithTheRightAreaAndPlace) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 3));
  const Point lengths = {1, 2, dimension == 3 ? 0.5 : 1};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis)
    for (const bool high : {false, true}) {
      const Region& side = mesh.region(std::string{"xyz"[axis], high ? '1' : '0'});
      EXPECT_NEAR(area(mesh, side), lengths[0] * lengths[1] * lengths[2] / lengths[axis], 1e-14) << side.name;
      for (const Node node : nodes_in(mesh, side)) EXPECT_EQ(mesh.point(node)[axis], high ? lengths[axis] : 0);
      Point n{};
      for (const FacetOfCell& facet : side.facets) n[axis] += integrate(mesh, facet).area_vector[axis];
      EXPECT_EQ(n[axis] > 0, high);
    }
}

TEST_P(Boxes, AreConforming) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 2, {.smooth = 0.05, .random = 0.05}));
  EXPECT_TRUE(find_cracks(mesh).facets.empty());
  EXPECT_TRUE(find_hanging_nodes(mesh).empty());
  std::vector<Index> component;
  EXPECT_EQ(connected_components(mesh, component), 1);
}

TEST_P(Boxes, AreTheSameForTheSameSeedAndDifferForAnother) {
  const MeshData a = ritz::testing::block_of(GetParam(), 2, {.random = 0.05, .seed = 3, .curved = true});
  const MeshData b = ritz::testing::block_of(GetParam(), 2, {.random = 0.05, .seed = 3, .curved = true});
  const MeshData c = ritz::testing::block_of(GetParam(), 2, {.random = 0.05, .seed = 4, .curved = true});
  EXPECT_EQ(a.points, b.points);
  EXPECT_NE(a.points, c.points);
}

TEST_P(Boxes, StraightDistortionKeepsEdgeNodesInTheMiddle) {
  const CellTraits& t = traits(GetParam());
  if (t.order == 1) return;
  const Mesh mesh(ritz::testing::block_of(GetParam(), 3, {.smooth = 0.1, .random = 0.05}));
  double largest = 0;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (std::size_t e = 0; e < t.edges.size(); ++e)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto nodes = mesh.nodes_of(cell);
        const double a = mesh.point(nodes[static_cast<std::size_t>(t.edges[e][0])])[k];
        const double b = mesh.point(nodes[static_cast<std::size_t>(t.edges[e][1])])[k];
        const double m = mesh.point(nodes[static_cast<std::size_t>(t.corner_count) + e])[k];
        largest = std::max(largest, std::abs(m - 0.5 * (a + b)));
      }
  EXPECT_LT(largest, 1e-15);
}

TEST(Box, AnswersNonsenseWithAnInputError) {
  const auto message = [](auto f) {
    const Error error = error_of(f);
    EXPECT_EQ(error.exit(), Exit::input);
    return error.message();
  };
  EXPECT_THAT(message([] { box(0, 1, 1, {1, 1, 1}, CellKind::hex8); }), HasSubstr("0 cells along x"));
  EXPECT_THAT(message([] { box(1, 1, 1, {1, -1, 1}, CellKind::hex8); }), HasSubstr("length -1 along y"));
  EXPECT_THAT(message([] { box(1, 1, 1, {1, 1, 1}, CellKind::quad4); }), HasSubstr("cannot be filled with quad4"));
  EXPECT_THAT(message([] { rectangle(1, 1, {1, 1}, CellKind::hex8); }), HasSubstr("cannot be filled with hex8"));
  EXPECT_THAT(message([] { box(100000, 100000, 1, {1, 1, 1}, CellKind::hex8); }), HasSubstr("nodes"));
  EXPECT_THAT(message([] { box_mixed(3, 1, 1, {1, 1, 1}); }), HasSubstr("3 cells along x"));
}

TEST(BoxMixed, HoldsAllKindsAndIsConforming) {
  for (const Index nx : {4, 5, 7, 8}) {
    const Mesh mesh = box_mixed(nx, 2, 3, {1, 1, 1}, 1, MidNodes::full, {.smooth = 0.05, .random = 0.05});
    ASSERT_EQ(mesh.blocks().size(), 4u);
    for (const CellBlock& block : mesh.blocks()) EXPECT_GT(block.cell_count(), 0);
    EXPECT_TRUE(find_split_faces(mesh).empty());
    EXPECT_TRUE(find_hanging_nodes(mesh).empty());
    Index sides = 0;
    for (const Region& region : mesh.regions())
      if (region.kind == RegionKind::facets) sides += region.size();
    EXPECT_EQ(std::ssize(boundary_facets(mesh)), sides);
    EXPECT_NEAR(area(mesh, mesh.region("y1")), 1, 1e-14);
    EXPECT_NEAR(total_volume(mesh), 1, 1e-14);
  }
}
