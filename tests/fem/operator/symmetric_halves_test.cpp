// Matrices of symmetric forms on a GPU: half of each element's blocks is computed, stored and read, and the whole is
// exactly symmetric.
#include "device/kernels.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/operator_needs.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ritz::test {
namespace {

// Entries (i, j) that differ in a bit from (j, i), of scalars.
Index unsymmetric_entries(const DiscreteProblem& model, const SparseMatrix& K) {
  const FunctionSpace::HostPattern pattern = model.space.host_pattern();
  const std::vector<double> values = K.values().host();
  const auto C = static_cast<std::size_t>(model.space.components());
  const auto begin = [&](std::size_t row) { return pattern.columns.begin() + pattern.offsets[row]; };
  Index count = 0;
  for (std::size_t row = 0; row + 1 < pattern.offsets.size(); ++row)
    for (auto entry = begin(row); entry != begin(row + 1); ++entry) {
      const auto column = static_cast<std::size_t>(*entry);
      const auto other = std::lower_bound(begin(column), begin(column + 1), static_cast<Node>(row));
      const auto at = static_cast<std::size_t>(entry - pattern.columns.begin()) * C * C,
                 transposed = static_cast<std::size_t>(other - pattern.columns.begin()) * C * C;
      for (std::size_t i = 0; i < C; ++i)
        for (std::size_t j = 0; j < C; ++j) count += values[at + i * C + j] != values[transposed + j * C + i];
    }
  return count;
}

double largest_entry(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Rounding errors of sums over points and elements whose terms are at most as large as the largest entry.
void expect_agreement(const SparseMatrix& cpu, const SparseMatrix& gpu) {
  const std::vector<double> a = cpu.values().host(), b = gpu.values().host();
  ASSERT_EQ(a.size(), b.size());
  const double tolerance = 200 * unit_roundoff * largest_entry(a);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

Vector some_state(const DiscreteProblem& model) {
  return model.space.from_mesh(random_values(static_cast<std::size_t>(model.space.unknown_count()), 3));
}

// Bytes of element results and of sums that several chunks add to.
Index buffers_of(const DiscreteProblem& model) {
  return model.space.device().memory().statistics().live_by_tag.at("assembly buffers");
}

Mesh distorted(CellKind kind) {
  const bool few = has_gpu() && takes_small_sizes(Device::named("gpu")) && traits(kind).dimension == 3;
  return patch(kind, {.count = few ? 2 : 3, .random = 0.1});
}

// Conduction, and convection through a side: groups of cells and of facets, several chunks of each.
struct Conducting : DiscreteProblem {
  Conducting(const Device& device, CellKind kind)
      : DiscreteProblem(
            distorted(kind), 1,
            [kind](const Mesh& mesh) {
              const FormValue convection = traits(kind).dimension == 3 ? FormValue(Convection<3>{3, 1.5})
                                                                       : FormValue(Convection<2>{3, 1.5, thickness});
              return std::vector{Integral::over_all_cells(heat_form(traits(kind).dimension)),
                                 Integral::over(convection, mesh.region("x0"))};
            },
            device) {}
};
struct Elastic : DiscreteProblem {
  Elastic(const Device& device, CellKind kind)
      : DiscreteProblem(distorted(kind), elastic_form(traits(kind).dimension), device) {}
};

class SymmetricHalves : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, SymmetricHalves, ::testing::ValuesIn(cell_kinds()), kind_name);

template <class Equations>
void expect_exact_symmetry(CellKind kind) {
  const Equations gpu(Device::named("gpu"), kind), cpu(Device::named("cpu", 1), kind);
  const SparseMatrix K = gpu.matrix();
  EXPECT_EQ(unsymmetric_entries(gpu, K), 0);
  expect_agreement(cpu.matrix(), K);
  SparseMatrix again = gpu.equations.make_matrix();
  for (int repetition = 0; repetition < 2; ++repetition) {
    gpu.equations.assemble(gpu.space.zeros(), again);
    EXPECT_EQ(again.values().host(), K.values().host());
  }
}

TEST_P(SymmetricHalves, GiveAnExactlySymmetricMatrixOnAGpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  expect_exact_symmetry<Conducting>(kind());
  expect_exact_symmetry<Elastic>(kind());
}

// Two symmetric forms on the same cells: the second one is added to the halves of the first.
TEST(HalvesOfElementMatrices, AddUpOverTheFormsOfACellOnAGpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const auto model = [](const Device& device) {
    return std::make_unique<DiscreteProblem>(
        patch(CellKind::hex8, {.count = 3, .random = 0.1}), 1,
        [](const Mesh&) {
          return std::vector{Integral::over_all_cells(heat_form(3)), Integral::over_all_cells(Mass<1, 3>{1.7})};
        },
        device);
  };
  const auto gpu = model(Device::named("gpu")), cpu = model(Device::named("cpu", 1));
  const SparseMatrix K = gpu->matrix();
  EXPECT_EQ(unsymmetric_entries(*gpu, K), 0);
  expect_agreement(cpu->matrix(), K);
}

// A form whose matrix is not symmetric has all blocks, and so have those beside it on its cells.
TEST(HalvesOfElementMatrices, AreNotTakenBesideAnUnsymmetricFormOnAGpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const auto model = [](const Device& device) {
    return std::make_unique<DiscreteProblem>(
        patch(CellKind::hex8, {.count = 3, .random = 0.1}), 1,
        [](const Mesh&) {
          return std::vector{Integral::over_all_cells(heat_form(3)),
                             Integral::over_all_cells(test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2}))};
        },
        device);
  };
  const auto gpu = model(Device::named("gpu")), cpu = model(Device::named("cpu", 1));
  const SparseMatrix K = gpu->matrix(some_state(*gpu));
  EXPECT_GT(unsymmetric_entries(*gpu, K), 0);
  expect_agreement(cpu->matrix(some_state(*cpu)), K);
}

// 36 of 64 blocks of an element are stored: of 27 elements, four batches of eight, which fit a slab.
TEST(HalvesOfElementMatrices, TakeNineSixteenthsOfTheSlabOfHexahedraOnAGpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const DiscreteProblem symmetric(patch(CellKind::hex8, {.count = 3}), heat_form(3), Device::named("gpu"));
  const DiscreteProblem full(patch(CellKind::hex8, {.count = 3}), test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2}),
                             Device::named("gpu"));
  const Index foreseen = OperatorNeeds(symmetric.equations).of({Operator::Task::matrix}).total();
  const auto live = [](const DiscreteProblem& model) { return model.space.device().memory().statistics().live; };
  SparseMatrix K = symmetric.equations.make_matrix();
  const Index before = live(symmetric);
  symmetric.equations.assemble(symmetric.space.zeros(), K);
  // blocks that the making of the lists gave back are used again, and may be up to a quarter larger (MemoryPool)
  EXPECT_GE(live(symmetric) - before, foreseen);
  EXPECT_LE(live(symmetric) - before, foreseen + foreseen / 4);
  full.matrix(full.space.zeros());
  EXPECT_EQ(buffers_of(full) - buffers_of(symmetric), 4 * 8 * (64 - 36) * Index{sizeof(double)});
}

// The list of a chunk with as many batches as its sources can count: each points to the pair's half.
TEST(HalvesOfElementMatrices, HaveListsThatNameTheHalfAndItsTransposeOnAGpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device device = Device::named("gpu");
  const auto& assembly = kernels<AssemblyKernels>(device, "ritz_fem_kernels", "assembly");
  for (const int nodes : {1, 2, 8, 10, 27, 90}) {
    const int batches = transposed_source / (half_count(nodes) * lane_count);
    std::vector<std::uint16_t> sources;
    for (int source = 0; source < std::min(65536, batches * nodes * nodes * lane_count); ++source)
      sources.push_back(static_cast<std::uint16_t>(source));
    Array<std::uint16_t> list(device, std::span(sources), "test");
    assembly.halve(device, list.data(), list.size(), nodes);
    const std::vector<std::uint16_t> halved = list.host();
    int wrong = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const int place = sources[i] / lane_count, a = place / nodes % nodes, b = place % nodes,
                batch = place / (nodes * nodes);
      const int stored = (halved[i] & (transposed_source - 1)) / lane_count;
      const auto [row, column] = nodes_of_half(stored % half_count(nodes));
      const bool transposed = (halved[i] & transposed_source) != 0;
      wrong += transposed != (a > b) || (transposed ? row != b || column != a : row != a || column != b) ||
               stored / half_count(nodes) != batch || halved[i] % lane_count != sources[i] % lane_count;
    }
    EXPECT_EQ(wrong, 0) << nodes;
  }
}

}  // namespace
}  // namespace ritz::test
