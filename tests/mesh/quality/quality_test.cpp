#include "mesh/quality/quality.hpp"

#include "tests/mesh/meshes.hpp"

#include <cmath>

using namespace ritz;
using ritz::testing::error_of;
using ritz::testing::single_cell;
using ::testing::HasSubstr;

TEST(Quality, OfACubeIsOne) {
  const CellShape shape = shape_of_cell(Mesh(single_cell(CellKind::hex8)), 0);
  EXPECT_DOUBLE_EQ(shape.scaled_jacobian, 1);
  EXPECT_DOUBLE_EQ(shape.aspect, 1);
}

TEST(Quality, OfARegularTetrahedronIsOneWithItsHeight) {
  MeshData data = single_cell(CellKind::tet4);
  data.points = {1, 1, 1, -1, 1, -1, 1, -1, -1, -1, -1, 1};
  const CellShape shape = shape_of_cell(Mesh(data), 0);
  EXPECT_NEAR(shape.scaled_jacobian, 1, 1e-15);
  EXPECT_NEAR(shape.aspect, std::sqrt(1.5), 1e-15);
}

TEST(Quality, OfRegularTriangleAndPrismIsOne) {
  MeshData triangle = single_cell(CellKind::tri3);
  triangle.points = {0, 0, 0, 1, 0, 0, 0.5, std::sqrt(0.75), 0};
  EXPECT_NEAR(shape_of_cell(Mesh(triangle), 0).scaled_jacobian, 1, 1e-15);
  EXPECT_NEAR(shape_of_cell(Mesh(triangle), 0).aspect, 2 / std::sqrt(3.0), 1e-15);
  MeshData prism = single_cell(CellKind::prism6);
  prism.points = triangle.points;
  for (std::size_t i = 0; i < 9; ++i) prism.points.push_back(triangle.points[i] + (i % 3 == 2 ? 1 : 0));
  EXPECT_NEAR(shape_of_cell(Mesh(prism), 0).scaled_jacobian, 1, 1e-15);
}

TEST(Quality, AspectIsThatOfAFlatBrick) {
  EXPECT_NEAR(quality(box(1, 1, 1, {1000, 1, 10}, CellKind::hex8)).worst_aspect, 1000, 1e-9);
}

TEST(Quality, CountsEveryCellInItsTenth) {
  const Quality q = quality(box(3, 3, 3, {1, 1, 1}, CellKind::tet4));
  EXPECT_NEAR(q.worst_jacobian, 1 / std::sqrt(3.0), 1e-14);
  EXPECT_EQ(q.histogram[5], 162);
  EXPECT_NEAR(q.shortest_edge, 1.0 / 3, 1e-15);
  EXPECT_NEAR(q.longest_edge, std::sqrt(3.0) / 3, 1e-15);
  EXPECT_EQ(q.sliver_count, 0);
  EXPECT_THAT(q.summary(), HasSubstr("worst 0.577"));
}

// Products of many lengths are no numbers at the ends.
TEST(Quality, OfTetrahedraDoesNotDependOnTheirSize) {
  MeshData data = box_data(3, 4, 5, {1, 1, 1}, CellKind::tet4);
  for (std::size_t i = 0; i < data.points.size(); ++i) data.points[i] += 0.01 * std::sin(double(7 * i + 1));
  const Mesh mesh(data);
  const Quality q = quality(mesh);
  const std::vector<CellShape> shapes = shapes_of_cells(mesh);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellShape shape = shape_of_cell(mesh, cell), &same = shapes[static_cast<std::size_t>(cell)];
    EXPECT_NEAR(same.scaled_jacobian, shape.scaled_jacobian, 1e-14);
    EXPECT_NEAR(same.aspect, shape.aspect, 1e-13 * shape.aspect);
  }
  for (const double scale : {1e-55, 1e-41, 1e41, 1e70}) {
    MeshData scaled = data;
    for (double& x : scaled.points) x *= scale;
    const Quality other = quality(Mesh(std::move(scaled)));
    EXPECT_NEAR(other.worst_jacobian, q.worst_jacobian, 1e-13) << scale;
    EXPECT_NEAR(other.mean_jacobian, q.mean_jacobian, 1e-13) << scale;
    EXPECT_NEAR(other.worst_aspect, q.worst_aspect, 1e-12) << scale;
    EXPECT_NEAR(other.shortest_edge / scale, q.shortest_edge, 1e-14) << scale;
    EXPECT_NEAR(other.longest_edge / scale, q.longest_edge, 1e-14) << scale;
  }
}

TEST(Quality, OfACurvedCellIsThatOfItsTangents) {
  MeshData data = single_cell(CellKind::tet10);
  const auto middle = static_cast<std::size_t>(3 * data.blocks[0].nodes[4]);  // of the edge from corner 0 to corner 1
  ASSERT_NEAR(data.points[middle], 0.5, 1e-15);
  data.points[middle] = 0.26;  // at a quarter the tangent at corner 0 vanishes
  EXPECT_NEAR(shape_of_cell(Mesh(data), 0).scaled_jacobian, std::sqrt(2.0) * (4 * 0.26 - 1), 1e-12);
  const Quality q = quality(Mesh(data));
  ASSERT_EQ(q.poor_count, 1);
  EXPECT_EQ(q.bad_count, 0);
  EXPECT_NEAR(q.worst[0].centre[0], 0.25, 1e-15);
  EXPECT_THAT(q.verdict(), HasSubstr("poor: 1 cell below 0.1"));
}

TEST(Quality, TheWorstTenComeFirstWithTheirPlaces) {
  MeshData data = rectangle_data(20, 1, {20, 1}, CellKind::quad4);  // sheared by 11 to 13 times their height
  for (std::size_t i = 0; i + 3 <= data.points.size(); i += 3)
    if (data.points[i + 1] == 1) data.points[i] += 11 + 0.1 * data.points[i];
  const Quality q = quality(Mesh(data));
  EXPECT_EQ(q.poor_count, 20);
  ASSERT_EQ(q.worst.size(), 10u);
  for (std::size_t i = 1; i < q.worst.size(); ++i)
    EXPECT_LE(q.worst[i - 1].shape.scaled_jacobian, q.worst[i].shape.scaled_jacobian);
  EXPECT_NEAR(q.worst_jacobian, 1 / std::hypot(13, 1), 1e-12);
  EXPECT_NEAR(q.worst[0].centre[0], 25.975, 1e-12);
  EXPECT_THAT(q.verdict(), HasSubstr("poor: 20 cells"));
}

TEST(Volume, OfACurvedDiscApproachesPi) {  // a square whose sides are bent to arcs of the unit circle
  MeshData data = single_cell(CellKind::quad9);
  for (std::size_t i = 0; i < 8; ++i) {
    const double length = std::hypot(data.points[3 * i], data.points[3 * i + 1]);
    data.points[3 * i] /= length;
    data.points[3 * i + 1] /= length;
  }
  // parabolas through the ends and middle of quarter circles: 2 + 4 * (2/3) sqrt(2) (1 - sqrt(1/2))
  EXPECT_NEAR(total_volume(Mesh(data)), 2 + 8.0 / 3 * std::sqrt(2.0) * (1 - std::sqrt(0.5)), 1e-14);
}

TEST(Volume, OfACellIsInvariantUnderRotationAndScalesCubically) {
  const MeshData data = single_cell(CellKind::hex27, 0.05);
  MeshData turned = data;
  for (std::size_t i = 0; i < data.points.size(); i += 3)  // a cyclic exchange of axes is a rotation
    for (std::size_t k = 0; k < 3; ++k) turned.points[i + k] = 2 * data.points[i + (k + 1) % 3];
  const double volume = total_volume(Mesh(data));
  EXPECT_NEAR(total_volume(Mesh(turned)), 8 * volume, 1e-13 * volume);
}

TEST(Area, OfARegionOfCellsIsAnInputError) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const Error error = error_of([&] { area(mesh, mesh.region("all")); });
  EXPECT_EQ(error.exit(), Exit::input);
  EXPECT_THAT(error.message(), HasSubstr("'all'"));
}
