// New values for a hierarchy that is there.
#include "device/error.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "tests/solvers/multigrid/models.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace ritz {
namespace {

using testing::cantilever;
using testing::heat_cube;
using testing::System;

std::vector<double> one_cycle(const System& s, const SmoothedAggregation& multigrid) {
  Vector x = s.space->zeros();
  multigrid.apply(s.b, x);
  return x.host();
}

TEST(MultigridRefresh, WithoutAChangeGivesTheSameBits) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name);
    for (const System& s : {cantilever(CellKind::tet10, 3, device), heat_cube(CellKind::tet4, 14, device)})
      for (const bool half_storage : {false, true}) {
        SmoothedAggregationOptions options = s.multigrid();
        options.half_storage = half_storage;
        SmoothedAggregation multigrid(*s.K, options);
        const std::vector<double> before = one_cycle(s, multigrid);
        EXPECT_TRUE(multigrid.refresh());
        EXPECT_EQ(one_cycle(s, multigrid), before);
        Vector(device, Index{8} << 20, "room");  // the cache keeps no more than was handed out at most
        EXPECT_TRUE(multigrid.refresh());
        const MemoryStatistics first = device.memory().statistics();
        EXPECT_TRUE(multigrid.refresh());
        EXPECT_EQ(device.memory().statistics().peak, first.peak);  // each needs in between what the one before did
        EXPECT_EQ(device.memory().statistics().live, first.live);
        // what it needs in between is at hand
        EXPECT_EQ(device.memory().statistics().raw_allocations, first.raw_allocations);
      }
  }
}

// A matrix of half the size has a cycle of twice the size; powers of two change no other bit.
TEST(MultigridRefresh, FollowsTheScaleOfTheMatrix) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 5, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  std::vector<double> expected = one_cycle(s, multigrid);
  for (double& value : expected) value *= 2;
  std::vector<double> values = s.K->values().host();
  for (double& value : values) value *= 0.5;
  s.K->values().upload(values);
  EXPECT_TRUE(multigrid.refresh());
  EXPECT_EQ(one_cycle(s, multigrid), expected);
}

System heat_in_layers(double conductivity, const Device& device) {
  Mesh mesh = box(20, 20, 20, {1, 1, 1}, CellKind::tet10);
  Region layer{"layer", RegionKind::cells, {}, {}, {}}, rest{"rest", RegionKind::cells, {}, {}, {}};
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    double z = 0;
    for (const Node node : mesh.nodes_of(cell)) z += mesh.point(node)[2] / 10;
    (z > 0.4 && z < 0.6 ? layer : rest).cells.push_back(cell);
  }
  return testing::make_system(std::move(mesh), 1,
                              {Integral::over(Diffusion<3>{conductivity}, layer), Integral::over(Diffusion<3>{1}, rest),
                               Integral::over_all_cells(Load<1, 3, 0>{{1}})},
                              {{"x0", 0}, {"x1", 0}}, device);
}

TEST(MultigridRefresh, IsAsGoodAsANewSetUpWhenCoefficientsChange) {
  const Device device = Device::named("cpu");
  System s = heat_in_layers(1, device);
  const System changed = heat_in_layers(5, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  copy(changed.K->values(), s.K->values());
  EXPECT_TRUE(multigrid.refresh());
  const SmoothedAggregation rebuilt(*changed.K, changed.multigrid());
  Vector x = s.space->zeros(), y = s.space->zeros();
  const ConjugateGradient solver{.relative = 1e-8, .max_iterations = 300};
  const SolveReport refreshed = solver.solve(*s.K, changed.b, x, &multigrid),
                    fresh = solver.solve(*changed.K, changed.b, y, &rebuilt);
  EXPECT_TRUE(refreshed.converged());
  EXPECT_LE(std::abs(refreshed.iterations - fresh.iterations), 2);
}

// Scalar couplings of structured tetrahedra that are zero by right angles, and no longer after a change.
TEST(MultigridRefresh, SetsUpAgainWhenZerosBecomeCouplings) {
  const Device device = Device::named("cpu");
  const System s = heat_cube(CellKind::tet4, 12, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  std::vector<double> values = s.K->values().host();
  const std::vector<Index> offsets = s.K->pattern().offsets().host();
  const std::vector<std::int32_t> columns = s.K->pattern().columns().host();
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)  // a Laplacian of the graph, plus one
    for (auto k = static_cast<std::size_t>(offsets[i]); k < static_cast<std::size_t>(offsets[i + 1]); ++k)
      values[k] = columns[k] == static_cast<std::int32_t>(i) ? double(offsets[i + 1] - offsets[i]) : -1;
  s.K->values().upload(values);
  EXPECT_FALSE(multigrid.refresh());
  const SmoothedAggregation rebuilt(*s.K, s.multigrid());
  EXPECT_EQ(one_cycle(s, multigrid), one_cycle(s, rebuilt));
}

TEST(MultigridRefresh, RefusesAnotherPattern) {
  const Device device = Device::named("cpu");
  const System s = heat_cube(CellKind::tet4, 6, device), other = heat_cube(CellKind::tet4, 6, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  SparseMatrix replacement(other.K->shared_pattern(), 1);
  *s.K = std::move(replacement);
  try {
    multigrid.refresh();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("pattern has changed"), std::string::npos) << error.what();
  }
}

// Prolongators that were made: a refresh that keeps them opens no such phase.
int transfers_made(const Device& device) {
  int calls = 0;
  for (const PhaseRecord& phase : device.profile().phases())
    if (phase.name.ends_with("transfers")) calls += phase.calls;
  return calls;
}

int iterations(const SparseMatrix& K, const Vector& b, const SmoothedAggregation& multigrid) {
  Vector x(K.device(), K.rows(), "test");
  x.fill_zero();
  const SolveReport report = ConjugateGradient{.relative = 1e-8, .max_iterations = 300}.solve(K, b, x, &multigrid);
  EXPECT_TRUE(report.converged());
  return report.iterations;
}

TEST(MultigridRefresh, KeepsTheTransfersWhileValuesChangeByLessThanTwo) {
  const Device device = Device::named("cpu");
  const System s = heat_in_layers(1, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  const int before = transfers_made(device);
  const System warmer = heat_in_layers(1.9, device);
  copy(warmer.K->values(), s.K->values());
  EXPECT_TRUE(multigrid.refresh());
  EXPECT_EQ(transfers_made(device), before);
  EXPECT_LE(iterations(*s.K, warmer.b, multigrid),
            iterations(*s.K, warmer.b, SmoothedAggregation(*s.K, s.multigrid())) + 2);
}

TEST(MultigridRefresh, SmallChangesAddUp) {
  const Device device = Device::named("cpu");
  const System s = heat_in_layers(1, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  const int before = transfers_made(device);
  for (const double conductivity : {1.5, 2.2, 3.0}) {
    copy(heat_in_layers(conductivity, device).K->values(), s.K->values());
    EXPECT_TRUE(multigrid.refresh());
    EXPECT_EQ(transfers_made(device) > before, conductivity > 2) << conductivity;
  }
}

// Unknowns that become prescribed leave the coarse spaces, as little as their diagonal entries may say.
TEST(MultigridRefresh, MakesTransfersForNewSupports) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 6, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  const int before = transfers_made(device);
  Constraints fixed(*s.space);
  for (const int component : {0, 1, 2}) fixed.prescribe(nodes_in(*s.mesh, s.mesh->region("x1")), component, 0, "x1");
  fixed.finish();
  Vector b(device, s.K->rows(), "test");
  copy(s.b, b);
  fixed.set_zero(b);
  s.K->eliminate(fixed.mask(), max_abs(s.K->diagonal()));
  EXPECT_TRUE(multigrid.refresh());
  EXPECT_GT(transfers_made(device), before);
  EXPECT_LE(iterations(*s.K, b, multigrid), iterations(*s.K, b, SmoothedAggregation(*s.K, s.multigrid())) + 2);
}

}  // namespace
}  // namespace ritz
