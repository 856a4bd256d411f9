// The refinement found in a mesh is the one that was made.
#include "mesh/generators.hpp"
#include "mesh/refinement/nested_cells.hpp"
#include "mesh/refinement/refine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace ritz {
namespace {

std::vector<Node> cells_of(const Mesh& mesh) {
  std::vector<Node> cells;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    cells.insert(cells.end(), mesh.nodes_of(cell).begin(), mesh.nodes_of(cell).end());
  return cells;
}

std::optional<NestedCells> coarser(const Mesh& mesh) {
  std::optional<NestedCells> found = coarser_cells(mesh.dimension(), cells_of(mesh), mesh.node_count());
  EXPECT_EQ(has_coarser_cells(mesh.dimension(), cells_of(mesh), mesh.node_count()), found.has_value());
  return found;
}

// Five blocks around a square, as meshes of cylinders have them: nodes with three and with four blocks.
MeshData o_grid() {
  MeshData data = rectangle_data(1, 1, {1, 1}, CellKind::quad4);
  data.regions.clear();
  data.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, -1, -1, 0, 2, -1, 0, 2, 2, 0, -1, 2, 0};
  data.blocks[0].nodes = {0, 1, 2, 3, 4, 5, 1, 0, 5, 6, 2, 1, 6, 7, 3, 2, 7, 4, 0, 3};
  return data;
}

double largest_distance_to_mean_of_parents(const Mesh& mesh, const NestedCells& nested) {
  double largest = 0;
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const auto first = static_cast<std::size_t>(nested.first[static_cast<std::size_t>(node)]),
               last = static_cast<std::size_t>(nested.first[static_cast<std::size_t>(node) + 1]);
    for (std::size_t d = 0; d < 3; ++d) {
      double mean = 0;
      for (std::size_t k = first; k < last; ++k)
        mean += mesh.point(nested.same[static_cast<std::size_t>(nested.parents[k])])[d];
      largest = std::max(largest, std::abs(mean / static_cast<double>(last - first) - mesh.point(node)[d]));
    }
  }
  return largest;
}

TEST(NestedCells, UndoesARefinement) {
  for (const Mesh& coarse : {box(3, 2, 5, {1, 1, 1}, CellKind::hex8, {.smooth = 0.1}),
                             rectangle(3, 4, {1, 2}, CellKind::quad4, {.smooth = 0.1}), Mesh(o_grid())}) {
    const Mesh fine = refine(coarse);
    const auto nested = coarser(fine);
    ASSERT_TRUE(nested.has_value());
    EXPECT_EQ(static_cast<Index>(nested->cells.size()), coarse.cell_count() * traits(coarse.kind_of(0)).corner_count);
    EXPECT_EQ(nested->node_count(), coarse.node_count());
    EXPECT_LT(largest_distance_to_mean_of_parents(fine, *nested), 1e-14);
  }
}

// The coarser cells are cells: they make a mesh, which checks orientation and facets.
TEST(NestedCells, CoarserCellsMakeAMesh) {
  const Mesh fine = refine(box(4, 2, 6, {1, 1, 1}, CellKind::hex8, {.smooth = 0.1}));
  const auto once = coarser(fine);
  ASSERT_TRUE(once.has_value());
  MeshData data;
  for (const Node node : once->same)
    data.points.insert(data.points.end(), fine.point(node).begin(), fine.point(node).end());
  data.blocks.push_back({CellKind::hex8, once->cells});
  const Mesh mesh(std::move(data), {.fix_inverted = false});
  EXPECT_EQ(mesh.cell_count(), 48);
  const auto twice = coarser(mesh);
  ASSERT_TRUE(twice.has_value());
  EXPECT_EQ(twice->cells.size(), 8u * 6);
}

TEST(NestedCells, NumberingDoesNotMatter) {
  const Mesh fine = refine(box(3, 3, 2, {1, 1, 1}, CellKind::hex8));
  std::vector<Node> cells = cells_of(fine), order(static_cast<std::size_t>(fine.node_count()));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  std::ranges::shuffle(order, random);
  for (Node& node : cells) node = order[static_cast<std::size_t>(node)];
  std::vector<std::array<Node, 8>> whole(cells.size() / 8);
  for (std::size_t i = 0; i < cells.size(); ++i) whole[i / 8][i % 8] = cells[i];
  std::ranges::shuffle(whole, random);
  for (auto& cell : whole) {  // turned about zeta: the same cell
    std::rotate(cell.begin(), cell.begin() + 1, cell.begin() + 4);
    std::rotate(cell.begin() + 4, cell.begin() + 5, cell.end());
  }
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = whole[i / 8][i % 8];
  const auto nested = coarser_cells(3, cells, fine.node_count());
  ASSERT_TRUE(nested.has_value());
  EXPECT_EQ(nested->node_count(), 4 * 4 * 3);
}

TEST(NestedCells, BodiesThatDoNotTouchAreRefinedEach) {
  const Mesh fine = refine(box(2, 2, 2, {1, 1, 1}, CellKind::hex8));
  std::vector<Node> cells = cells_of(fine);
  const std::size_t size = cells.size();
  for (std::size_t i = 0; i < size; ++i) cells.push_back(cells[i] + static_cast<Node>(fine.node_count()));
  const auto nested = coarser_cells(3, cells, 2 * fine.node_count());
  ASSERT_TRUE(nested.has_value());
  EXPECT_EQ(nested->node_count(), 54);
}

TEST(NestedCells, WhatIsNoRefinementIsNone) {
  EXPECT_FALSE(coarser(box(3, 4, 4, {1, 1, 1}, CellKind::hex8)).has_value());
  EXPECT_FALSE(coarser(box(1, 1, 8, {1, 1, 1}, CellKind::hex8)).has_value());  // 8 cells, but in a row
  EXPECT_FALSE(coarser(Mesh(o_grid())).has_value());
  EXPECT_FALSE(coarser(rectangle(3, 3, {1, 1}, CellKind::quad4)).has_value());
  std::vector<Node> cells = cells_of(box(4, 4, 4, {1, 1, 1}, CellKind::hex8));
  cells.resize(cells.size() - 64);  // a block is missing that is no coarser cell
  EXPECT_FALSE(coarser_cells(3, cells, 125).has_value());
}

// A node that no cell has takes no part.
TEST(NestedCells, LooseNodesHaveNoParents) {
  const Mesh fine = refine(rectangle(2, 2, {1, 1}, CellKind::quad4));
  const auto nested = coarser_cells(2, cells_of(fine), fine.node_count() + 1);
  ASSERT_TRUE(nested.has_value());
  EXPECT_EQ(nested->first[nested->first.size() - 2], nested->first.back());
}

}  // namespace
}  // namespace ritz
