#include "solvers/direct/nested_dissection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace ritz::testing {
namespace {

struct Grid {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> points;
  BlockGraph graph() const { return {offsets, columns}; }
};

// nx x ny points, each coupled to its 8 neighbours.
Grid plane_grid(int nx, int ny) {
  Grid g;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      for (int Y = std::max(0, y - 1); Y <= std::min(ny - 1, y + 1); ++Y)
        for (int X = std::max(0, x - 1); X <= std::min(nx - 1, x + 1); ++X) g.columns.push_back(Y * nx + X);
      g.offsets.push_back(static_cast<Index>(g.columns.size()));
      g.points.insert(g.points.end(), {double(x), double(y)});
    }
  return g;
}

void expect_permutation(std::vector<std::int32_t> order, std::size_t size) {
  ASSERT_EQ(order.size(), size);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(order[i], static_cast<std::int32_t>(i));
}

TEST(NestedDissection, OrdersEveryNodeOnce) {
  for (const auto& [nx, ny] : {std::pair{1, 1}, {1, 50}, {7, 7}, {33, 20}}) {
    const Grid g = plane_grid(nx, ny);
    expect_permutation(nested_dissection(g.graph(), g.points, 2), static_cast<std::size_t>(nx * ny));
  }
  EXPECT_TRUE(nested_dissection({}, {}, 3).empty());
}

// A grid twice as wide as high falls into two halves joined by one column: the last `ny` nodes in the order.
TEST(NestedDissection, TheLastNodesAreASmallestSeparator) {
  const int nx = 41, ny = 20;
  const Grid g = plane_grid(nx, ny);
  const std::vector<std::int32_t> order = nested_dissection(g.graph(), g.points, 2);
  const int x = order.back() % nx;
  for (int k = 1; k <= ny; ++k) EXPECT_EQ(order[order.size() - static_cast<std::size_t>(k)] % nx, x);
  EXPECT_NEAR(x, nx / 2, 1);
}

TEST(NestedDissection, NodesInOnePlaceAndNodesWithoutEdgesAreOrderedToo) {
  Grid g = plane_grid(12, 12);
  std::fill(g.points.begin(), g.points.end(), 1.0);
  expect_permutation(nested_dissection(g.graph(), g.points, 2), 144);
  const std::vector<Index> none(101, 0);
  const std::vector<double> line(100, 0.5);
  expect_permutation(nested_dissection({none, {}}, line, 1), 100);
}

TEST(NestedDissection, AFullGraphHasNoSeparator) {
  Grid g;
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 60; ++j) g.columns.push_back(j);
    g.offsets.push_back(static_cast<Index>(g.columns.size()));
    g.points.push_back(i);
  }
  expect_permutation(nested_dissection(g.graph(), g.points, 1), 60);
}

}  // namespace
}  // namespace ritz::testing
