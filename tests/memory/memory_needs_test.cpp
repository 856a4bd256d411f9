// The forecast agrees with the pool.
#include "fem/operator/evaluate.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/task_plans.hpp"
#include "tests/fem/cells_under_test.hpp"
#include "tests/fem/models.hpp"

#include "fem/analysis/static_forecast.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/operator/material_contrast.hpp"
#include "fem/operator/slab_buffer.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/physics/mesh_field.hpp"
#include "fem/space/pattern_size.hpp"

#include <cmath>

namespace ritz::test {
namespace {

using Task = Operator::Task;

Index of_lists(const MemoryStatistics& s) {
  Index sum = 0;
  for (const char* tag : {"assembly lists", "assembly buffers", "given numbers"})
    if (const auto found = s.live_by_tag.find(tag); found != s.live_by_tag.end()) sum += found->second;
  return sum;
}

void perform(Task task, const Operator& equations) {
  const Vector u = equations.space().zeros();
  Vector r = equations.space().zeros();
  switch (task) {
    case Task::residual: return equations.residual(u, r);
    case Task::action: return equations.action(u, u, r);
    case Task::diagonal: r = equations.diagonal(u); return;
    case Task::evaluate: (void)evaluate(equations, u); return;
    case Task::matrix: {
      SparseMatrix K = equations.make_matrix();
      equations.assemble(u, K);
    }
  }
}

// Foreseen and taken, [bytes], by a task that has run so often that it has lists.
std::pair<Index, Index> lists_of(Task task, const Operator& equations) {
  const MemoryPool& pool = equations.space().device().memory();
  const Index before = of_lists(pool.statistics()), foreseen = OperatorNeeds(equations).of(task).total();
  for (int run = 0; run <= TaskPlans::runs_without_lists; ++run) perform(task, equations);
  return {foreseen, of_lists(pool.statistics()) - before};
}

constexpr Task all_tasks[] = {Task::residual, Task::matrix, Task::action, Task::diagonal, Task::evaluate};

class MemoryNeedsOn : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, MemoryNeedsOn, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(MemoryNeedsOn, ListsOfSmallMeshesAreForeseenExactly) {
  const DiscreteProblem model(patch(kind(), {.random = 0.05}), elastic_form(dimension()));
  for (const Task task : all_tasks) {
    const auto [foreseen, taken] = lists_of(task, model.equations);
    EXPECT_EQ(foreseen, taken) << static_cast<int>(task);
    // the others share those of the residual
    EXPECT_TRUE(taken > 0 || (task != Task::residual && task != Task::matrix));
    EXPECT_EQ(OperatorNeeds(model.equations).of(task).total(), 0);  // they exist already
  }
}

TEST_P(MemoryNeedsOn, CellsThatAreOnlyCountedNeedTheSame) {
  const DiscreteProblem model(patch(kind(), {.random = 0.05}), elastic_form(dimension()));
  const MemoryPool& pool = model.space.device().memory();
  const Index written = pool.statistics().live_by_tag.at("connectivity");
  const Operator counted(model.space, model.equations.integrals(), ElementLists::counted);
  EXPECT_EQ(pool.statistics().live_by_tag.at("connectivity"), 2 * written);
  EXPECT_EQ(OperatorNeeds(counted).host_bytes(), OperatorNeeds(model.equations).host_bytes());
  for (const Task task : all_tasks)
    EXPECT_EQ(OperatorNeeds(counted).of(task).by_tag(), OperatorNeeds(model.equations).of(task).by_tag())
        << static_cast<int>(task);
}

// Element results stay in the second-level cache of an A100 (40 MB), an H200 (50) and an RTX 4090 (72), unless 4096
// elements have more: matrices of hex8 elasticity have 4.6 KB, those of hex20 29 KB.
TEST(SlabBuffer, HoldsAThirdOfTheSecondLevelCacheOrAsManyElementsAsFillACard) {
  constexpr Index MB = 1 << 20, heat_hex8 = 64, elastic_hex8 = 24 * 24, elastic_hex20 = 60 * 60;
  for (const Index cache : {40 * MB, 50 * MB, 72 * MB}) EXPECT_EQ(slab_size(cache, heat_hex8), cache / 3 / 8);
  EXPECT_EQ(slab_size(50 * MB, elastic_hex8), 4096 * elastic_hex8);
  EXPECT_EQ(slab_size(72 * MB, elastic_hex8), 72 * MB / 3 / 8);
  EXPECT_EQ(slab_size(50 * MB, elastic_hex20), 64 * MB / 8);
  EXPECT_EQ(slab_size(0, heat_hex8), slab_size(50 * MB, heat_hex8)) << "of a GPU that is not here";
}

TEST(SlabBuffer, ShrinksToOneChunkWhereMemoryIsShortAndSaysSo) {
  const Device device = Device::named("fake");
  std::vector<std::string> steps;
  EXPECT_EQ(slab_buffer(device, 100'000, 1000, steps).size(), 100'000);
  EXPECT_TRUE(steps.empty());
  device.memory().trim();
  device.memory().set_limit(100'000);
  EXPECT_EQ(slab_buffer(device, 100'000, 1000, steps).size(), 1000);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NE(steps[0].find("0.0 MB instead of 0.8 MB (out of memory"), std::string::npos) << steps[0];
  EXPECT_THROW(slab_buffer(device, 100'000, 50'000, steps), Error);
  EXPECT_EQ(steps.size(), 1u) << "nothing was done";
}

TEST(MemoryNeeds, SpacesBesideEachOtherShareTheGeometry) {
  const Mesh mesh = box(3, 3, 3, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace fine(mesh, 3, Device::named("cpu", 1), {.order = 4});
  const Index before = fine.device().memory().live();
  const FunctionSpace coarse(mesh, 3, fine.device(), {.beside = fine});
  EXPECT_EQ(fine.device().memory().live(), before);
  EXPECT_EQ(&coarse.coordinates(), &fine.geometry_coordinates());
}

TEST(MemoryNeeds, TasksOverTheSameCellsShareTheirLists) {
  const DiscreteProblem model(patch(CellKind::hex8), heat_form(3));
  const auto lists = [&](const std::vector<Task>& tasks) {
    return OperatorNeeds(model.equations).of(tasks).by_tag().at("assembly lists");
  };
  const Index of_one = lists({Task::residual});
  EXPECT_EQ(lists({Task::residual, Task::diagonal, Task::action}), of_one);
  EXPECT_GT(lists({Task::residual, Task::matrix}), of_one);
  perform(Task::action, model.equations);
  EXPECT_FALSE(OperatorNeeds(model.equations).of(Task::diagonal).by_tag().contains("assembly lists"));
}

TEST(MemoryNeeds, AMatrixThatIsAssembledOnceNeedsListsOnAGpuOnly) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name, 1);
    const DiscreteProblem model(patch(CellKind::hex8), elastic_form(3), device);
    SparseMatrix K = model.equations.make_matrix();
    const Index foreseen = OperatorNeeds(model.equations).assembled_once().total(),
                with_lists = OperatorNeeds(model.equations).of(Task::matrix).total(), before = device.memory().live();
    device.memory().reset_peak();
    Linearisation(model.equations, model.space.zeros()).assemble_once(K);
    const Index u = MemoryPool::block_size(8 * model.space.unknown_count());
    EXPECT_EQ(device.memory().statistics().peak - before, foreseen + u) << name;
    EXPECT_EQ(foreseen + OperatorNeeds(model.equations).lists_on_a_gpu(), with_lists) << name;
    EXPECT_EQ(foreseen, device.machine().is_apart() ? with_lists : 0) << name;
  }
}

TEST(MemoryNeeds, AVectorThatIsAssembledAFewTimesNeedsListsOnAGpuOnly) {
  for (const char* name : {"cpu", "fake"})
    for (const Task task : {Task::residual, Task::diagonal, Task::evaluate}) {
      const Device device = Device::named(name, 1);
      const DiscreteProblem model(patch(CellKind::hex8), elastic_form(3), device);
      const Index foreseen = OperatorNeeds(model.equations).without_lists(task).total(),
                  with_lists = OperatorNeeds(model.equations).of(task).total();
      EXPECT_EQ(foreseen, device.machine().is_apart() ? with_lists : 0) << name;
      for (int run = 0; run < TaskPlans::runs_without_lists; ++run) perform(task, model.equations);
      EXPECT_EQ(of_lists(device.memory().statistics()), foreseen) << name;
      perform(task, model.equations);
      EXPECT_EQ(of_lists(device.memory().statistics()), with_lists) << name;
    }
}

// Places, nodes and values of fields at points, on another mesh and on that of the model, with the positions and inputs
// of a piece of the elements.
TEST(MemoryNeeds, FieldsAtPointsAreForeseen) {
  for (const char* name : {"cpu", "fake"})
    for (const bool at_nodes : {true, false})
      for (const bool other : {true, false}) {
        const Device device = Device::named(name, 1);
        const Mesh target = box(8, 8, 8, {1, 1, 1}, CellKind::hex20);
        const Mesh source = other ? box(9, 7, 6, {1, 1, 1}, CellKind::tet10) : target;
        const Index count = at_nodes ? source.node_count() : source.cell_count();
        const MeshField field(source, {std::vector<double>(static_cast<std::size_t>(count), 2.0), at_nodes});
        const FunctionSpace space(target, 1, device);
        const Operator equations(space, {Integral::over_all_cells({VaryingDiffusion<3>{}, {PointFunction(field)}})});
        const Vector u = space.zeros();
        Vector r = space.zeros();
        const auto foreseen = [&] {
          const auto needs = OperatorNeeds(equations).of(Task::residual).by_tag();
          return needs.contains("coefficients") ? double(needs.at("coefficients")) : 0.0;
        };
        const double before = foreseen();
        equations.residual(u, r);
        const double taken = double(device.memory().statistics().peak_by_tag.at("coefficients"));
        EXPECT_NEAR(before, taken, 0.02 * taken + 8192) << name << (at_nodes ? " nodes" : " cells") << other;
        EXPECT_EQ(foreseen(), 0);
      }
}

TEST(MemoryNeeds, ForgottenListsAreForeseenAndMadeAgain) {
  const DiscreteProblem model(patch(CellKind::hex8), heat_form(3));
  const auto [foreseen, taken] = lists_of(Task::matrix, model.equations);
  model.equations.plans().forget(Task::matrix);
  EXPECT_EQ(of_lists(model.space.device().memory().statistics()), 0);
  EXPECT_EQ(lists_of(Task::matrix, model.equations), std::pair(foreseen, taken));
}

TEST(MemoryNeeds, ListsOfLargerMeshesAreForeseenToAFewPerCent) {
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::tet10, CellKind::prism6}) {
    const DiscreteProblem model(box(14, 10, 10, {1.4, 1, 1}, kind), elastic_form(3));
    for (const Task task : all_tasks) {
      const auto [foreseen, taken] = lists_of(task, model.equations);
      const double block = taken > 1 << 20 ? 1 << 21 : 0;  // of the pool
      EXPECT_NEAR(double(foreseen), double(taken), 0.03 * double(taken) + block)
          << traits(kind).name << ", task " << static_cast<int>(task);
    }
  }
}

// Two materials and a load on one side: several groups that share nodes.
TEST(MemoryNeeds, GroupsThatShareNodesAreForeseenExactly) {
  const Mesh mesh = box_mixed(4, 1, 1, {4, 1, 1});
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  const double density[] = {1, 2, 3};
  const Operator equations(
      space, {Integral::over_all_cells(elastic_form(3)), Integral::over(facet_load(3, density), mesh.region("x1"))});
  for (const Task task : {Task::residual, Task::matrix}) {
    const auto [foreseen, taken] = lists_of(task, equations);
    EXPECT_EQ(foreseen, taken) << static_cast<int>(task);
  }
}

// The nodes that no element of the part has are listed, too.
TEST(MemoryNeeds, ListsOfAPartOfABodyAreForeseenExactly) {
  const Mesh mesh = box(4, 4, 4, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  const Region part{.name = "part", .kind = RegionKind::cells, .cells = {0, 1, 2, 3}};
  const Operator equations(space, {Integral::over(elastic_form(3), part)});
  const auto [foreseen, taken] = lists_of(Task::residual, equations);
  EXPECT_EQ(foreseen, taken);
}

TEST(MemoryNeeds, PatternAndMatrixAreForeseenExactly) {
  const DiscreteProblem model(box(7, 6, 5, {1, 1, 1}, CellKind::hex20), elastic_form(3));
  const PatternSize size = pattern_size(entity_counts(model.mesh), 0);
  const SparseMatrix K = model.equations.make_matrix();
  const MemoryStatistics s = model.space.device().memory().statistics();
  const MemoryNeeds needs = MemoryNeeds()
                                .array<Index>("pattern", size.nodes + 1)
                                .array<std::int32_t>("pattern", size.pairs)
                                .array<double>("matrix", 9 * size.pairs);
  EXPECT_EQ(needs.by_tag().at("pattern"), s.live_by_tag.at("pattern"));
  EXPECT_EQ(needs.by_tag().at("matrix"), s.live_by_tag.at("matrix"));
}

// A refined box: where its halves differ by much, aggregates take the place of the coarser meshes.
TEST(MemoryNeeds, MaterialsThatDifferByMuchLeaveNestedMeshes) {
  const Mesh mesh = box(8, 8, 8, {1, 1, 1}, CellKind::tet4);
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  Region low{.name = "low", .kind = RegionKind::cells}, high{.name = "high", .kind = RegionKind::cells};
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    (mesh.point(mesh.nodes_of(cell).front())[2] < 0.5 ? low : high).cells.push_back(cell);
  const auto nesting = [&](double ratio) {
    const Operator equations(space,
                             {Integral::over(Elasticity{1, 1}, low), Integral::over(Elasticity{ratio, ratio}, high)},
                             ElementLists::counted);
    EXPECT_NEAR(material_contrast(equations), ratio, 1e-12);
    return hierarchy_shape(equations, needs_of(space, 1, false)).nesting;
  };
  EXPECT_NE(nesting(10), Nesting::none);
  EXPECT_EQ(nesting(20), Nesting::none);
}

// Formulas are sampled around nodes: a step excludes nested meshes, the same range from end to end does not. Other
// regions count with their first number.
TEST(MemoryNeeds, FormulasOfMaterialsAreLookedAtAroundNodes) {
  const Mesh mesh = box(8, 8, 8, {1, 1, 1}, CellKind::tet4);
  const FunctionSpace space(mesh, 1, Device::named("cpu", 1));
  Region low{.name = "low", .kind = RegionKind::cells}, high{.name = "high", .kind = RegionKind::cells};
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    (mesh.point(mesh.nodes_of(cell).front())[2] < 0.5 ? low : high).cells.push_back(cell);
  const auto given = [](double (*k)(double z)) {
    return FormValue(VaryingDiffusion<3>{}, {[k](std::span<const double> points, std::span<double> values) {
                       for (std::size_t i = 0; i < values.size(); ++i) values[i] = k(points[3 * i + 2]);
                     }});
  };
  const auto contrast = [&](std::vector<Integral> integrals) {
    return material_contrast(Operator(space, std::move(integrals), ElementLists::counted));
  };
  EXPECT_NEAR(contrast({Integral::over_all_cells(given([](double z) { return z < 0.5 ? 1.0 : 100.0; }))}), 100, 1e-5);
  // one and a half cells' heights make 3.7
  EXPECT_LT(contrast({Integral::over_all_cells(given([](double z) { return std::pow(1000.0, z); }))}), 4.0);
  EXPECT_NEAR(contrast({Integral::over(given([](double) { return 50.0; }), low),
                        Integral::over(Diffusion<3>{.conductivity = 2}, high)}),
              25, 1e-5);
}

TEST(MemoryNeeds, PathsAreInOrderOfMemory) {
  const DiscreteProblem model(box(12, 12, 12, {1, 1, 1}, CellKind::hex8), elastic_form(3));
  const std::vector<ForecastPath> paths =
      forecast_static(model.equations, {.promise = MatrixPromise::positive_definite});
  ASSERT_EQ(paths.size(), 4u);
  EXPECT_LT(paths[0].peak.total(), paths[1].peak.total());  // half of the precision
  EXPECT_LT(paths[2].peak.total(), paths[0].peak.total());
  EXPECT_LT(paths[3].peak.total(), paths[2].peak.total());
}

}  // namespace
}  // namespace ritz::test
