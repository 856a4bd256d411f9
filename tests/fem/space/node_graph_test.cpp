// The sparsity pattern against its definition: nodes that share a cell.
#include "fem/space/node_graph.hpp"

#include "device/pack.hpp"
#include "fem/physics/tie.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <algorithm>

namespace ritz::test {
namespace {

// Every node of a cell, and those that it follows, with every other.
struct Graph {
  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;
};

Graph graph_by_definition(const FunctionSpace& space) {
  std::vector<std::vector<Node>> rows(static_cast<std::size_t>(space.node_count()));
  std::vector<Node> nodes;
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    space.nodes_of(cell, nodes);
    if (space.couplings() != nullptr)
      for (std::size_t a = 0, own = nodes.size(); a < own; ++a) {
        const auto followed = space.couplings()->followed_by(nodes[a]);
        nodes.insert(nodes.end(), followed.begin(), followed.end());
      }
    for (const Node row : nodes) {
      std::vector<Node>& list = rows[static_cast<std::size_t>(row)];
      list.insert(list.end(), nodes.begin(), nodes.end());
    }
  }
  Graph graph;
  graph.offsets.push_back(0);
  for (std::vector<Node>& row : rows) {
    std::ranges::sort(row);
    const auto end = std::ranges::unique(row).begin();
    graph.columns.insert(graph.columns.end(), row.begin(), end);
    graph.offsets.push_back(std::ssize(graph.columns));
  }
  return graph;
}

// The nodes of all cells as kernels read them; the last batch repeats its last cell.
std::vector<Node> laid_out(const FunctionSpace& space) {
  FunctionSpace::CellNodes nodes_of(space);
  const std::span<const Index> cells = space.cell_order();
  const std::size_t width = nodes_of(cells[0]).size(), lanes = lane_count, batches = (cells.size() + lanes - 1) / lanes;
  std::vector<Node> result(batches * width * lanes);
  for (std::size_t place = 0; place < batches * lanes; ++place) {
    const std::span<const Node> nodes = nodes_of(cells[std::min(place, cells.size() - 1)]);
    for (std::size_t a = 0; a < width; ++a) result[(place / lanes * width + a) * lanes + place % lanes] = nodes[a];
  }
  return result;
}

void expect_as_defined(const FunctionSpace& space, std::span<const Node> cell_nodes = {}) {
  const Graph expected = graph_by_definition(space);
  NodeGraph graph(space, cell_nodes);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(graph.pair_count()));
  graph.write_columns(columns);
  EXPECT_EQ(graph.offsets(), expected.offsets);
  EXPECT_EQ(columns, expected.columns);
  EXPECT_TRUE(graph.has_full_diagonal());
}

TEST(NodeGraph, JoinsNodesOfACellWhateverTheThreads) {
  for (const int threads : {1, 2, 7}) {
    const Device device = Device::named("cpu", threads);
    for (const CellKind kind : {CellKind::tet4, CellKind::tet10, CellKind::hex8, CellKind::hex27}) {
      const Mesh mesh = box(9, 8, 7, {1, 1, 1}, kind);
      expect_as_defined(FunctionSpace(mesh, 1, device));
    }
    for (const CellKind kind : {CellKind::tri3, CellKind::quad4}) {
      const Mesh mesh = rectangle(41, 33, {1, 1}, kind);
      expect_as_defined(FunctionSpace(mesh, 1, device));
    }
    const Mesh mixed = box_mixed(8, 2, 2, {4, 1, 1});
    expect_as_defined(FunctionSpace(mixed, 2, device));
    expect_as_defined(FunctionSpace(mixed, 1, device, {.order = 3}));
  }
}

TEST(NodeGraph, ReadsNodesThatKernelsReadAsThoseOfTheMesh) {
  const Device device = Device::named("cpu", 2);
  for (const CellKind kind : {CellKind::tet4, CellKind::tet10}) {
    const Mesh mesh = box(5, 6, 7, {1, 1, 1}, kind);
    for (const int order : {0, 3}) {
      const FunctionSpace space(mesh, 1, device, {.order = order});
      expect_as_defined(space, laid_out(space));
    }
  }
}

// More columns at a block of rows than are held for all of its rows at once.
TEST(NodeGraph, ListsRowsOfHighOrder) {
  const Mesh mesh = box(3, 3, 3, {1, 1, 1}, CellKind::hex8);
  expect_as_defined(FunctionSpace(mesh, 1, Device::named("cpu", 2), {.order = 7}));
}

TEST(NodeGraph, JoinsNodesThatFollowOthers) {
  const Mesh mesh = two_parts({CellKind::hex8, CellKind::tet4});
  const FunctionSpace space(mesh, 3, Device::named("cpu", 2));
  Constraints tied(space);
  tied.relate(tie(space, mesh.region("low_top"), mesh.region("up_bottom")).equations);
  tied.finish();
  ASSERT_NE(space.couplings(), nullptr);
  expect_as_defined(space);
}

}  // namespace
}  // namespace ritz::test
