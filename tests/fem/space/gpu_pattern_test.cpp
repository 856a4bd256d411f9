// The pattern that a GPU makes is that of the host, to the last entry, and hardly a number of it crosses.
#include "fem/operator/operator.hpp"
#include "fem/physics/tie.hpp"
#include "fem/space/constraints.hpp"
#include "fem/space/gpu_pattern.hpp"
#include "fem/space/node_graph.hpp"
#include "tests/fem/on_a_gpu.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <cmath>
#include <numbers>

namespace ritz::test {
namespace {

struct GpuPattern : OnAGpu {};

void expect_as_on_the_host(const FunctionSpace& space) {
  const SparsityPattern& made = *space.pattern();
  NodeGraph graph(space);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(graph.pair_count()));
  graph.write_columns(columns);
  EXPECT_TRUE(made.offsets().host() == graph.offsets());
  EXPECT_TRUE(made.columns().host() == columns);
  EXPECT_EQ(made.has_full_diagonal(), graph.has_full_diagonal());
}

TEST_F(GpuPattern, OfEveryCellIsThatOfTheHost) {
  for (const CellKind kind : cell_kinds()) {
    SCOPED_TRACE(traits(kind).name);
    const Mesh mesh = patch(kind, {.count = 2});
    expect_as_on_the_host(FunctionSpace(mesh, 1, gpu));
    expect_as_on_the_host(FunctionSpace(mesh, 1, gpu, {.order = 3}));
  }
}

TEST_F(GpuPattern, OfMixedMeshesIsThatOfTheHost) {
  const Mesh mesh = box_mixed(6, 2, 2, {4, 1, 1});
  for (const int order : {0, 1, 2, 3}) expect_as_on_the_host(FunctionSpace(mesh, 2, gpu, {.order = order}));
}

// 8 cells of 216 nodes around a corner: more than a warp holds.
TEST_F(GpuPattern, OfRowsForAWholeBlockIsThatOfTheHost) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  expect_as_on_the_host(FunctionSpace(mesh, 1, gpu, {.order = 5}));
}

// Triangles around a node: with 15 nodes each, of order 4, they are more than a block holds.
Mesh fan(Index count) {
  MeshData data{.dimension = 2, .points = {0, 0, 0}};
  CellBlock block{.kind = CellKind::tri3};
  const auto last = static_cast<Node>(count);
  for (Node n = 1; n <= last; ++n) {
    const double angle = 2 * std::numbers::pi * n / count;
    data.points.insert(data.points.end(), {std::cos(angle), std::sin(angle), 0});
    block.nodes.insert(block.nodes.end(), {0, n, n % last + 1});
  }
  data.blocks.push_back(std::move(block));
  return Mesh(std::move(data));
}

TEST_F(GpuPattern, OfRowsThatNoBlockHoldsIsMadeOnTheHost) {
  for (const bool longer : {false, true}) {
    const Mesh mesh = fan(longer ? 550 : 540);  // 8250 or 8100 nodes of cells, and 8192 are held
    const FunctionSpace space(mesh, 1, gpu, {.order = 4});
    const Index before = gpu.machine().traffic().to_host;
    const Index up = gpu.machine().traffic().to_device;
    const Index columns = space.pattern()->columns().bytes();
    EXPECT_LE(gpu.machine().traffic().to_host - before, 64);
    EXPECT_EQ(gpu.machine().traffic().to_device - up >= columns, longer);
    expect_as_on_the_host(space);
  }
}

// Memory is short for the lists around nodes, and suffices for the pattern.
TEST_F(GpuPattern, IsMadeOnTheHostWhereTheGpuHasNoMemoryForIt) {
  const Mesh mesh = box(8, 8, 8, {1, 1, 1}, CellKind::tet4);
  const FunctionSpace space(mesh, 1, gpu);
  const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
  NodeGraph graph(space);
  const Index pattern = graph.pair_count() * 4 + (space.node_count() + 1) * 8;
  gpu.memory().trim();
  gpu.memory().set_limit(gpu.memory().statistics().live + pattern + 20'000);
  EXPECT_GT(scratch_of_gpu_pattern(space), 40'000);
  const SparsityPattern& made = *space.pattern();
  gpu.memory().set_limit(0);
  EXPECT_EQ(made.nonzeros(), graph.pair_count());
  expect_as_on_the_host(space);
}

TEST_F(GpuPattern, OfNodesThatFollowOthersIsMadeOnTheHost) {
  const Mesh mesh = two_parts({CellKind::hex8, CellKind::tet4});
  const FunctionSpace space(mesh, 3, gpu);
  Constraints tied(space);
  tied.relate(tie(space, mesh.region("low_top"), mesh.region("up_bottom")).equations);
  tied.finish();
  ASSERT_NE(space.couplings(), nullptr);
  expect_as_on_the_host(space);
}

// Two numbers of rows that need another kernel, one of entries, and the table of the groups; whatever the size.
TEST_F(GpuPattern, OfAnOperatorMovesNothingOfTheSizeOfTheMesh) {
  for (const Index count : {6, 12}) {
    const Mesh mesh = box(count, count, count, {1, 1, 1}, CellKind::tet4);
    const FunctionSpace space(mesh, 1, gpu);
    const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
    const Traffic before = gpu.machine().traffic();
    const SparseMatrix K = equations.make_matrix();
    const Traffic after = gpu.machine().traffic();
    EXPECT_LE(after.to_host - before.to_host, 64);
    EXPECT_LE(after.to_device - before.to_device, 64);
    EXPECT_LE(after.kernels - before.kernels, 8);
    EXPECT_EQ(gpu.memory().statistics().live_by_tag.at("pattern"), bytes_of(K.pattern()));
  }
}

}  // namespace
}  // namespace ritz::test
