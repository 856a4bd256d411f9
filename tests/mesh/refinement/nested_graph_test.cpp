// The refinement found in the edges of triangles and tetrahedra is the one that was made.
#include "mesh/generators.hpp"
#include "mesh/refinement/nested_graph.hpp"
#include "mesh/refinement/refine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace ritz {
namespace {

NodeNeighbours graph_of(const Mesh& mesh) {
  std::vector<std::set<Node>> around(static_cast<std::size_t>(mesh.node_count()));
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const Node a : mesh.nodes_of(cell))
      for (const Node b : mesh.nodes_of(cell))
        around[static_cast<std::size_t>(a)].insert(b);  // itself, too, as patterns have it
  NodeNeighbours graph{{0}, {}};
  for (const auto& set : around) {
    graph.neighbours.insert(graph.neighbours.end(), set.begin(), set.end());
    graph.offsets.push_back(static_cast<Index>(graph.neighbours.size()));
  }
  return graph;
}

std::optional<NestedGraph> coarser(const Mesh& mesh) {
  const NodeNeighbours graph = graph_of(mesh);
  return coarser_graph(graph.offsets, graph.neighbours, mesh.points(), 3);
}

Mesh renumbered(const Mesh& mesh) {
  MeshData data{.dimension = mesh.dimension()};
  std::vector<Node> to(static_cast<std::size_t>(mesh.node_count()));
  std::iota(to.begin(), to.end(), 0);
  std::ranges::shuffle(to, std::mt19937(3));
  data.points.resize(mesh.points().size());
  for (std::size_t node = 0; node < to.size(); ++node)
    std::copy_n(mesh.points().begin() + static_cast<std::ptrdiff_t>(3 * node), 3,
                data.points.begin() + 3 * static_cast<std::ptrdiff_t>(to[node]));
  for (CellBlock block : mesh.blocks()) {
    for (Node& node : block.nodes) node = to[static_cast<std::size_t>(node)];
    data.blocks.push_back(std::move(block));
  }
  return Mesh(std::move(data));
}

TEST(NestedGraph, UndoesARefinement) {
  for (const Mesh& coarse : {box(3, 2, 5, {1, 1, 1}, CellKind::tet4, {.smooth = 0.1}),
                             rectangle(3, 5, {1, 2}, CellKind::tri3, {.smooth = 0.1})}) {
    const Mesh fine = renumbered(refine(coarse));
    const auto nested = coarser(fine);
    ASSERT_TRUE(nested.has_value());
    EXPECT_EQ(nested->graph.node_count(), coarse.node_count());
    EXPECT_EQ(nested->graph.neighbours.size() + static_cast<std::size_t>(coarse.node_count()),
              graph_of(coarse).neighbours.size());
    EXPECT_TRUE(std::ranges::is_sorted(nested->same));
    for (Node node = 0; node < fine.node_count(); ++node) {
      const auto first = static_cast<std::size_t>(nested->first[static_cast<std::size_t>(node)]),
                 last = static_cast<std::size_t>(nested->first[static_cast<std::size_t>(node) + 1]);
      for (std::size_t d = 0; d < 3; ++d) {
        double mean = 0;
        for (std::size_t k = first; k < last; ++k)
          mean += fine.point(nested->same[static_cast<std::size_t>(nested->parents[k])])[d] / double(last - first);
        EXPECT_NEAR(mean, fine.point(node)[d], 1e-14);
      }
    }
  }
}

TEST(NestedGraph, IsFoundAgainUntilTheFirstMesh) {
  const Mesh first = box(3, 1, 1, {3, 1, 1}, CellKind::tet4, {.smooth = 0.05});
  auto level = coarser(refine(refine(refine(first))));
  for (int times = 1; times < 3; ++times) {
    ASSERT_TRUE(level.has_value());
    level = coarser_graph(level->graph.offsets, level->graph.neighbours, level->places, 3);
  }
  ASSERT_TRUE(level.has_value());
  EXPECT_EQ(level->graph.node_count(), first.node_count());
  EXPECT_FALSE(coarser_graph(level->graph.offsets, level->graph.neighbours, level->places, 3).has_value());
}

// Two bodies that do not touch, each with a coarser mesh of its own.
TEST(NestedGraph, OfSeparateBodiesIsFoundInEach) {
  const Mesh one = refine(box(2, 1, 1, {2, 1, 1}, CellKind::tet4)),
             other = refine(box(1, 3, 1, {1, 3, 1}, CellKind::tet4));
  MeshData both{.dimension = 3};
  both.points.assign(one.points().begin(), one.points().end());
  for (std::size_t i = 0; i < other.points().size(); ++i)
    both.points.push_back(other.points()[i] + (i % 3 == 0 ? 10 : 0));
  both.blocks.assign(one.blocks().begin(), one.blocks().end());
  for (const Node node : other.blocks()[0].nodes)
    both.blocks[0].nodes.push_back(node + static_cast<Node>(one.node_count()));
  const auto nested = coarser(Mesh(std::move(both)));
  ASSERT_TRUE(nested.has_value());
  EXPECT_EQ(nested->graph.node_count(), 3 * 2 * 2 + 2 * 4 * 2);
}

TEST(NestedGraph, IsNothingWhereAMeshIsNoRefinement) {
  EXPECT_FALSE(coarser(box(3, 3, 3, {1, 1, 1}, CellKind::tet4)).has_value());
  EXPECT_FALSE(coarser(box(4, 4, 5, {1, 1, 1}, CellKind::tet4)).has_value());
  EXPECT_FALSE(coarser(rectangle(5, 4, {1, 1}, CellKind::tri3)).has_value());
  EXPECT_FALSE(coarser_graph(std::vector<Index>{0}, {}, {}, 3).has_value());
  // A refined triangle with a diagonal the other way: a corner has the middle of the side beyond it as its neighbour.
  MeshData turned{.dimension = 2, .points = {0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, .blocks = {}};
  turned.blocks.push_back({CellKind::tri3, {0, 3, 4, 0, 4, 5, 3, 1, 4, 5, 4, 2}});
  EXPECT_FALSE(coarser(Mesh(std::move(turned))).has_value());
  // A node that is moved by a third of an edge is no middle.
  MeshData data = refine(box_data(2, 2, 2, {1, 1, 1}, CellKind::tet4));
  EXPECT_TRUE(coarser(Mesh(data)).has_value());
  for (std::size_t node = 0; node < data.points.size() / 3; ++node)
    if (data.points[3 * node] == 0.25 && data.points[3 * node + 1] == 0.5 && data.points[3 * node + 2] == 0.5)
      data.points[3 * node] = 0.41;
  EXPECT_FALSE(coarser(Mesh(std::move(data))).has_value());
}

}  // namespace
}  // namespace ritz
