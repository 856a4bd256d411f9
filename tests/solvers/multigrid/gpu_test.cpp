// Needs a GPU: ctest -L gpu.
#include "solvers/algebra/multi_vector.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/solvers/multigrid/followed_values.hpp"
#include "tests/solvers/multigrid/hub.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

namespace ritz {
namespace {

using testing::cantilever;
using testing::heat_cube;
using testing::System;

bool has_gpu() { return list_devices().devices.size() > 1; }

// The emulated GPU takes a thousand times as long: smaller meshes there, of as many levels.
struct Sizes {
  Index thick, thick_quadratic, edge, edge_quadratic, coarsest;
};
Sizes sizes_on(const Device& device) {
  if (test::takes_small_sizes(device)) return {3, 2, 6, 3, 60};
  return {5, 3, 8, 5, 300};
}

struct Solved {
  SolveReport report;
  std::vector<double> u;  // [mesh node][component]
  std::vector<SmoothedAggregation::Level> levels;
};

Solved solve(const System& s, Index coarsest_size = 600) {
  SmoothedAggregationOptions options = s.multigrid();
  options.coarsest_size = coarsest_size;
  const SmoothedAggregation multigrid(*s.K, options);
  Vector x = s.space->zeros();
  const SolveReport report =
      ConjugateGradient{.relative = 1e-10, .max_iterations = 300}.solve(*s.K, s.b, x, &multigrid);
  return {report, s.space->to_mesh(x), multigrid.levels()};
}

void expect_agreement(const System& on_cpu, const System& on_gpu, Index coarsest_size = 600) {
  const Solved cpu = solve(on_cpu, coarsest_size), gpu = solve(on_gpu, coarsest_size);
  EXPECT_TRUE(gpu.report.converged());
  EXPECT_NEAR(gpu.report.iterations, cpu.report.iterations, 2);
  ASSERT_GE(cpu.levels.size(), 2u);
  ASSERT_EQ(gpu.levels.size(), cpu.levels.size());  // aggregation is the same on every device
  for (std::size_t l = 0; l < cpu.levels.size(); ++l) {
    EXPECT_EQ(gpu.levels[l].unknowns, cpu.levels[l].unknowns);
    EXPECT_NEAR(gpu.levels[l].largest_eigenvalue, cpu.levels[l].largest_eigenvalue,
                1e-4 * cpu.levels[l].largest_eigenvalue);
  }
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < cpu.u.size(); ++i) {
    largest = std::max(largest, std::abs(cpu.u[i]));
    difference = std::max(difference, std::abs(cpu.u[i] - gpu.u[i]));
  }
  EXPECT_LT(difference, 1e-6 * largest);  // 1e-10 times a condition number below 1e4
}

TEST(GpuMultigrid, AgreesWithTheCpu) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device cpu = Device::named("cpu"), gpu = Device::named("gpu");
  const Sizes sizes = sizes_on(gpu);
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::tet10, CellKind::hex20}) {
    if (test::takes_small_sizes(gpu) && (kind == CellKind::hex8 || kind == CellKind::tet10)) continue;
    SCOPED_TRACE(traits(kind).name);
    const bool linear = traits(kind).order == 1;
    const Index thick = linear ? sizes.thick : sizes.thick_quadratic, edge = linear ? sizes.edge : sizes.edge_quadratic;
    expect_agreement(cantilever(kind, thick, cpu), cantilever(kind, thick, gpu), sizes.coarsest);
    expect_agreement(heat_cube(kind, edge, cpu), heat_cube(kind, edge, gpu), sizes.coarsest);
  }
}

// The second coarsening has blocks of 6 x 6, and nodes that are held belong to no aggregate.
TEST(GpuMultigrid, AgreesWithTheCpuOnSeveralLevels) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  const Index thick = sizes_on(gpu).thick + 2;
  const System on_cpu = cantilever(CellKind::tet4, thick, Device::named("cpu"));
  ASSERT_GE(solve(on_cpu, 60).levels.size(), 3u);
  expect_agreement(on_cpu, cantilever(CellKind::tet4, thick, gpu), 60);
}

TEST(GpuMultigrid, ARecordedCycleFollowsNewValues) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  testing::expect_cycles_follow_values(Device::named("gpu"));
}

TEST(GpuMultigrid, AHubStaysInItsAggregate) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  testing::expect_a_hub_keeps_to_its_aggregate(Device::named("gpu"));
}

// Neither the matrix nor a vector goes to the host or back: counts, a box, eigenvalues and flags do.
TEST(GpuMultigrid, SetUpAndRefreshOfElasticityStayOnTheDevice) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  const System s = cantilever(CellKind::tet4, 5, gpu);
  EXPECT_GT(s.K->values().bytes(), 500'000);
  EXPECT_GT(s.b.bytes(), 15'000);
  const auto expect_little = [&](const char* what, const auto& work) {
    const Traffic before = gpu.machine().traffic();
    work();
    const Traffic after = gpu.machine().traffic();
    EXPECT_LT(after.to_host - before.to_host, 4096) << what;
    EXPECT_LT(after.to_device - before.to_device, 4096) << what;
  };
  SmoothedAggregationOptions options = s.multigrid();
  options.coarsest_size = 100;
  std::optional<SmoothedAggregation> multigrid;
  expect_little("set-up", [&] { multigrid.emplace(*s.K, options); });
  EXPECT_GE(multigrid->levels().size(), 2u);
  expect_little("refresh", [&] { EXPECT_TRUE(multigrid->refresh()); });
}

TEST(GpuMultigrid, RepeatsBitwise) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  const System s = cantilever(CellKind::hex8, sizes_on(gpu).thick, gpu);
  EXPECT_EQ(solve(s, sizes_on(gpu).coarsest).u, solve(s, sizes_on(gpu).coarsest).u);
}

// Unknowns of a node, and near-null vectors: unknowns of a coarser node.
struct Unknowns {
  int fine, coarse;
};
void PrintTo(const Unknowns& u, std::ostream* out) { *out << u.fine << " x " << u.coarse; }

class GpuMultigridBlocks : public ::testing::TestWithParam<Unknowns> {
 protected:
  // A chain of nodes, each unknown coupled to all of the neighbours'; the second half times a factor.
  static SparseMatrix chain(const Device& device, Index nodes, int block, double factor) {
    std::vector<Index> offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    for (Index i = 0; i < nodes; ++i) {
      for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, nodes - 1); ++j) {
        columns.push_back(static_cast<std::int32_t>(j));
        for (int k = 0; k < block; ++k)
          for (int l = 0; l < block; ++l)
            values.push_back((std::max(i, j) + (i == j) < nodes / 2 ? 1 : factor) * (i == j ? 2.001 : -1) *
                             (k == l ? 1.2 : 0.2));
      }
      offsets.push_back(static_cast<Index>(columns.size()));
    }
    SparseMatrix A(std::make_shared<SparsityPattern>(device, offsets, columns), block);
    A.values().upload(values);
    return A;
  }

  // [a cycle, one of each of three columns; with other values of the matrix: a cycle, and in double precision two
  // solutions]
  static std::vector<std::vector<double>> cycles(const Device& device, Unknowns unknowns,
                                                 SmoothedAggregationOptions options) {
    const Index nodes = 30;
    const int block = unknowns.fine, dimension = unknowns.coarse == block ? 0 : block;
    SparseMatrix A = chain(device, nodes, block, 1);
    std::vector<double> x;
    for (Index i = 0; i < nodes; ++i)
      for (int d = 0; d < dimension; ++d) x.push_back(d == 0 ? double(i) : std::sin(0.3 * double(i) + d));
    const Vector coordinates(device, std::span<const double>(x), "test");
    if (dimension > 0) options.coordinates = &coordinates, options.dimension = dimension;
    options.coarsest_size = 8;
    options.levels = MultigridLevels::aggregation;
    SmoothedAggregation multigrid(A, options);
    EXPECT_GE(multigrid.levels().size(), 2u);
    std::vector<double> numbers(static_cast<std::size_t>(A.rows()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::cos(0.7 * double(i));
    const Vector b(device, std::span<const double>(numbers), "test");
    Vector y(device, A.rows(), "test");
    std::vector<std::vector<double>> results;
    multigrid.apply(b, y);
    results.push_back(y.host());
    MultiVector B(device, A.rows(), 3), Y(device, A.rows(), 3);
    for (int column = 0; column < 3; ++column) B.set_column(column, b);
    multigrid.apply_block(B, Y);
    for (int column = 0; column < 3; ++column) {
      Y.get_column(column, y);
      results.push_back(y.host());
    }
    A.values().upload(chain(Device::named("cpu", 1), nodes, block, 5).values().host());
    EXPECT_TRUE(multigrid.refresh());
    multigrid.apply(b, y);
    results.push_back(y.host());
    for (const bool flexible : {false, true}) {
      if (options.single_precision) break;  // other tests solve with it
      ConjugateGradient{.relative = 1e-10, .flexible = flexible}.solve(A, b, y, &multigrid);
      results.push_back(y.host());
    }
    return results;
  }
};
INSTANTIATE_TEST_SUITE_P(Sizes, GpuMultigridBlocks,
                         ::testing::Values(Unknowns{1, 1}, Unknowns{2, 2}, Unknowns{2, 3}, Unknowns{3, 3},
                                           Unknowns{3, 6}, Unknowns{4, 4}, Unknowns{5, 5}, Unknowns{6, 6}));

TEST_P(GpuMultigridBlocks, CyclesAgreeWithTheCpuInEveryPrecision) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device cpu = Device::named("cpu", 1), gpu = Device::named("gpu");
  struct Precision {
    SmoothedAggregationOptions options;
    double tolerance;
  };
  for (const auto& [options, tolerance] :
       {Precision{{.single_precision = false}, 1e-9}, Precision{{}, 1e-4}, Precision{{.half_storage = true}, 2e-2}}) {
    const auto expected = cycles(cpu, GetParam(), options), found = cycles(gpu, GetParam(), options);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      double largest = 0, difference = 0;
      for (std::size_t i = 0; i < expected[k].size(); ++i) {
        largest = std::max(largest, std::abs(expected[k][i]));
        difference = std::max(difference, std::abs(expected[k][i] - found[k][i]));
      }
      EXPECT_LE(difference, tolerance * largest) << "result " << k;
    }
  }
}

}  // namespace
}  // namespace ritz
