// L18 and L21: every back end computes the same, the same bits every time, and nothing crosses between host and device
// nor is allocated once the lists are made.
#include "fem/operator/evaluate.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/task_plans.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>

namespace ritz::test {
namespace {

// The results of an operator for a random state.
struct Results {
  std::vector<double> matrix, residual, at_nodes, at_cells;
};

Results results_of(const DiscreteProblem& model) {
  const auto count = static_cast<std::size_t>(model.mesh.node_count() * model.space.components());
  const Vector u = model.space.from_mesh(random_values(count, 7));
  Vector r = model.space.zeros();
  model.equations.residual(u, r);
  const DerivedFields fields = evaluate(model.equations, u);
  return {model.matrix(u).values().host(), r.host(), fields.at_nodes, fields.at_cells};
}

double largest(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

// Compilers fuse other products on other machines: a few roundings of terms that are at most as large as the largest
// entry; fluxes amplify them by the inverse Jacobian.
void expect_close(std::span<const double> a, std::span<const double> b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  const double tolerance = 200 * unit_roundoff * largest(a);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << what << " " << i;
}

void expect_close(const Results& a, const Results& b) {
  expect_close(a.matrix, b.matrix, "matrix entry");
  expect_close(a.residual, b.residual, "residual entry");
  expect_close(a.at_nodes, b.at_nodes, "nodal value");
  expect_close(a.at_cells, b.at_cells, "cell value");
}

void expect_equal(const Results& a, const Results& b) {
  EXPECT_TRUE(a.matrix == b.matrix);
  EXPECT_TRUE(a.residual == b.residual);
  EXPECT_TRUE(a.at_nodes == b.at_nodes);
  EXPECT_TRUE(a.at_cells == b.at_cells);
}

// Everything that a model can hold: matrices of cells and of facets, loads, several groups.
std::vector<Integral> heat_with_everything(int dimension, const Mesh& mesh) {
  const FormValue convection =
      dimension == 3 ? FormValue(Convection<3>{3, 1.5}) : FormValue(Convection<2>{3, 1.5, thickness});
  return {Integral::over_all_cells(heat_form(dimension)),
          Integral::over_all_cells(volume_load(dimension, std::array{1.2})),
          Integral::over(convection, mesh.region("x0")),
          Integral::over(facet_load(dimension, std::array{0.8}), mesh.region("y1"))};
}

struct HeatModel : DiscreteProblem {
  HeatModel(const Device& device, CellKind kind, Index count)
      : DiscreteProblem(
            patch(kind, {.count = static_cast<int>(count), .random = 0.1}), 1,
            [&](const Mesh& mesh) { return heat_with_everything(traits(kind).dimension, mesh); }, device) {}
};
struct ElasticModel : DiscreteProblem {
  ElasticModel(const Device& device, CellKind kind, Index count)
      : DiscreteProblem(patch(kind, {.count = static_cast<int>(count), .random = 0.1}),
                        elastic_form(traits(kind).dimension), device) {}
};
struct NonlinearModel : DiscreteProblem {
  NonlinearModel(const Device& device, CellKind kind, Index count)
      : DiscreteProblem(patch(kind, {.count = static_cast<int>(count), .random = 0.1}),
                        traits(kind).dimension == 3 ? test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2})
                                                    : test_form(NonlinearDiffusion<2>{1.3, 0.4, 0.2}),
                        device) {}
};

class Backends : public CellTest {
 public:
  void expect_agreement(const Device& a, const Device& b) const {
    expect_close(results_of(HeatModel(a, kind(), 2)), results_of(HeatModel(b, kind(), 2)));
    expect_close(results_of(ElasticModel(a, kind(), 2)), results_of(ElasticModel(b, kind(), 2)));
    expect_close(results_of(NonlinearModel(a, kind(), 2)), results_of(NonlinearModel(b, kind(), 2)));
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, Backends, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(Backends, Avx2AndAvx512Agree) {
  if (back_ends({"cpu:v3", "cpu:v4"}).size() < 2) GTEST_SKIP() << "skipped: this processor or this build has not both";
  expect_agreement(Device::named("cpu:v3", 1), Device::named("cpu:v4", 1));
}

// The fake device dies with SIGSEGV when host code touches its memory: no hidden transfer.
TEST_P(Backends, CpuAndFakeDeviceAgree) { expect_agreement(Device::named("cpu", 1), Device::named("fake", 1)); }

TEST_P(Backends, CpuAndGpuAgree) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  expect_agreement(Device::named("cpu", 1), Device::named("gpu"));
}

// Enough cells for several chunks and for a last batch that is not full.
constexpr CellKind representative[] = {CellKind::tri6,  CellKind::quad4,  CellKind::tet4,     CellKind::hex8,
                                       CellKind::hex20, CellKind::prism6, CellKind::pyramid13};

class Determinism : public CellTest {
 public:
  static constexpr Index count = 4;
};
INSTANTIATE_TEST_SUITE_P(Cells, Determinism, ::testing::ValuesIn(representative), kind_name);

TEST_P(Determinism, ThreadsDoNotChangeABit) {
  const Results heat = results_of(HeatModel(Device::named("cpu", 1), kind(), count));
  const Results elastic = results_of(ElasticModel(Device::named("cpu", 1), kind(), count));
  for (const int threads : {2, 3}) {
    SCOPED_TRACE(threads);
    const Device device = Device::named("cpu", threads);
    expect_equal(heat, results_of(HeatModel(device, kind(), count)));
    expect_equal(elastic, results_of(ElasticModel(device, kind(), count)));
  }
}

// Whatever the threads, also in rows that several of them touch; what was in the matrix before does not matter.
void expect_the_same_without_lists(const DiscreteProblem& model) {
  SCOPED_TRACE(model.space.device().threads());
  const Vector u = model.space.from_mesh(random_values(static_cast<std::size_t>(model.space.unknown_count())));
  const auto once = [&] {
    SparseMatrix K = model.equations.make_matrix();
    K.values().upload(std::vector<double>(static_cast<std::size_t>(K.values().size()), std::nan("")));
    Linearisation(model.equations, u).assemble_once(K);
    return K.values().host();
  };
  const std::vector<double> without = once();
  EXPECT_FALSE(model.space.device().memory().statistics().peak_by_tag.contains("assembly lists"));
  EXPECT_EQ(without, model.matrix(u).values().host());
  EXPECT_EQ(once(), without) << "with the lists that are there";
  EXPECT_EQ(model.space.device().memory().statistics().live_by_tag.at("assembly lists"), 0);
}

TEST_P(Determinism, AMatrixThatIsAssembledOnceHasTheSameBits) {
  for (const int threads : {1, 2, 3, 7}) {
    expect_the_same_without_lists(HeatModel(Device::named("cpu", threads), kind(), count));
    expect_the_same_without_lists(ElasticModel(Device::named("cpu", threads), kind(), count));
    expect_the_same_without_lists(NonlinearModel(Device::named("cpu", threads), kind(), count));
  }
}

// The first runs have no lists, the last ones have.
void expect_the_same_in_all_runs(const DiscreteProblem& model) {
  SCOPED_TRACE(model.space.device().threads());
  const Vector u = model.space.from_mesh(random_values(static_cast<std::size_t>(model.space.unknown_count())));
  Vector r = model.space.zeros();
  std::vector<std::vector<double>> residuals, diagonals, nodes, cells;
  const auto lists = [&] { return model.space.device().memory().statistics().live_by_tag["assembly lists"]; };
  for (int run = 0; run < 2 * TaskPlans::runs_without_lists; ++run) {
    r.upload(std::vector<double>(static_cast<std::size_t>(r.size()), std::nan("")));
    model.equations.residual(u, r);
    residuals.push_back(r.host());
    diagonals.push_back(model.equations.diagonal(u).host());
    const DerivedFields derived = evaluate(model.equations, u);
    nodes.push_back(derived.at_nodes);
    cells.push_back(derived.at_cells);
    if (run < TaskPlans::runs_without_lists) EXPECT_EQ(lists(), 0);
    else EXPECT_GT(lists(), 0);
    for (const auto* all : {&residuals, &diagonals, &nodes, &cells}) EXPECT_EQ(all->back(), all->front()) << run;
  }
}

TEST_P(Determinism, VectorsHaveTheSameBitsWithAndWithoutLists) {
  for (const int threads : {1, 2, 3, 7}) {
    expect_the_same_in_all_runs(HeatModel(Device::named("cpu", threads), kind(), count));
    expect_the_same_in_all_runs(ElasticModel(Device::named("cpu", threads), kind(), count));
    expect_the_same_in_all_runs(NonlinearModel(Device::named("cpu", threads), kind(), count));
  }
}

TEST_P(Determinism, RepetitionDoesNotChangeABit) {
  const HeatModel model(Device::named("cpu", 2), kind(), count);
  const Results first = results_of(model);
  for (int repetition = 0; repetition < 3; ++repetition) expect_equal(first, results_of(model));
}

TEST_P(Determinism, RepetitionOnAGpuDoesNotChangeABit) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  const HeatModel model(gpu, kind(), takes_small_sizes(gpu) ? 2 : count);
  const Results first = results_of(model);
  for (int repetition = 0; repetition < 3; ++repetition) expect_equal(first, results_of(model));
}

void expect_no_allocation_and_no_traffic(const Device& device) {
  const HeatModel model(device, CellKind::hex8, 4);
  const Vector u = model.space.zeros();
  Vector r = model.space.zeros();
  SparseMatrix K = model.equations.make_matrix();
  model.equations.assemble(u, K);
  model.equations.residual(u, r);
  const Index raw = device.memory().statistics().raw_allocations, live = device.memory().statistics().live;
  const Index calls = device.machine().calls().count(MachineCall::allocate);
  const Traffic before = device.machine().traffic();
  model.equations.assemble(u, K);
  model.equations.residual(u, r);
  EXPECT_EQ(device.memory().statistics().raw_allocations, raw);
  EXPECT_EQ(device.memory().statistics().live, live);
  EXPECT_EQ(device.machine().calls().count(MachineCall::allocate), calls);
  EXPECT_EQ(device.machine().traffic().to_device, before.to_device);
  EXPECT_EQ(device.machine().traffic().to_host, before.to_host);
  EXPECT_EQ(device.machine().traffic().scalar_reads, before.scalar_reads);
}

TEST(SecondAssembly, NeitherAllocatesNorMovesDataOnACpu) {
  expect_no_allocation_and_no_traffic(Device::named("cpu", 2));
}
TEST(SecondAssembly, NeitherAllocatesNorMovesDataOnAFakeDevice) {
  expect_no_allocation_and_no_traffic(Device::named("fake", 2));
}
TEST(SecondAssembly, NeitherAllocatesNorMovesDataOnAGpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  expect_no_allocation_and_no_traffic(Device::named("gpu"));
}

// Assembly overwrites: what was in the matrix and in the residual before does not matter.
TEST(SecondAssembly, OverwritesTheFirst) {
  const HeatModel model(Device::named("cpu", 1), CellKind::prism6, 3);
  const Vector u = model.space.from_mesh(random_values(static_cast<std::size_t>(model.space.unknown_count())));
  SparseMatrix K = model.equations.make_matrix();
  const auto count = static_cast<std::size_t>(K.values().size());
  K.values().upload(std::vector<double>(count, std::nan("")));
  model.equations.assemble(u, K);
  EXPECT_EQ(K.values().host(), model.matrix(u).values().host());
  Vector r(model.space.device(), model.space.unknown_count(), "vectors"), clean = model.space.zeros();
  r.upload(std::vector<double>(static_cast<std::size_t>(r.size()), std::nan("")));
  model.equations.residual(u, r);
  model.equations.residual(u, clean);
  EXPECT_EQ(r.host(), clean.host());
}

TEST(SingleAssembly, OnADeviceWithMemoryOfItsOwnLeavesNothingBehind) {
  const HeatModel model(Device::named("fake", 2), CellKind::tet10, 4);
  const Vector u = model.space.from_mesh(random_values(static_cast<std::size_t>(model.space.unknown_count())));
  SparseMatrix K = model.equations.make_matrix();
  Linearisation(model.equations, u).assemble_once(K);
  EXPECT_EQ(model.space.device().memory().statistics().live_by_tag.at("assembly lists"), 0);
  EXPECT_EQ(K.values().host(), model.matrix(u).values().host());
}

TEST(SecondAssembly, AfterItsListsWereForgottenGivesTheSameBits) {
  for (const char* name : {"cpu", "fake"}) {
    const HeatModel model(Device::named(name, 2), CellKind::tet10, 4);
    const Vector u = model.space.from_mesh(random_values(static_cast<std::size_t>(model.space.unknown_count())));
    SparseMatrix K = model.equations.make_matrix();
    model.equations.assemble(u, K);
    const std::vector<double> first = K.values().host();
    const Index with_lists = model.space.device().memory().statistics().live;
    model.equations.plans().forget_assembly();
    EXPECT_LT(model.space.device().memory().statistics().live, with_lists);
    EXPECT_EQ(model.space.device().memory().statistics().cached, 0);
    model.equations.assemble(u, K);
    EXPECT_EQ(K.values().host(), first);
  }
}

// Integrals over some cells only leave the rest of the matrix at zero, also where it held something before.
TEST(PartialIntegrals, LeaveZerosElsewhere) {
  const DiscreteProblem model(patch(CellKind::hex8, {.count = 3}), 1, [](const Mesh&) {
    return std::vector{Integral{heat_form(3), false, {0, 5}, {}}};
  });
  SparseMatrix K = model.equations.make_matrix();
  K.values().upload(std::vector<double>(static_cast<std::size_t>(K.values().size()), std::nan("")));
  model.equations.assemble(model.space.zeros(), K);
  Index nonzero = 0;
  for (const double value : K.values().host()) {
    EXPECT_TRUE(std::isfinite(value));
    nonzero += value != 0;
  }
  EXPECT_GT(nonzero, 0);
  EXPECT_LE(nonzero, 2 * 64);
}

}  // namespace
}  // namespace ritz::test
