// Nodes and pairs that Euler's formula counts are those that the pattern holds.
#include "fem/space/pattern_size.hpp"

#include "tests/fem/cells_under_test.hpp"
#include "fem/space/node_graph.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/physics/tie.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/physics/two_parts.hpp"

namespace ritz::test {
namespace {

void expect_exact(const Mesh& mesh, int order) {
  const FunctionSpace space(mesh, 1, Device::named("cpu", 1), {.order = order});
  const PatternSize size = pattern_size(entity_counts(mesh), order);
  EXPECT_EQ(size.nodes, space.node_count()) << "order " << order;
  EXPECT_EQ(size.pairs, NodeGraph(space).pair_count()) << "order " << order;
}

class PatternSizeOn : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, PatternSizeOn, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(PatternSizeOn, IsExactForEveryOrder) {
  const CellKind kind = GetParam();
  const Mesh mesh = traits(kind).dimension == 3 ? box(3, 2, 2, {3, 2, 2}, kind) : rectangle(4, 3, {4, 3}, kind);
  for (int order = 0; order <= std::min(4, highest_lagrange_order(traits(kind).linear)); ++order)
    expect_exact(mesh, order);
}

// Counted around each node where there are few, around some of them where there are many.
TEST(PatternSize, OfASpaceIsThatOfItsPattern) {
  const Device device = Device::named("cpu", 2);
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8})
    for (const auto& [n, tolerance] : {std::pair{8, 0.0}, {32, 0.01}}) {
      const Mesh mesh = box(n, n, n, {1, 1, 1}, kind);
      const FunctionSpace space(mesh, 1, device);
      const Index counted = pairs_of_nodes(space), held = NodeGraph(space).pair_count();
      EXPECT_LE(std::abs(double(counted - held)), tolerance * double(held)) << counted << " of " << held;
      space.pattern();
      EXPECT_EQ(pairs_of_nodes(space), held);
    }
}

TEST(PatternSize, HasWhatEquationsJoin) {
  const Mesh mesh = two_parts({CellKind::hex8, CellKind::tet4});
  const FunctionSpace space(mesh, 3, Device::named("cpu", 2));
  const Index alone = NodeGraph(space).pair_count();
  Constraints tied(space);
  tied.relate(tie(space, mesh.region("low_top"), mesh.region("up_bottom")).equations);
  tied.finish();
  const Index joined = NodeGraph(space).pair_count();
  EXPECT_GT(joined, alone);
  EXPECT_EQ(pairs_of_nodes(space), joined);
}

TEST(PatternSize, IsExactOnMixedCells) {
  for (const int order : {0, 1, 2, 3}) expect_exact(box_mixed(8, 2, 2, {4, 1, 1}), order);
  expect_exact(box_mixed(8, 2, 2, {4, 1, 1}, 2), 0);
  expect_exact(box_mixed(8, 2, 2, {4, 1, 1}, 2, MidNodes::serendipity), 0);
}

// A box without the cells whose centre `inside` holds.
Mesh carved(Index n, CellKind kind, const std::function<bool(const Point&)>& inside) {
  MeshData data = box_data(n, n, n, {1, 1, 1}, kind);
  CellBlock& block = data.blocks.front();
  const auto width = static_cast<std::size_t>(traits(kind).node_count);
  std::vector<Node> kept;
  for (std::size_t first = 0; first < block.nodes.size(); first += width) {
    Point centre{};
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        centre[d] += data.points[3 * static_cast<std::size_t>(block.nodes[first + i]) + d] / double(width);
    if (!inside(centre))
      kept.insert(kept.end(), block.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                  block.nodes.begin() + static_cast<std::ptrdiff_t>(first + width));
  }
  block.nodes = std::move(kept);
  data.regions.clear();
  return Mesh(std::move(data));
}

TEST(PatternSize, IsExactWithTunnelsVoidsAndSeveralBodies) {
  const auto in = [](double x) { return x > 0.4 && x < 0.6; };
  const auto tunnel = [&](const Point& x) { return in(x[0]) && in(x[1]); };
  const auto two_tunnels = [&](const Point& x) { return (in(x[0]) && in(x[1])) || (in(x[0]) && in(x[2])); };
  const auto cavity = [&](const Point& x) { return in(x[0]) && in(x[1]) && in(x[2]); };
  const auto two_bodies = [&](const Point& x) { return in(x[2]); };
  for (const CellKind kind : {CellKind::hex8, CellKind::tet4, CellKind::tet10, CellKind::hex20, CellKind::prism6})
    for (const std::function<bool(const Point&)>& inside :
         std::vector<std::function<bool(const Point&)>>{tunnel, two_tunnels, cavity, two_bodies})
      expect_exact(carved(5, kind, inside), 0);
}

TEST(EntityCounts, TypicalCountsAreThoseOfLargeBoxes) {
  const auto near = [](Index a, Index b, double relative) { EXPECT_NEAR(double(a), double(b), relative * double(b)); };
  for (const CellKind kind :
       {CellKind::hex8, CellKind::hex20, CellKind::prism6, CellKind::tet4, CellKind::tet10, CellKind::pyramid5}) {
    const EntityCounts seen = entity_counts(box(24, 24, 24, {1, 1, 1}, kind)),
                       typical = typical_counts(kind, seen.vertices);
    near(typical.edges, seen.edges, 0.15);
    near(pattern_size(typical, 0).pairs, pattern_size(seen, 0).pairs, 0.2);
  }
}

}  // namespace
}  // namespace ritz::test
