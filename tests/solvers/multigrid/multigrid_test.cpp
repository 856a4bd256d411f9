#include "device/error.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "tests/solvers/multigrid/models.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace ritz {
namespace {

using testing::cantilever;
using testing::heat_cube;
using testing::System;

SolveReport solve(const System& s, const SmoothedAggregationOptions& options, double relative = 1e-8) {
  const SmoothedAggregation multigrid(*s.K, options);
  Vector x = s.space->zeros();
  return ConjugateGradient{.relative = relative, .max_iterations = 300}.solve(*s.K, s.b, x, &multigrid);
}

Vector waves(const System& s, double frequency) {
  std::vector<double> values(static_cast<std::size_t>(s.space->unknown_count()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(frequency * double(i) + 0.3);
  return Vector(s.K->device(), std::span<const double>(values), "test");
}

TEST(Multigrid, IsASymmetricPositiveDefiniteOperator) {
  const Device device = Device::named("cpu");
  for (const bool single_precision : {false, true}) {
    const System s = cantilever(CellKind::tet10, 4, device);
    SmoothedAggregationOptions options = s.multigrid();
    options.single_precision = single_precision;
    const SmoothedAggregation multigrid(*s.K, options);
    EXPECT_GE(multigrid.levels().size(), 2u);
    const Vector u = waves(s, 0.37), v = waves(s, 1.91);
    Vector Mu = s.space->zeros(), Mv = s.space->zeros();
    multigrid.apply(u, Mu);
    multigrid.apply(v, Mv);
    const double scale = std::sqrt(dot(u, Mu) * dot(v, Mv));
    EXPECT_GT(dot(u, Mu), 0);
    EXPECT_GT(dot(v, Mv), 0);
    // Sums of 6000 products in a hierarchy of three levels: a few thousand units of rounding.
    EXPECT_NEAR(dot(Mu, v), dot(u, Mv), (single_precision ? 1e-4 : 1e-12) * scale);
  }
}

// Equal equations for several fields that do not couple: aggregates are those of nodes, whose blocks weigh less than
// single entries do.
TEST(Multigrid, SeveralFieldsTakeHardlyMoreIterationsThanOne) {
  const Device device = Device::named("cpu");
  const System s = heat_cube(CellKind::hex8, 12, device);
  const std::vector<double> entries = s.K->values().host(), load = s.b.host();
  const int alone = solve(s, {}).iterations;
  for (std::size_t fields = 2; fields <= 6; ++fields) {
    SparseMatrix A(s.K->shared_pattern(), static_cast<int>(fields));
    std::vector<double> blocks, b;
    for (const double entry : entries)
      for (std::size_t i = 0; i < fields * fields; ++i) blocks.push_back(i % (fields + 1) == 0 ? entry : 0.0);
    for (const double each : load)
      for (std::size_t i = 0; i < fields; ++i) b.push_back((1.0 + double(i)) * each);
    A.values().upload(blocks);
    const SmoothedAggregation multigrid(A, {});
    EXPECT_GE(multigrid.levels().size(), 2u);
    Vector x(device, A.rows(), "test");
    x.fill_zero();
    const SolveReport report = ConjugateGradient{.relative = 1e-8}.solve(A, Vector(device, b, "test"), x, &multigrid);
    EXPECT_TRUE(report.converged());
    EXPECT_LE(report.iterations, alone + 3) << fields << " fields";
    const std::vector<double> u = x.host();
    for (std::size_t node = 0; node < load.size(); ++node)
      ASSERT_NEAR(u[node * fields + fields - 1], double(fields) * u[node * fields], 1e-6) << fields << " fields";
  }
}

// Heat without a prescribed temperature: K is singular, and sources of mean zero are consistent. One level and several.
TEST(Multigrid, SolvesANeumannProblem) {
  const Device device = Device::named("cpu");
  for (const Index n : {4, 12})
    for (const bool single_precision : {false, true}) {
      const System s = testing::make_system(box(n, n, n, {1, 1, 1}, CellKind::hex8), 1,
                                            {Integral::over_all_cells(Diffusion<3>{1})}, {}, device);
      std::vector<double> sources = waves(s, 0.37).host();
      double mean = 0;
      for (const double each : sources) mean += each / double(sources.size());
      for (double& each : sources) each -= mean;
      SmoothedAggregationOptions options = s.multigrid();
      options.single_precision = single_precision;
      const SmoothedAggregation multigrid(*s.K, options);
      Vector x = s.space->zeros();
      const SolveReport report = ConjugateGradient{.relative = 1e-8, .max_iterations = 60}.solve(
          *s.K, Vector(device, std::span<const double>(sources), "test"), x, &multigrid);
      EXPECT_TRUE(report.converged()) << n << (single_precision ? " single" : " double");
      EXPECT_LE(report.iterations, 30) << n;
    }
}

TEST(Multigrid, CycleOnSeveralVectorsDoesToEachWhatItDoesToOne) {
  for (const int threads : {1, 2}) {
    const Device device = Device::named("cpu", threads);
    for (const System& s : {cantilever(CellKind::tet10, 4, device), heat_cube(CellKind::tet4, 12, device)})
      for (const auto& [single_precision, half_storage] :
           {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
        SmoothedAggregationOptions options = s.multigrid();
        options.single_precision = single_precision;
        options.half_storage = half_storage;
        const SmoothedAggregation multigrid(*s.K, options);
        constexpr int columns = 11;
        MultiVector B(device, s.K->rows(), columns), X(device, s.K->rows(), columns);
        for (int j = 0; j < columns; ++j) B.set_column(j, waves(s, 0.1 + 0.3 * j));
        multigrid.apply_block(B, X);
        Vector one = s.space->zeros(), of_block = s.space->zeros();
        for (int j = 0; j < columns; ++j) {
          multigrid.apply(waves(s, 0.1 + 0.3 * j), one);
          X.get_column(j, of_block);
          axpy(-1.0, one, of_block);
          // Bending amplifies the rounding of the coarsest levels.
          EXPECT_LE(norm2(of_block), (single_precision ? 5e-5 : 1e-13) * norm2(one)) << "column " << j;
        }
      }
  }
}

// Twice as fine in every direction: the iterations grow by less than half (conjugate gradients alone: they double).
TEST(Multigrid, IterationsHardlyGrowWithTheMesh) {
  const Device device = Device::named("cpu");
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::tet10}) {
    SCOPED_TRACE(traits(kind).name);
    const Index n = traits(kind).order == 1 ? 8 : 4;
    const System coarse = cantilever(kind, n, device), fine = cantilever(kind, 2 * n, device);
    const SolveReport few = solve(coarse, coarse.multigrid()), many = solve(fine, fine.multigrid());
    EXPECT_TRUE(few.converged());
    EXPECT_TRUE(many.converged());
    EXPECT_LT(many.iterations, 1.5 * few.iterations + 3);
    EXPECT_LT(many.iterations, 60);
  }
  const System coarse = heat_cube(CellKind::tet4, 12, device), fine = heat_cube(CellKind::tet4, 24, device);
  const SolveReport few = solve(coarse, coarse.multigrid()), many = solve(fine, fine.multigrid());
  EXPECT_LT(many.iterations, 1.5 * few.iterations + 3);
  EXPECT_LT(many.iterations, 20);
}

// Purpose of the near-null space: with translations alone bending needs many more iterations.
TEST(Multigrid, RotationsMakeBendingFast) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 10, device);
  const SolveReport with = solve(s, s.multigrid()), without = solve(s, {});
  EXPECT_TRUE(with.converged());
  EXPECT_TRUE(without.converged());
  EXPECT_LT(1.3 * with.iterations, without.iterations);
}

TEST(Multigrid, SinglePrecisionCyclesReachDoublePrecisionSolutions) {
  const Device device = Device::named("cpu");
  const System s = cantilever(CellKind::hex8, 6, device);
  SmoothedAggregationOptions options = s.multigrid();
  const SolveReport single = solve(s, options, 1e-11);
  options.single_precision = false;
  const SolveReport twice = solve(s, options, 1e-11);
  EXPECT_TRUE(single.converged());
  EXPECT_TRUE(twice.converged());
  EXPECT_LE(single.true_relative_residual, 1e-11);
  EXPECT_LE(single.iterations, twice.iterations + 4);
  EXPECT_LT(SmoothedAggregation(*s.K, s.multigrid()).bytes(),
            0.75 * double(SmoothedAggregation(*s.K, options).bytes()));
}

// Matrices in 16 bits cost at most a fifth of the iterations more; the solution is as good. Structured meshes, whose
// entries all round alike.
TEST(Multigrid, MatricesInSixteenBitsReachTheSameSolutions) {
  const Device device = Device::named("cpu");
  for (const System& s : {cantilever(CellKind::tet10, 5, device), cantilever(CellKind::hex8, 7, device),
                          cantilever(CellKind::tet4, 8, device), heat_cube(CellKind::tet4, 24, device),
                          heat_cube(CellKind::hex8, 20, device), heat_cube(CellKind::tet10, 9, device)}) {
    SmoothedAggregationOptions options = s.multigrid();
    const SolveReport single = solve(s, options);
    const Index bytes = SmoothedAggregation(*s.K, options).bytes();
    options.half_storage = true;
    const SolveReport half = solve(s, options);
    EXPECT_TRUE(half.converged());
    EXPECT_LE(half.true_relative_residual, 1e-8);
    EXPECT_LE(half.iterations, 1.2 * single.iterations + 1);
    const SmoothedAggregation multigrid(*s.K, options);
    // At least two bytes less for each entry of the first level (a tenth more with the others), and padding of slices.
    EXPECT_LE(multigrid.bytes(), bytes - 2 * s.K->values().size());
    EXPECT_NE(multigrid.name().find("matrices in 16 bits"), std::string::npos);
  }
}

void expect_the_same_bits(CellKind kind, int cells, std::initializer_list<int> thread_counts) {
  std::vector<double> first;
  for (const int threads : thread_counts) {
    const Device device = Device::named("cpu", threads);
    const System s = cantilever(kind, cells, device);
    const SmoothedAggregation multigrid(*s.K, s.multigrid());
    Vector x = s.space->zeros();
    multigrid.apply(s.b, x);
    const std::vector<double> values = x.host();
    if (first.empty()) first = values;
    EXPECT_EQ(values, first) << threads << " threads";
  }
}

TEST(Multigrid, GivesTheSameBitsForEveryThreadCount) { expect_the_same_bits(CellKind::tet4, 5, {1, 2, 3}); }

// The product of a level is made by panels of rows, whose borders lie elsewhere when there are more threads.
TEST(Multigrid, PanelsOfTheProductDoNotShowInTheBits) { expect_the_same_bits(CellKind::tet10, 11, {1, 3}); }

// No hidden transfer: the fake device's memory cannot be touched by the host, and a cycle moves nothing.
// A residual that was left in single precision, and a result that comes with its products: the bits of the cycle and of
// the products alone.
TEST(Multigrid, ACycleWithItsProductsHasTheBitsOfBoth) {
  const Device device = Device::named("cpu", 2);
  const System s = cantilever(CellKind::tet4, 6, device);
  for (const bool half : {false, true}) {
    SmoothedAggregationOptions options = s.multigrid();
    options.half_storage = half;
    const SmoothedAggregation multigrid(*s.K, options);
    const Vector b = waves(s, 0.37), q = waves(s, 1.91);
    Vector x = s.space->zeros(), y = s.space->zeros(), dots(device, 2, "test");
    multigrid.apply(b, x);
    const auto apply_single = [&](const Vector* with) {
      for (Index i = 0; i < b.size(); ++i) multigrid.single_argument()[i] = static_cast<float>(b.data()[i]);
      fill(0.0, y);
      multigrid.apply_single(b, y, with, dots.data());
      EXPECT_EQ(y.host(), x.host());
    };
    apply_single(nullptr);
    EXPECT_EQ(dots.data()[0], dot(b, x));
    apply_single(&q);
    EXPECT_EQ(dots.data()[0], -dot(q, x));
    EXPECT_EQ(dots.data()[1], dot(b, x));
  }
  SmoothedAggregationOptions options = s.multigrid();
  options.single_precision = false;
  EXPECT_EQ(SmoothedAggregation(*s.K, options).single_argument(), nullptr);
}

TEST(Multigrid, ACycleMovesNothingBetweenHostAndDevice) {
  const Device device = Device::named("fake");
  const System s = cantilever(CellKind::hex8, 4, device);
  const SmoothedAggregation multigrid(*s.K, s.multigrid());
  Vector x = s.space->zeros();
  const Traffic before = device.machine().traffic();
  const Index allocations = device.memory().statistics().raw_allocations;
  multigrid.apply(s.b, x);
  const Traffic after = device.machine().traffic();
  EXPECT_EQ(after.to_device, before.to_device);
  EXPECT_EQ(after.to_host, before.to_host);
  EXPECT_EQ(device.memory().statistics().raw_allocations, allocations);
}

// Stiff and soft layers, a million to one.
TEST(Multigrid, CopesWithContrast) {
  const Device device = Device::named("cpu");
  Mesh mesh = box(24, 6, 6, {4, 1, 1}, CellKind::hex8);
  Region soft{"soft", RegionKind::cells, {}, {}, {}}, stiff{"stiff", RegionKind::cells, {}, {}, {}};
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    double z = 0;
    for (const Node node : mesh.nodes_of(cell)) z += mesh.point(node)[2] / 8;
    (z < 0.5 ? soft : stiff).cells.push_back(cell);
  }
  const Lame l = Lame::from(1000, 0.3), hard = Lame::from(1e9, 0.3);
  std::vector<Integral> integrals{Integral::over(Elasticity{l.lambda, l.mu}, soft),
                                  Integral::over(Elasticity{hard.lambda, hard.mu}, stiff),
                                  Integral::over_all_cells(Load<3, 3, 0>{{0, 0, -1}})};
  const System s =
      testing::make_system(std::move(mesh), 3, std::move(integrals), {{"x0", 0}, {"x0", 1}, {"x0", 2}}, device);
  const SolveReport report = solve(s, s.multigrid());
  EXPECT_TRUE(report.converged()) << name_of(report.reason);
  EXPECT_LT(report.iterations, 150);
}

// Springs between planes whose stiffness changes by hundreds from one to the next; within a plane they are weak. Few
// springs are strong at both of their ends: where both are asked for, coarsening ends at 8,437 unknowns.
TEST(Multigrid, CopesWithACoefficientThatVariesByHundredsFromCellToCell) {
  const Device device = Device::named("cpu");
  constexpr Index n = 24;
  const System s = heat_cube(CellKind::hex8, n, device);
  const std::vector<double> x = s.space->coordinates().host();
  const std::vector<Index> offsets = s.K->pattern().offsets().host();
  const std::vector<std::int32_t> column = s.K->pattern().columns().host();
  std::vector<double> values = s.K->values().host();
  const auto plane = [&](Index node) { return std::lround(x[static_cast<std::size_t>(3 * node)] * double(n)); };
  const auto stiffness = [](long below) { return std::exp(6.9 * std::sin(20 * (double(below) + 0.5) / double(n))); };
  const auto is_fixed = [](long at) { return at == 0 || at == n; };
  for (Index i = 0; i < s.K->rows(); ++i) {
    double sum = 0;
    std::size_t diagonal = 0;
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(offsets[row]); k < static_cast<std::size_t>(offsets[row + 1]); ++k) {
      const long mine = plane(i), other = plane(column[k]);
      if (column[k] == i) diagonal = k;
      if (column[k] == i) continue;
      const double spring =
          mine == other ? 0.01 * (stiffness(mine - 1) + stiffness(mine)) : stiffness(std::min(mine, other));
      values[k] = is_fixed(mine) || is_fixed(other) ? 0 : -spring;
      sum += spring;
    }
    values[diagonal] = sum;
  }
  s.K->values().upload(values);
  const SmoothedAggregation multigrid(*s.K, s.multigrid());
  Vector u = s.space->zeros();
  const SolveReport report = ConjugateGradient{.relative = 1e-8, .max_iterations = 300}.solve(*s.K, s.b, u, &multigrid);
  EXPECT_TRUE(report.converged());
  EXPECT_LT(report.iterations, 20);
  EXPECT_LT(multigrid.levels().back().unknowns, 600);
}

// Aggregates along the short edges differ in size from column to column; constants must pass them on all levels.
TEST(Multigrid, CopesWithStretchedCells) {
  const Device device = Device::named("cpu");
  for (const Point& size : {Point{50, 50, 1}, {50, 1, 1}}) {
    const auto heat = [&](Index n) {
      return testing::make_system(
          box(n, n, n, size, CellKind::hex8), 1,
          {Integral::over_all_cells(Diffusion<3>{1}), Integral::over_all_cells(Load<1, 3, 0>{{1}})}, {{"x0", 0}},
          device);
    };
    for (const Index n : {12, 24}) {
      const System s = heat(n);
      SmoothedAggregationOptions options = s.multigrid();
      options.coarsest_size = 60;  // four levels and more
      const SolveReport report = solve(s, options);
      EXPECT_TRUE(report.converged());
      EXPECT_LT(report.iterations, 34) << n;  // where they do not pass, 50 and more
    }
  }
}

// With aggregates that follow the norms of blocks, which do not see the short edges, it takes 118 to 1803 iterations;
// only tetrahedra at 50 : 50 : 1 take 34.
TEST(Multigrid, CopesWithElasticityInStretchedCells) {
  const Device device = Device::named("cpu");
  const Lame l = Lame::from(1000, 0.3);
  for (const CellKind kind : {CellKind::hex8, CellKind::tet4})
    for (const Point& size : {Point{10, 1, 1}, {50, 1, 1}, {50, 50, 1}}) {
      const System s = testing::make_system(
          box(10, 10, 10, size, kind), 3,
          {Integral::over_all_cells(Elasticity{l.lambda, l.mu}), Integral::over_all_cells(Load<3, 3, 0>{{1, 2, 3}})},
          {{"x0", 0}, {"x0", 1}, {"x0", 2}}, device);
      const SolveReport report = solve(s, s.multigrid(), 1e-6);
      EXPECT_TRUE(report.converged()) << traits(kind).name << " " << size[0] << " : " << size[1];
      EXPECT_LT(report.iterations, 60) << traits(kind).name << " " << size[0] << " : " << size[1];
    }
}

// One component per face, a point for each remaining motion: most unknowns of the supported nodes stay free.
TEST(Multigrid, CopesWithSupportsOfSingleComponents) {
  const Device device = Device::named("cpu");
  const Lame l = Lame::from(1000, 0.3);
  const System s = testing::make_system(
      box(16, 8, 8, {2, 1, 1}, CellKind::tet4), 3,
      {Integral::over_all_cells(Elasticity{l.lambda, l.mu}), Integral::over_all_cells(Load<3, 3, 0>{{1, 2, -1}})},
      {{"x0", 0}, {"y0", 1}, {"z0", 2}}, device);
  const SolveReport report = solve(s, s.multigrid());
  EXPECT_TRUE(report.converged());
  EXPECT_LT(report.iterations, 40);
}

TEST(Multigrid, SolvesMixedCellsAndPlaneProblems) {
  const Device device = Device::named("cpu");
  const Lame l = Lame::from(1000, 0.3);
  const System mixed = testing::make_system(
      box_mixed(12, 4, 4, {3, 1, 1}, 2), 3,
      {Integral::over_all_cells(Elasticity{l.lambda, l.mu}), Integral::over_all_cells(Load<3, 3, 0>{{0, 0, -1}})},
      {{"x0", 0}, {"x0", 1}, {"x0", 2}}, device);
  EXPECT_TRUE(solve(mixed, mixed.multigrid()).converged());
  const System plane = testing::make_system(
      rectangle(60, 20, {3, 1}, CellKind::quad8), 2,
      {Integral::over_all_cells(PlaneElasticity::plane_stress(l, 1)), Integral::over_all_cells(Load<2, 2, 0>{{0, -1}})},
      {{"x0", 0}, {"x0", 1}}, device);
  const SolveReport report = solve(plane, plane.multigrid());
  EXPECT_TRUE(report.converged());
  EXPECT_LT(report.iterations, 60);
}

// One layer of quadratic solids, 33 times as long as thick; and nearly incompressible solids. At 100 times the
// iteration does not end within 1000 steps: docs/solver-methods.md says what to do.
TEST(Multigrid, CopesWithThinPlatesAndNearlyIncompressibleSolids) {
  const Device device = Device::named("cpu");
  const Lame l = Lame::from(1000, 0.3);
  for (const CellKind kind : {CellKind::hex20, CellKind::tet10}) {
    const System plate = testing::make_system(
        box(20, 20, 1, {1, 1, 0.03}, kind), 3,
        {Integral::over_all_cells(Elasticity{l.lambda, l.mu}), Integral::over_all_cells(Load<3, 3, 0>{{0, 0, -1}})},
        {{"x0", 0}, {"x0", 1}, {"x0", 2}}, device);
    const SolveReport report = solve(plate, plate.multigrid());
    EXPECT_TRUE(report.converged()) << name_of(report.reason);
    RecordProperty(std::string(traits(kind).name), report.iterations);
    EXPECT_LT(report.iterations, 250);
  }
  const System rubber = cantilever(CellKind::tet10, 4, device, 0.49);
  const SolveReport report = solve(rubber, rubber.multigrid());
  EXPECT_TRUE(report.converged()) << name_of(report.reason);
  RecordProperty("nearly incompressible", report.iterations);
  EXPECT_LT(report.iterations, 200);
}

// A quarter of a square plate with a hole: cells at its corner that are flat rhombi.
System quarter_plate_with_a_hole(Index nr, Index nt, const Device& device) {
  MeshData data = rectangle_data(nr, nt, {1, 1}, CellKind::quad4);
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const double angle = 0.5 * std::numbers::pi * data.points[i + 1], c = std::cos(angle), s = std::sin(angle);
    const double radius = 1 + (5 / std::max(c, s) - 1) * std::pow(data.points[i], 1.5);
    data.points[i] = radius * c;
    data.points[i + 1] = radius * s;
  }
  const Lame l = Lame::from(1, 0.3);
  return testing::make_system(
      Mesh(std::move(data)), 2,
      {Integral::over_all_cells(PlaneElasticity::plane_stress(l, 1)), Integral::over_all_cells(Load<2, 2, 0>{{1, 0}})},
      {{"y0", 1}, {"y1", 0}}, device);
}

// A system no larger than a coarsest level is solved by its dense inverse. With no levels allowed below it and too
// large for an inverse, many smoothing steps replace it, which must stay positive definite whatever the largest
// eigenvalue: here a bound that is 0.2 % too low showed.
TEST(Multigrid, OneLevelIsSolved) {
  const Device device = Device::named("cpu");
  for (const Index n : {3, 6, 7, 8, 10}) {
    const System s = quarter_plate_with_a_hole(n, n + n / 2, device);
    ASSERT_LE(s.space->unknown_count(), 600);
    const SolveReport report = solve(s, s.multigrid());
    EXPECT_TRUE(report.converged()) << n << ' ' << name_of(report.reason);
    EXPECT_LE(report.iterations, 4) << n;  // an exact solve but for its single precision
  }
  for (const Index n : {8, 12, 24, 30, 40}) {
    const System s = quarter_plate_with_a_hole(n, n + n / 2, device);
    SmoothedAggregationOptions options = s.multigrid();
    options.max_levels = 1;
    options.coarsest_size = 10;
    for (const bool single : {false, true}) {
      options.single_precision = single;
      const SolveReport report = solve(s, options);
      EXPECT_TRUE(report.converged()) << n << ' ' << single << ' ' << name_of(report.reason);
    }
  }
}

TEST(Multigrid, NeedsLessThanItsShareOfMemory) {
  const Device device = Device::named("cpu");
  const System s = heat_cube(CellKind::hex8, 32, device);
  const SmoothedAggregation multigrid(*s.K, s.multigrid());
  // bytes per unknown of a 27-point matrix
  EXPECT_LT(double(multigrid.bytes()) / double(s.space->unknown_count()), 600);
  EXPECT_LT(multigrid.operator_complexity(), 1.5);
}

}  // namespace
}  // namespace ritz
