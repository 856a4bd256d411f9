// Cells of order 3 and more become cells of order 2, and keep their maps.
#include "mesh/lower_order.hpp"

#include "device/error.hpp"
#include "mesh/generators.hpp"
#include "mesh/lagrange_cells.hpp"
#include "mesh/node_order.hpp"
#include "mesh/quality/quality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace ritz::test {
namespace {

using enum CellKind;
using ::testing::HasSubstr;
using Map = std::function<Point(const Point&)>;

Point bent(const Point& x) {
  const auto [a, b, c] = x;
  return {2 * a + 0.11 * b * b + 0.05 * a * c + 0.3 * b, 3 * b + 0.07 * c * c - 0.09 * a * b + 0.2 * c,
          1.5 * c + 0.05 * a * a + 0.08 * b * c};
}

// Cells of order 3 and more, their nodes equally spaced, one point for each place.
struct HighOrderMesh {
  CellsByKind cells;
  NodeSets sets;
  std::vector<double> points;
  std::vector<std::string> notices;

  // The reference cell under a map.
  void add(CellKind shape, int order, const Map& map) {
    const CellKind kind = complete_quadratic(shape);
    sets[static_cast<std::size_t>(kind)] = {order, order_of_places(shape, order)};
    for (const Point& xi : order_of_places(shape, order))
      cells[static_cast<std::size_t>(kind)].push_back(node_at(map(xi)));
  }
  std::vector<std::uint8_t> lower() {
    return lower_order(cells, sets, points, KeepMaps::no, "a mesh", notices).unneeded;
  }
  std::span<const Node> nodes(CellKind shape) const {
    return cells[static_cast<std::size_t>(complete_quadratic(shape))];
  }
  Point point(Node node) const {
    return {points[3 * static_cast<std::size_t>(node)], points[3 * static_cast<std::size_t>(node) + 1],
            points[3 * static_cast<std::size_t>(node) + 2]};
  }
  // The number that the notice gives.
  double loss() const {
    const std::string text = notices.empty() ? std::string() : notices.front();
    const std::size_t at = text.find("at most ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + 8));
  }

 private:
  static std::vector<Point> order_of_places(CellKind shape, int order) {
    if (shape != pyramid5) return lagrange_nodes(shape, order);
    const NodeOrder pyramid{pyramid5,
                            {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
                            {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}},
                            Listing::rows,
                            Listing::recursive};
    return reference_points(shape, lattice(pyramid, order), equal_steps(order));
  }
  Node node_at(const Point& x) {
    const std::array key{std::lround(x[0] * 1e6), std::lround(x[1] * 1e6), std::lround(x[2] * 1e6)};
    const auto [found, is_new] = number_.try_emplace(key, static_cast<Node>(points.size() / 3));
    if (is_new) points.insert(points.end(), x.begin(), x.end());
    return found->second;
  }
  std::map<std::array<long, 3>, Node> number_;
};

constexpr std::array shapes{line2, tri3, quad4, tet4, hex8, prism6, pyramid5};

TEST(LowerOrder, AMapOfDegreeTwoIsReproducedOnEveryShapeAndOrder) {
  for (const CellKind shape : shapes)
    for (int order = 3; order <= 6; ++order) {
      SCOPED_TRACE(std::string(traits(shape).name) + " " + std::to_string(order));
      HighOrderMesh mesh;
      // A pyramid's functions of order 2 hold the products of x and y over 1 - z, and all of degree 2.
      mesh.add(shape, order, bent);
      mesh.lower();
      const auto reference = reference_nodes(complete_quadratic(shape));
      ASSERT_EQ(mesh.nodes(shape).size(), reference.size());
      for (std::size_t a = 0; a < reference.size(); ++a) {
        const Point found = mesh.point(mesh.nodes(shape)[a]), expected = bent(reference[a]);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12) << "node " << a;
      }
      EXPECT_GE(mesh.loss(), 0);
      EXPECT_LT(mesh.loss(), 1e-12);
    }
}

// Three squares: one is cubic, one quadratic, one straight.
TEST(LowerOrder, BodiesKeepTheMapsThatOrderTwoHasNot) {
  const auto mesh_of = [] {
    HighOrderMesh mesh;
    for (int cell = 0; cell < 3; ++cell)
      mesh.add(quad4, 3, [&](const Point& x) {
        return Point{x[0] + 3 * cell,
                     x[1] + (cell == 1   ? 0.02 * (x[0] * x[0] * x[0] - x[0])
                             : cell == 2 ? 0.1 * x[0] * x[0]
                                         : 0),
                     0};
      });
    return mesh;
  };
  HighOrderMesh mesh = mesh_of();
  const LoweredCells lowered =
      lower_order(mesh.cells, mesh.sets, mesh.points, KeepMaps::where_they_differ, "a mesh", mesh.notices);
  const CurvedCells& curved = lowered.curved[static_cast<std::size_t>(quad9)];
  EXPECT_EQ(curved.cells, std::vector<Index>{1});
  ASSERT_EQ(curved.of(1).size(), 16u);
  for (std::size_t a = 0; a < 16; ++a) {
    const Point& xi = curved.functions->nodes()[a];
    EXPECT_NEAR(curved.of(1)[a][1], xi[1] + 0.02 * (xi[0] * xi[0] * xi[0] - xi[0]), 1e-14);
  }
  EXPECT_THAT(mesh.notices.front(), HasSubstr("1 cell of order 3 in 'a mesh' keeps the file's map"));
  HighOrderMesh shell = mesh_of();
  EXPECT_TRUE(lower_order(shell.cells, shell.sets, shell.points, KeepMaps::no, "a mesh", shell.notices)
                  .curved[static_cast<std::size_t>(quad9)]
                  .empty());
  EXPECT_THAT(shell.notices.front(), HasSubstr("are taken at order 2"));
}

// c (t^3 - t) vanishes at -1, 0 and 1 and is greatest at 1/sqrt(3).
TEST(LowerOrder, TheLossOfACubicIsItsClosedForm) {
  constexpr double c = 0.01, size = 2;
  for (const CellKind shape : {line2, quad4, hex8}) {
    HighOrderMesh mesh;
    mesh.add(shape, 3, [&](const Point& x) { return Point{x[0], x[1] + c * (x[0] * x[0] * x[0] - x[0]), x[2]}; });
    mesh.lower();
    EXPECT_NEAR(mesh.loss(), c * 2 / (3 * std::sqrt(3.0)), 0.02 * c) << "two digits are given";
    const double fraction = 100 * mesh.loss() / (size * std::sqrt(traits(shape).dimension));
    EXPECT_THAT(mesh.notices.front(), HasSubstr("cells of order 3 in 'a mesh' are taken at order 2"));
    const std::size_t at = mesh.notices.front().find(", ") + 2;
    EXPECT_NEAR(std::stod(mesh.notices.front().substr(at)), fraction, 0.05 * fraction);
  }
}

TEST(LowerOrder, TheWorstCellIsFoundAmongManyThatLoseLess) {
  HighOrderMesh mesh;
  for (int cell = 0; cell < 40; ++cell) {
    const double c = cell == 27 ? 0.02 : 0.0002 * cell;
    mesh.add(quad4, 4, [&](const Point& x) {
      return Point{x[0] + 3 * cell, x[1] + c * (x[0] * x[0] * x[0] - x[0]), 0};
    });
  }
  mesh.lower();
  EXPECT_THAT(mesh.notices.front(), HasSubstr("(quad9 27, near (80, -1, 0))"));
  EXPECT_NEAR(mesh.loss(), 0.02 * 2 / (3 * std::sqrt(3.0)), 1e-4);
}

TEST(LowerOrder, TheNoticeNamesTheSolidAndNotItsFacet) {
  HighOrderMesh mesh;
  const Map map = [](const Point& x) {
    return Point{x[0], x[1] + 0.02 * (x[0] * x[0] * x[0] - x[0]) * (x[2] - 1), x[2]};
  };
  mesh.add(hex8, 3, map);
  mesh.add(quad4, 3, [&](const Point& x) { return map({x[0], x[1], -1}); });
  mesh.lower();
  EXPECT_THAT(mesh.notices.front(), HasSubstr("(hex27 0, "));
  EXPECT_EQ(mesh.nodes(quad4)[8], mesh.nodes(hex8)[24]) << "the middle of the facet at z = -1";
}

// Two cells side by side, the second one turned in every way, under a cubic map: the nodes of the mesh are those of one
// that is of order 2 from the start, and the facet is shared.
void expect_shared_facet(CellKind shape, const Point& shift, const std::vector<std::vector<int>>& turns) {
  const auto corners = reference_nodes(shape);
  const double depth = traits(shape).dimension - 2;
  const Map cubic = [depth](const Point& x) {
    return Point{x[0] + 0.02 * x[1] * x[1] * x[1], x[1] + 0.03 * (x[2] * x[2] + x[0]) * x[0],
                 x[2] + depth * 0.02 * x[0] * x[0] * x[0]};
  };
  Index expected = 0;
  for (const std::vector<int>& turn : turns) {
    HighOrderMesh mesh;
    mesh.add(shape, 3, cubic);
    mesh.add(shape, 3, [&](const Point& xi) {
      const std::vector<double> N = shape_values(shape, xi);
      Point x = shift;
      for (std::size_t i = 0; i < N.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) x[k] += N[i] * corners[static_cast<std::size_t>(turn[i])][k];
      return cubic(x);
    });
    const std::vector<std::uint8_t> unneeded = mesh.lower();
    MeshData data;
    data.dimension = traits(shape).dimension;
    data.points = mesh.points;
    data.blocks.push_back({complete_quadratic(shape), {mesh.nodes(shape).begin(), mesh.nodes(shape).end()}, 0});
    drop_points(data, unneeded);
    const Mesh lowered(std::move(data), {.allow_orphan_nodes = false});
    const auto facets = std::ssize(traits(shape).facets);
    EXPECT_EQ(std::ssize(boundary_facets(lowered)), 2 * facets - 2);
    if (expected == 0) expected = lowered.node_count();
    EXPECT_EQ(lowered.node_count(), expected);
  }
}

// Permutations of the corners that keep the cell's volume positive and its edges edges.
std::vector<std::vector<int>> rotations(CellKind shape) {
  const CellTraits& t = traits(shape);
  const auto corners = reference_nodes(shape);
  std::vector<int> turn(corners.size());
  std::iota(turn.begin(), turn.end(), 0);
  std::vector<std::vector<int>> found;
  do {
    const auto is_edge = [&](int a, int b) {
      return std::ranges::any_of(
          t.edges, [&](const auto& edge) { return (edge[0] == a && edge[1] == b) || (edge[0] == b && edge[1] == a); });
    };
    const bool keeps = std::ranges::all_of(t.edges, [&](const auto& edge) {
      return is_edge(turn[static_cast<std::size_t>(edge[0])], turn[static_cast<std::size_t>(edge[1])]);
    });
    if (!keeps) continue;
    MeshData data;
    data.dimension = t.dimension;
    for (const int i : turn)
      data.points.insert(data.points.end(), corners[static_cast<std::size_t>(i)].begin(),
                         corners[static_cast<std::size_t>(i)].end());
    std::vector<Node> nodes(corners.size());
    std::iota(nodes.begin(), nodes.end(), Node{0});
    data.blocks.push_back({shape, nodes, 0});
    if (Mesh(data).notices().size() == 1) found.push_back(turn);  // "names no region", and was not turned over
  } while (std::ranges::next_permutation(turn).found);
  return found;
}

TEST(LowerOrder, HexahedraShareAFaceWhicheverWayTheyAreTurned) {
  const auto turns = rotations(hex8);
  EXPECT_EQ(turns.size(), 24u);
  expect_shared_facet(hex8, {2, 0, 0}, turns);
}

TEST(LowerOrder, PrismsShareAFaceWhicheverWayTheyAreTurned) {
  const auto turns = rotations(prism6);
  EXPECT_EQ(turns.size(), 6u);
  expect_shared_facet(prism6, {0, 0, 2}, turns);
}

TEST(LowerOrder, QuadrilateralsShareAnEdgeWhicheverWayTheyAreTurned) {
  const auto turns = rotations(quad4);
  EXPECT_EQ(turns.size(), 4u);
  expect_shared_facet(quad4, {2, 0, 0}, turns);
}

TEST(LowerOrder, ListsOfNodesStayTrue) {
  HighOrderMesh mesh;
  mesh.add(quad4, 3, bent);
  MeshData data;
  data.dimension = 2;
  Region south{"south", RegionKind::nodes, {}, {}, {}};
  for (std::size_t node = 0; node < mesh.points.size() / 3; ++node)  // of the file
    for (const double a : {-1.0, -1.0 / 3, 1.0 / 3, 1.0})
      if (std::abs(mesh.points[3 * node] - bent({a, -1, 0})[0]) < 1e-9) south.nodes.push_back(static_cast<Node>(node));
  ASSERT_EQ(south.nodes.size(), 4u);
  south.nodes.push_back(99);  // not there, which Mesh is to find
  const std::vector<std::uint8_t> unneeded = mesh.lower();
  data.points = mesh.points;
  data.blocks.push_back({quad9, {mesh.nodes(quad4).begin(), mesh.nodes(quad4).end()}, 0});
  data.regions.push_back(south);
  drop_points(data, unneeded);
  EXPECT_EQ(data.points.size() / 3, 9u);
  ASSERT_EQ(data.regions[0].nodes.size(), 4u) << "two corners, the node between them, and the one that is not there";
  EXPECT_EQ(data.regions[0].nodes.back(), 99);
  data.regions[0].nodes.pop_back();
  for (const Node node : data.regions[0].nodes) {
    const bool is_south =
        node == data.blocks[0].nodes[0] || node == data.blocks[0].nodes[1] || node == data.blocks[0].nodes[4];
    EXPECT_TRUE(is_south) << node;
  }
}

std::string message_for(HighOrderMesh mesh) {
  try {
    mesh.lower();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::mesh);
    return error.what();
  }
  return {};
}

TEST(LowerOrder, CellsThatPutASharedNodeElsewhereAreRefused) {
  HighOrderMesh mesh;
  const Map map = [](const Point& x) {
    return Point{x[0] + 0.2 * x[1] * (1 - x[1]) * (1 + x[1]) * (1 + x[0]), x[1] + 0.1 * x[0], 0};
  };
  mesh.add(quad4, 3, map);
  mesh.add(quad4, 3, [&](const Point& x) { return map({2 - x[0], -x[1], 0}); });  // turned by half
  EXPECT_EQ(message_for(mesh), "") << "they share an edge that is not symmetric";
  std::vector<Node>& nodes = mesh.cells[static_cast<std::size_t>(quad9)];
  std::swap(nodes[6], nodes[12]);  // one on the edge at x = 1 and one inside, as the first cell sees them
  EXPECT_THAT(message_for(mesh), HasSubstr("do not fit each other"));
}

TEST(LowerOrder, ACellThatHasANodeBetweenTheCornersOfAnotherIsRefused) {
  HighOrderMesh mesh;
  mesh.add(quad4, 3, bent);
  const std::vector<Node> high = mesh.cells[static_cast<std::size_t>(quad9)];
  mesh.cells[static_cast<std::size_t>(tri3)] = {high[1], high[6], high[2]};
  EXPECT_THAT(message_for(mesh), HasSubstr("do not fit each other"));
  mesh.cells[static_cast<std::size_t>(tri3)] = {high[1], high[2], high[3]};
  EXPECT_EQ(message_for(mesh), "") << "corners may be shared";
}

}  // namespace
}  // namespace ritz::test
