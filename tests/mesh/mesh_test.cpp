// Every error path of Mesh: the message names what, where and how many; the exit code is that of the mesh.
#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

#include <cmath>
#include <limits>

using namespace ritz;
using ritz::testing::error_of;
using ritz::testing::single_cell;
using ::testing::HasSubstr;

namespace {

MeshData two_hexes() { return box_data(2, 1, 1, {2, 1, 1}, CellKind::hex8); }

void expect_refused(const MeshData& data, std::string_view part, const MeshChecks& checks = {}) {
  const Error error = error_of([&] { Mesh(data, checks); });
  EXPECT_EQ(error.exit(), Exit::mesh);
  EXPECT_THAT(error.what(), HasSubstr(std::string(part)));
}

}  // namespace

TEST(Mesh, AnswersWhatItWasGiven) {
  const Mesh mesh = box_mixed(4, 1, 1, {4, 1, 1});
  EXPECT_EQ(mesh.dimension(), 3);
  EXPECT_EQ(mesh.cell_count(), 1 + 2 + 5 + 2 + 6);
  EXPECT_EQ(mesh.node_count(), 5 * 2 * 2 + 1);
  EXPECT_EQ(mesh.kind_of(0), CellKind::hex8);
  EXPECT_EQ(mesh.kind_of(2), CellKind::prism6);
  EXPECT_EQ(mesh.kind_of(15), CellKind::tet4);
  EXPECT_EQ(mesh.nodes_of(3).size(), 5u);
  EXPECT_EQ(mesh.source(), "mixed box of 4x1x1");
  EXPECT_TRUE(mesh.notices().empty());
}

TEST(Mesh, WithoutCellsIsRefused) {
  const MeshData nothing{.dimension = 3, .points = {}, .blocks = {}, .regions = {}, .source = "part.msh"};
  expect_refused(nothing, "part.msh holds no cells of dimension 3");
}

TEST(Mesh, OfDimensionFourIsRefused) {
  MeshData data = two_hexes();
  data.dimension = 4;
  expect_refused(data, "dimension 4");
}

TEST(Mesh, WithCellsOfAnotherDimensionIsRefused) {
  MeshData data = two_hexes();
  data.blocks.push_back({CellKind::tri3, {0, 1, 2}});
  expect_refused(data, "holds 1 tri3 cells of dimension 2");
}

TEST(Mesh, WithCutOffConnectivityIsRefused) {
  MeshData data = two_hexes();
  data.blocks[0].nodes.pop_back();
  expect_refused(data, "holds 15 node numbers, which is no multiple of the 8 of a hex8");
}

TEST(Mesh, WithCutOffCoordinatesIsRefused) {
  MeshData data = two_hexes();
  data.points.pop_back();
  expect_refused(data, "35 coordinates");
}

TEST(Mesh, WithoutFiniteCoordinatesIsRefused) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    MeshData data = two_hexes();
    data.points[3 * 4 + 1] = bad;
    expect_refused(data, "1 node (4) of box of 2x1x1 (hex8) without usable coordinates");
  }
}

TEST(Mesh, WithNodeNumbersOutsideIsRefused) {
  for (const Node bad : {-1, 12, std::numeric_limits<Node>::max()}) {
    MeshData data = two_hexes();
    data.blocks[0].nodes[11] = bad;
    expect_refused(data, "1 cell (1) of kind hex8 in box of 2x1x1 (hex8) with a node number outside 0..11");
    expect_refused(data, "names node " + std::to_string(bad));
  }
}

TEST(Mesh, OutOfPlaneInTwoDimensionsIsRefused) {
  MeshData data = rectangle_data(2, 2, {1, 1}, CellKind::quad4);
  data.points[3 * 5 + 2] = 0.1;
  expect_refused(data, "1 node (5) of the two-dimensional mesh");
}

// Coordinates carry sixteen digits: what rounding leaves is flat, a hundred millionth of the size is not.
TEST(Mesh, FlatIsWhatIsFlatUpToRoundingInAnyUnit) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    MeshData data = rectangle_data(2, 2, {size, size}, CellKind::quad4);
    data.points[3 * 5 + 2] = 1e-15 * size;
    EXPECT_NO_THROW(Mesh{data}) << size;
    data.points[3 * 5 + 2] = 1e-8 * size;
    expect_refused(data, "1 node (5) of the two-dimensional mesh");
  }
}

TEST(Mesh, InAPlaneParallelToTheAxesIsFine) {
  MeshData data = rectangle_data(2, 2, {1, 1}, CellKind::quad4);
  for (std::size_t i = 2; i < data.points.size(); i += 3) data.points[i] = 3;
  EXPECT_NEAR(total_volume(Mesh(data)), 1, 1e-15);
}

TEST(Mesh, WithRepeatedCellsIsRefused) {
  MeshData data = box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  const std::vector<Node> cell(data.blocks[0].nodes.begin() + 24, data.blocks[0].nodes.begin() + 32);
  data.blocks.push_back({CellKind::hex8, cell});
  expect_refused(data, "1 cell (8) in box of 2x2x2 (hex8) repeated");
  expect_refused(data, "repeats cell 3");
}

TEST(Mesh, WrittenTwiceIsRefusedWithAllRepetitions) {
  MeshData data = box_data(3, 3, 3, {1, 1, 1}, CellKind::tet4);
  data.blocks.push_back(data.blocks[0]);
  expect_refused(data, "162 cells (162, 163, 164");
}

TEST(Mesh, ARepeatedCellInAnotherNumberingIsFound) {
  MeshData data = box_data(2, 1, 1, {1, 1, 1}, CellKind::tet4);
  const std::vector<Node> n(data.blocks[0].nodes.begin(), data.blocks[0].nodes.begin() + 4);
  data.blocks.push_back({CellKind::tet4, {n[1], n[2], n[0], n[3]}});
  expect_refused(data, "1 cell (12)");
}

TEST(Mesh, WithOverlappingCellsIsRefused) {
  MeshData data = single_cell(CellKind::tet4);  // a second apex on the same side of the same face
  data.points.insert(data.points.end(), {0.2, 0.2, 2});
  data.blocks[0].nodes.insert(data.blocks[0].nodes.end(), {0, 1, 2, 4});
  expect_refused(data, "two cells on the same side");
}

// A face has two sides, so at most two cells: whichever of the three comes first.
TEST(Mesh, WithThreeCellsOnOneFaceIsRefused) {
  const std::array<std::array<Node, 4>, 3> cells{{{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}}};  // above, below, above
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    MeshData data{.dimension = 3, .points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1, 0.2, 0.2, -1, 0.2, 0.2, 2}};
    data.blocks.push_back({CellKind::tet4, {}});
    for (const std::size_t cell : order)
      data.blocks[0].nodes.insert(data.blocks[0].nodes.end(), cells[cell].begin(), cells[cell].end());
    expect_refused(data, "shared by more than two cells");
  } while (std::ranges::next_permutation(order).found);
}

TEST(Mesh, WithLinearBesideQuadraticCellsIsRefused) {
  MeshData data = single_cell(CellKind::tet10);  // the face of nodes 0 1 2 as seen from below is a tet4's
  data.points.insert(data.points.end(), {0.2, 0.2, -1});
  data.blocks.push_back({CellKind::tet4, {0, 2, 1, 10}});
  expect_refused(data, "other nodes between them; the first is of cells 0 (tet10) and 1 (tet4)");
}

TEST(Mesh, SeveralErrorsAreReportedTogether) {
  MeshData data = box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  data.points.push_back(0), data.points.push_back(0), data.points.push_back(0);
  std::swap(data.blocks[0].nodes[0], data.blocks[0].nodes[1]);
  const Error error = error_of([&] { Mesh(data, {.allow_orphan_nodes = false}); });
  EXPECT_THAT(error.what(), HasSubstr("1 node (27)"));
  EXPECT_THAT(error.what(), HasSubstr("1 cell (0)"));
}

TEST(Mesh, OrphanNodesAreANotice) {
  MeshData data = two_hexes();
  data.points.insert(data.points.begin(), {9, 9, 9});
  for (Node& node : data.blocks[0].nodes) ++node;
  const Mesh mesh(data);
  EXPECT_THAT(mesh.orphan_nodes(), ::testing::ElementsAre(0));
  EXPECT_THAT(mesh.notices(), ::testing::ElementsAre(HasSubstr("1 node (0) of box of 2x1x1 (hex8) used by no cell")));
  EXPECT_EQ(bounding_box(mesh).high[0], 2);
  expect_refused(data, "used by no cell", {.allow_orphan_nodes = false});
}

TEST(Mesh, EqualKindsMayComeInSeveralBlocks) {
  MeshData data = box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  CellBlock& first = data.blocks[0];
  const CellBlock second{CellKind::hex8, {first.nodes.begin() + 24, first.nodes.end()}};
  first.nodes.resize(24);
  data.blocks.push_back({CellKind::tet4, {}});  // an empty block does no harm
  data.blocks.push_back(second);
  const Mesh mesh(std::move(data));
  EXPECT_EQ(mesh.blocks().size(), 3u);
  EXPECT_EQ(mesh.blocks()[2].first_cell, 3);
  EXPECT_EQ(mesh.kind_of(3), CellKind::hex8);
  EXPECT_NEAR(total_volume(mesh), 1, 1e-15);
}

TEST(Mesh, BarsMayMeetInANode) {
  MeshData data{.dimension = 1, .points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, .blocks = {}, .regions = {}};
  data.blocks.push_back({CellKind::line2, {0, 1, 0, 2, 3, 0}});
  const Mesh mesh(std::move(data));
  EXPECT_NEAR(total_volume(mesh), 3, 1e-15);
  EXPECT_EQ(boundary_facets(mesh).size(), 3u);
}

TEST(ConnectedComponents, AreNumberedByTheirFirstCell) {
  MeshData data = box_data(2, 1, 1, {1, 1, 1}, CellKind::hex8);
  const MeshData other = data;
  for (const double x : other.points) data.points.push_back(x + 5);
  CellBlock shifted = other.blocks[0];
  for (Node& node : shifted.nodes) node += 12;
  data.blocks.insert(data.blocks.begin(), shifted);
  data.regions.clear();
  std::vector<Index> component;
  EXPECT_EQ(connected_components(Mesh(std::move(data)), component), 2);
  EXPECT_THAT(component, ::testing::ElementsAre(0, 0, 1, 1));
}

TEST(ConnectedComponents, OneSharedNodeConnects) {
  MeshData data = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const MeshData other = data;
  for (const double x : other.points) data.points.push_back(x + 1);
  CellBlock second = other.blocks[0];
  for (Node& node : second.nodes) node = node == 0 ? 7 : node + 8;
  data.blocks.push_back(second);
  std::vector<Index> component{3};
  EXPECT_EQ(connected_components(Mesh(std::move(data)), component), 1);
  EXPECT_TRUE(component.empty()) << "all cells are in it";
}
