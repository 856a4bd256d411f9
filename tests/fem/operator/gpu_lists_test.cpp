// The lists that a GPU makes are those of the host, to the last entry, so that sums keep their bits; and hardly a
// number of them crosses.
#include "fem/launch/list_kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/gpu_lists.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/task_plans.hpp"
#include "fem/operator/operator_needs.hpp"
#include "tests/fem/on_a_gpu.hpp"

#include <algorithm>

namespace ritz::test {
namespace {

struct GpuLists : OnAGpu {};

// The arrays of a plan on the host.
struct Lists {
  std::vector<Index> chunk_runs, chunk_slots, chunk_sources;
  std::vector<std::uint32_t> runs, destinations, shared_items, shared_begin, untouched;
  std::vector<std::uint16_t> sources;
};

template <class T, class U = T>
std::vector<U> download(const Device& device, const T* from, Index count) {
  std::vector<U> values(static_cast<std::size_t>(count) * sizeof(T) / sizeof(U));
  if (count > 0) device.machine().copy_to_host(values.data(), from, count * Index{sizeof(T)});
  return values;
}

Lists lists_of(const Device& device, const ScatterPlan& plan) {
  const ScatterView v = plan.view();
  const ScatterSizes n = plan.sizes();
  return {download(device, v.chunk_runs, n.chunks + 1),    download(device, v.chunk_slots, n.chunks + 1),
          download(device, v.chunk_sources, n.chunks + 1), download<ScatterRun, std::uint32_t>(device, v.runs, n.runs),
          download(device, v.destinations, n.slots),       download(device, v.shared_items, n.shared),
          download(device, v.shared_begin, n.shared + 1),  download(device, v.untouched, n.untouched),
          download(device, v.sources, n.sources)};
}

ScatterPlan plan_of_host(const FunctionSpace& space, const std::vector<const ElementGroup*>& groups,
                         const std::vector<Index>& chunk_batches, bool matrix) {
  std::vector<Index> first{0};
  for (std::size_t g = 0; g < groups.size(); ++g)
    first.push_back(first.back() + (groups[g]->batch_count() + chunk_batches[g] - 1) / chunk_batches[g]);
  const Index items = matrix ? space.pattern()->nonzeros() : space.node_count();
  std::optional<FunctionSpace::HostPattern> pattern;
  if (matrix) pattern = space.host_pattern();
  return ScatterPlan(space.device(), items, first.back(), [&](Index chunk, ChunkSlots& out) {
    const auto g = static_cast<std::size_t>(std::ranges::upper_bound(first, chunk) - first.begin() - 1);
    const Index size = chunk_batches[g] * lane_count, begin = (chunk - first[g]) * size,
                end = std::min(begin + size, groups[g]->element_count);
    ChunkLister lister(space.node_count());
    if (matrix) lister.list_pairs(*groups[g], *pattern, begin, end, out);
    else lister.list_nodes(*groups[g], begin, end, out);
  });
}

void expect_as_on_the_host(const FunctionSpace& space, const std::vector<const ElementGroup*>& groups,
                           const std::vector<Index>& chunk_batches, Index together) {
  for (const bool matrix : {false, true}) {
    SCOPED_TRACE(matrix ? "matrix" : "vector");
    auto made = lists_of_gpu(space, groups, chunk_batches, matrix ? space.pattern().get() : nullptr, together);
    ASSERT_TRUE(made);
    const ScatterPlan plan(std::move(*made)), expected = plan_of_host(space, groups, chunk_batches, matrix);
    const Lists a = lists_of(space.device(), plan), b = lists_of(space.device(), expected);
    EXPECT_EQ(plan.extension_items(), expected.extension_items());
    EXPECT_EQ(a.chunk_sources, b.chunk_sources);
    EXPECT_EQ(a.chunk_slots, b.chunk_slots);
    EXPECT_EQ(a.chunk_runs, b.chunk_runs);
    EXPECT_TRUE(a.runs == b.runs);
    EXPECT_TRUE(a.destinations == b.destinations);
    EXPECT_TRUE(a.sources == b.sources);
    EXPECT_TRUE(a.shared_items == b.shared_items);
    EXPECT_TRUE(a.shared_begin == b.shared_begin);
    EXPECT_TRUE(a.untouched == b.untouched);
  }
}

std::vector<const ElementGroup*> all_of(const std::vector<ElementGroup>& groups) {
  std::vector<const ElementGroup*> all;
  for (const ElementGroup& group : groups) all.push_back(&group);
  return all;
}

// The last chunk has fewer batches, its last batch fewer elements. Chunks are sorted one by one, and all at a time.
TEST_F(GpuLists, OfEveryCellAreThoseOfTheHost) {
  for (const CellKind kind : cell_kinds()) {
    SCOPED_TRACE(traits(kind).name);
    const Mesh mesh = patch(kind, {.count = 3});
    const FunctionSpace space(mesh, 1, gpu);
    const Operator equations(space, {Integral::over_all_cells(heat_form(traits(kind).dimension))});
    const auto groups = all_of(equations.terms().groups());
    ASSERT_EQ(groups.size(), 1u);
    const Index batches = std::min<Index>(3, 65536 / (groups[0]->node_count() * groups[0]->node_count() * lane_count));
    expect_as_on_the_host(space, groups, {batches}, 1);
    expect_as_on_the_host(space, groups, {1}, listed_entries);
  }
}

// Cells and facets, of which some items of the target have nothing.
TEST_F(GpuLists, OfSeveralGroupsAreThoseOfTheHost) {
  const Mesh mesh = box_mixed(8, 2, 2, {4, 1, 1});
  const FunctionSpace space(mesh, 1, gpu, {.order = 2});
  std::vector<Index> cells;
  for (Index cell = 0; cell < mesh.cell_count(); cell += 3) cells.push_back(cell);
  Integral some = Integral::over_all_cells(heat_form(3));
  some.everywhere = false;
  some.cells = cells;
  const Operator equations(space, {some, Integral::over(facet_load(3, std::array{0.8}), mesh.region("x0"))});
  const auto groups = all_of(equations.terms().groups());
  ASSERT_GT(groups.size(), 2u);
  for (const Index together : {Index{1000}, listed_entries})
    expect_as_on_the_host(space, groups, std::vector<Index>(groups.size(), 2), together);
}

// The lists themselves would have room, not what sorts them.
TEST_F(GpuLists, AreMadeOnTheHostWhereTheGpuHasNoMemoryForThem) {
  const Mesh mesh = box(8, 8, 8, {1, 1, 1}, CellKind::tet4);
  const FunctionSpace space(mesh, 1, gpu);
  const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
  const auto groups = all_of(equations.terms().groups());
  const std::vector<Index> chunk_batches{16};
  const ScatterPlan lists = plan_of_host(space, groups, chunk_batches, true);
  const ScatterSizes sizes = lists.sizes();
  const Index room = 2 * ScatterPlan::memory_needs(sizes).total();
  ASSERT_GT(list_scratch(space.pattern()->nonzeros(), sizes.sources, sizes.slots, sizes.extension), room);
  gpu.memory().trim();
  const Index before = gpu.memory().statistics().live;
  gpu.memory().set_limit(before + room);
  EXPECT_FALSE(lists_of_gpu(space, groups, chunk_batches, space.pattern().get()));
  gpu.memory().set_limit(0);
  EXPECT_EQ(gpu.memory().statistics().live, before);
}

// The first call of a task takes its lists, its buffers and what makes the lists.
TEST_F(GpuLists, TakeTheForeseenMemoryWhileTheyAreMade) {
  const Mesh mesh = box(12, 12, 12, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 1, gpu);
  const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
  const Vector u = space.zeros();
  Vector r = space.zeros();
  SparseMatrix K = equations.make_matrix();
  using Task = Operator::Task;
  const auto expect_peak = [&](Task task, Index pairs, auto call) {
    const Index making = OperatorNeeds(equations).making_lists({task}, pairs);
    const Index foreseen = OperatorNeeds(equations).of(task, pairs).total() + making;
    EXPECT_GT(making, foreseen / 3);
    gpu.memory().trim();
    gpu.memory().reset_peak();
    const Index before = gpu.memory().statistics().live;
    call();
    const Index taken = gpu.memory().statistics().peak - before;
    EXPECT_GE(taken, foreseen / 2);
    EXPECT_LE(taken, foreseen);
  };
  expect_peak(Task::matrix, K.pattern().nonzeros(), [&] { equations.assemble(u, K); });
  expect_peak(Task::residual, 0, [&] { equations.residual(u, r); });
}

// A pattern, a matrix and a residual: tables of groups and chunks go up, and numbers of slots, items and runs come
// back. The largest mesh has a matrix of a megabyte.
TEST_F(GpuLists, OfAnOperatorMoveNothingOfTheSizeOfTheMatrix) {
  for (const Index count : {6, 12}) {
    const Mesh mesh = box(count, count, count, {1, 1, 1}, CellKind::tet4);
    const FunctionSpace space(mesh, 1, gpu);
    const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
    const Vector u = space.zeros();
    Vector r = space.zeros();
    const Traffic before = gpu.machine().traffic();
    SparseMatrix K = equations.make_matrix();
    equations.assemble(u, K);
    equations.residual(u, r);
    const Traffic after = gpu.machine().traffic();
    const Index chunks = 2 * (511 + 1);  // fewer than twice the 256 that keep a GPU at work, and 8 bytes of each
    EXPECT_LE(after.to_host - before.to_host, 512);
    EXPECT_LE(after.to_device - before.to_device, 8 * chunks + 512);
    EXPECT_LE(after.kernels - before.kernels, 80);
    equations.plans().forget_assembly();
    EXPECT_EQ(space.device().memory().statistics().live_by_tag.at("pattern"), bytes_of(K.pattern()));
  }
}

}  // namespace
}  // namespace ritz::test
