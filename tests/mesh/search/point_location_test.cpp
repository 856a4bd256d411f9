#include "mesh/search/point_location.hpp"

#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

#include <cmath>

using namespace ritz;
using ritz::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

// The point of the mesh at a place: coordinates are a field, too.
Point position(const Mesh& mesh, const PointLocator::Place& place) {
  const std::vector<double> x = interpolate(mesh, place, mesh.points(), 3);
  return {x[0], x[1], x[2]};
}

double apart(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

Point point_of(const Mesh& mesh, Node node) { return {mesh.point(node)[0], mesh.point(node)[1], mesh.point(node)[2]}; }

Mesh curved_mesh(CellKind kind) {
  return Mesh(ritz::testing::block_of(kind, 3, {.smooth = 0.1, .random = 0.05, .seed = 3, .curved = true}));
}

}  // namespace

class PointLocation : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, PointLocation, ::testing::ValuesIn(ritz::testing::cells_with_area()),
                         ritz::testing::name_of);

TEST_P(PointLocation, InvertsTheMapOfCurvedCells) {
  const Mesh mesh = curved_mesh(GetParam());
  const PointLocator locator(mesh);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const QuadraturePoint& q : geometry_rule(GetParam())) {
      const Point x = position(mesh, {cell, q.xi, 0});
      const PointLocator::Place place = locator.locate(x);
      EXPECT_EQ(place.cell, cell);  // inner points belong to one cell only
      EXPECT_LT(apart(place.xi, q.xi), 1e-8);
      EXPECT_LT(apart(position(mesh, place), x), 1e-12);
    }
}

// Fields on other meshes are slow where this fails, and right: the cell is then searched with care.
TEST_P(PointLocation, AFewStepsInvertTheMapOfBentCells) {
  const Mesh mesh = curved_mesh(GetParam());
  const PointLocator locator(mesh);
  const CellSearch search = locator.search();
  Index count = 0, left = 0;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const QuadraturePoint& q : geometry_rule(GetParam())) {
      const Point x = position(mesh, {cell, q.xi, 0});
      Point xi;
      ++count;
      if (search.invert(cell, x, xi) == Holds::yes) {
        EXPECT_LT(apart(xi, q.xi), 1e-8);
      } else {
        ++left;
      }
      EXPECT_NE(search.invert((cell + 1) % mesh.cell_count(), x, xi), Holds::yes);
    }
  EXPECT_LE(left, traits(GetParam()).linear == CellKind::pyramid5 ? count / 100 : 0);
}

// Kernels find what the host finds, of points on facets, edges and corners too: the tree leads to the same cell
// as a look at all of them.
TEST_P(PointLocation, TheTreeLeadsToTheLowestCellThatHoldsThePoint) {
  const Mesh mesh = curved_mesh(GetParam());
  const PointLocator locator(mesh);
  const CellSearch search = locator.search();
  const double rounding = 1e-9 * bounding_box(mesh).diagonal();
  Index count = 0, left = 0;
  const auto check = [&](Index cell, const Point& at) {
    const Point x = position(mesh, {cell, at, 0});
    Index lowest = 0;
    while (lowest < mesh.cell_count() && !PointLocator::in_cell(mesh, lowest, x)) ++lowest;
    ASSERT_LE(lowest, cell);
    EXPECT_EQ(locator.locate(x).cell, lowest);
    EXPECT_EQ(locator.find(x, rounding, cell)->cell, cell);  // a guess that holds it
    const FoundCell found = find_cell(search, x, rounding);
    ++count;
    if (found.cell < 0) return void(++left);
    EXPECT_EQ(found.cell, lowest);
    EXPECT_LT(apart(position(mesh, {found.cell, found.xi, 0}), x), 1e-12);
  };
  const auto corners = reference_nodes(traits(GetParam()).linear);
  for (Index cell = 0; cell < mesh.cell_count(); cell += 3) {
    check(cell, reference_centroid(GetParam()));
    for (const Facet& facet : traits(GetParam()).facets) {
      Point middle{};
      const auto count = static_cast<std::size_t>(traits(facet.kind).corner_count);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < 3; ++k)
          middle[k] += corners[static_cast<std::size_t>(facet.nodes[i])][k] / static_cast<double>(count);
      check(cell, middle);
    }
    for (const auto& [a, b] : traits(GetParam()).edges) {
      const Point &from = corners[static_cast<std::size_t>(a)], &to = corners[static_cast<std::size_t>(b)];
      check(cell, {0.7 * from[0] + 0.3 * to[0], 0.7 * from[1] + 0.3 * to[1], 0.7 * from[2] + 0.3 * to[2]});
    }
    for (const Point& corner : corners) check(cell, corner);
  }
  EXPECT_LE(left, traits(GetParam()).linear == CellKind::pyramid5 ? count / 3 : 0);
}

TEST(PointLocation, OutsideNothingIsFoundAndLevelsOfOneBoxAreTrees) {
  for (const Index count : {1, 2, 4, 5, 16, 17, 65}) {
    const Mesh mesh = rectangle(count, 1, {double(count), 1}, CellKind::quad4);
    const PointLocator locator(mesh);
    EXPECT_EQ(static_cast<Index>(locator.boxes().size()), PointLocator::box_count(mesh));
    for (Index cell = 0; cell < count; ++cell)
      EXPECT_EQ(find_cell(locator.search(), {double(cell) + 0.5, 0.5, 0}, 1e-9).cell, cell);
    EXPECT_EQ(find_cell(locator.search(), {-0.1, 0.5, 0}, 1e-9).cell, -1);
    EXPECT_EQ(find_cell(locator.search(), {0.5, 0.5, 0.1}, 1e-9).cell, -1);
  }
}

TEST_P(PointLocation, FindsEveryNodeInTheLowestCellThatHasIt) {
  const Mesh mesh = curved_mesh(GetParam());
  const PointLocator locator(mesh);
  std::vector<Index> lowest(static_cast<std::size_t>(mesh.node_count()), -1);
  for (Index cell = mesh.cell_count() - 1; cell >= 0; --cell)
    for (const Node node : mesh.nodes_of(cell)) lowest[static_cast<std::size_t>(node)] = cell;
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const PointLocator::Place place = locator.locate(point_of(mesh, node));
    EXPECT_EQ(place.cell, lowest[static_cast<std::size_t>(node)]) << "node " << node;
    EXPECT_LT(place.distance, 1e-12);
  }
}

TEST_P(PointLocation, LinearFieldsAreExactAtAnyPoint) {
  const Mesh mesh = curved_mesh(GetParam());
  std::vector<double> field;
  const auto f = [](const Point& x) { return 3 + 2 * x[0] - x[1] + 5 * x[2]; };
  for (Node node = 0; node < mesh.node_count(); ++node) field.push_back(f(point_of(mesh, node)));
  const PointLocator locator(mesh);
  const double depth = mesh.dimension() == 3 ? 0.5 : 0;
  for (int i = 0; i < 200; ++i) {  // a sequence that fills the box evenly
    const Point x = {std::fmod(0.7548776662 * i, 1), std::fmod(2 * 0.5698402910 * i, 2),
                     std::fmod(depth * 0.43 * i, depth + 1e-300)};
    EXPECT_NEAR(interpolate(mesh, locator.locate(x), field, 1)[0], f(x), 1e-11);
  }
}

TEST_P(PointLocation, TakesTheNearestCellWithinTheTolerance) {
  const Mesh mesh(ritz::testing::block_of(GetParam(), 3));
  const double diagonal = bounding_box(mesh).diagonal();
  const PointLocator locator(mesh);
  const double z = mesh.dimension() == 3 ? 0.2 : 0;
  const PointLocator::Place place = locator.locate({1 + 0.9e-6 * diagonal, 0.7, z});
  EXPECT_NEAR(place.distance, 0.9e-6 * diagonal, 1e-12);
  EXPECT_LT(apart(position(mesh, place), {1, 0.7, z}), 1e-12);
  EXPECT_THROW(locator.locate({1 + 1.1e-6 * diagonal, 0.7, z}), Error);
}

TEST(PointLocation, NearestPointOfASkewedCellIsTheTrueOne) {
  MeshData data{.dimension = 2,
                .points = {0, 0, 0, 10, 0, 0, 10, 0.1, 0},
                .blocks = {{CellKind::tri3, {0, 1, 2}}},
                .regions = {}};
  const Mesh mesh(std::move(data));
  const PointLocator locator(mesh, 0.1);
  EXPECT_NEAR(locator.locate({4, -0.5, 0}).distance, 0.5, 1e-14);
  EXPECT_NEAR(locator.locate({10.3, 0.4, 0}).distance, std::hypot(0.3, 0.3), 1e-14);
  EXPECT_NEAR(locator.locate({-0.3, -0.4, 0}).distance, 0.5, 1e-14);
}

TEST(PointLocation, WorksNearTheApexOfADistortedPyramid) {
  for (const CellKind kind : {CellKind::pyramid5, CellKind::pyramid13, CellKind::pyramid14}) {
    const Mesh mesh(ritz::testing::single_cell(kind, 0.08));
    const PointLocator locator(mesh);
    for (const double below : {1e-2, 1e-5, 1e-9, 0.0})
      for (const double side : {-0.9, 0.0, 0.7}) {
        const Point x = position(mesh, {0, {side * below, -0.5 * side * below, 1 - below}, 0});
        EXPECT_LT(apart(position(mesh, locator.locate(x)), x), 1e-13) << traits(kind).name << " " << below;
      }
  }
}

TEST(PointLocation, PointOutsideNamesTheBoxAndTheNearestNode) {
  const Mesh mesh = rectangle(2, 2, {1, 2}, CellKind::quad4);
  const Error error = error_of([&] { PointLocator(mesh).locate({1.5, 2.25, 0}); });
  EXPECT_EQ(error.exit(), Exit::input);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("(1.5, 2.25, 0)"), HasSubstr("(0, 0, 0) and (1, 2, 0)"),
                                  HasSubstr("nearest node"), HasSubstr("at (1, 2, 0)")));
  EXPECT_THROW(PointLocator(mesh).locate({0.5, 0.5, 0.1}), Error);  // above the plane
  EXPECT_THROW(PointLocator(mesh).locate({std::nan(""), 0.5, 0}), Error);
}

TEST(PointLocation, FollowsBarsInSpace) {
  MeshData data{.dimension = 1,
                .points = {0, 0, 0, 1, 1, 1, 2, 2, 0},
                .blocks = {{CellKind::line2, {0, 1, 1, 2}}},
                .regions = {}};
  const Mesh mesh(std::move(data));
  const PointLocator::Place place = PointLocator(mesh).locate({1.25, 1.25, 0.75});
  EXPECT_EQ(place.cell, 1);
  EXPECT_NEAR(place.xi[0], -0.5, 1e-14);
}
