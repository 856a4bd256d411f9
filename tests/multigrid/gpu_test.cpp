// Needs a GPU: ctest -L gpu.
#include "solvers/conjugate_gradient.hpp"
#include "tests/multigrid/followed_values.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace ritz {
namespace {

using testing::cantilever;
using testing::heat_cube;
using testing::System;

bool has_gpu() { return list_devices().devices.size() > 1; }

struct Solved {
  SolveReport report;
  std::vector<double> u;  // [mesh node][component]
  std::vector<SmoothedAggregation::Level> levels;
};

Solved solve(const System& s, double relative = 1e-10) {
  const SmoothedAggregation multigrid(*s.K, s.multigrid());
  Vector x = s.space->zeros();
  const SolveReport report = ConjugateGradient{.relative = relative, .max_iterations = 300}.solve(*s.K, s.b, x, &multigrid);
  return {report, s.space->to_mesh(x), multigrid.levels()};
}

void expect_agreement(const System& on_cpu, const System& on_gpu) {
  const Solved cpu = solve(on_cpu), gpu = solve(on_gpu);
  EXPECT_TRUE(gpu.report.converged());
  EXPECT_NEAR(gpu.report.iterations, cpu.report.iterations, 2);
  ASSERT_EQ(gpu.levels.size(), cpu.levels.size());  // aggregation is the same on every device
  for (std::size_t l = 0; l < cpu.levels.size(); ++l) EXPECT_EQ(gpu.levels[l].unknowns, cpu.levels[l].unknowns);
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
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::tet10, CellKind::hex20}) {
    SCOPED_TRACE(traits(kind).name);
    expect_agreement(cantilever(kind, 5, cpu), cantilever(kind, 5, gpu));
    expect_agreement(heat_cube(kind, 8, cpu), heat_cube(kind, 8, gpu));
  }
}

TEST(GpuMultigrid, ARecordedCycleFollowsNewValues) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  testing::expect_cycles_follow_values(Device::named("gpu"));
}

TEST(GpuMultigrid, RepeatsBitwise) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  const System s = cantilever(CellKind::tet10, 5, gpu);
  EXPECT_EQ(solve(s).u, solve(s).u);
}

}  // namespace
}  // namespace ritz
