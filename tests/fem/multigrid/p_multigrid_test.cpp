// Multigrid over orders: a symmetric positive definite cycle whose iterations depend neither on the mesh nor much on
// the order.
#include "fem/multigrid/even_cubes.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/multigrid/space_transfer.hpp"
#include "fem/operator/task_plans.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace ritz::test::p_multigrid_test {
namespace {

const Device& tested() {
  static const Device device = device_under_test(1);
  return device;
}

struct Clamped {
  Clamped(Mesh m, FormValue form, int order, const std::vector<std::pair<std::string, int>>& supports,
          const Device& device = tested())
      : mesh(std::move(m)),
        space(mesh, form.components, device, {.order = order}),
        equations(space, {Integral::over_all_cells(form)}),
        fixed(space) {
    for (const auto& [side, component] : supports) fixed.prescribe(mesh.region(side), component, 0, side);
    fixed.finish();
    u = space.zeros();
    b = space.zeros();
    fill_start_vector(b);
    fixed.set_zero(b);
  }
  SolveReport solve(const PMultigridOptions& options = {}) {
    const MatrixFree A(equations, fixed, u);
    const PMultigrid cycle(A, options);
    Vector x = space.zeros();
    return ConjugateGradient{.relative = 1e-9, .max_iterations = 200}.solve(A, b, x, &cycle);
  }
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
  Constraints fixed;
  Vector u, b;
};

const std::vector<std::pair<std::string, int>> all_sides = {{"x0", 0}, {"x1", 0}, {"y0", 0},
                                                            {"y1", 0}, {"z0", 0}, {"z1", 0}};
const std::vector<std::pair<std::string, int>> clamped = {{"x0", 0}, {"x0", 1}, {"x0", 2}};

TEST(PMultigrid, NeedsFewIterationsWhateverTheMesh) {
  for (const int order : {2, 4}) {
    std::vector<int> iterations;
    for (const Index n : {4, 8}) {
      Clamped m(box(n, n, n, {1, 1, 1}, CellKind::hex8, {.smooth = 0.05}), heat_form(3), order, all_sides);
      const SolveReport report = m.solve();
      EXPECT_TRUE(report.converged()) << summary(report);
      iterations.push_back(report.iterations);
    }
    EXPECT_LE(iterations[0], 20) << "order " << order;
    EXPECT_LE(iterations[1], iterations[0] + 4) << "order " << order;
  }
}

TEST(PMultigrid, SolvesOnEveryShape) {
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4, CellKind::quad9, CellKind::tet4, CellKind::tet10,
                              CellKind::hex8, CellKind::hex27, CellKind::prism6, CellKind::pyramid5}) {
    const int dimension = traits(kind).dimension;
    for (int order = 2; order <= 3; ++order) {
      const Mesh mesh = patch(kind, {.count = 3, .random = 0.02});
      auto sides = all_sides;
      sides.resize(static_cast<std::size_t>(2 * dimension));
      const SolveReport report =
          Clamped(patch(kind, {.count = 3, .random = 0.02}), heat_form(dimension), order, sides).solve();
      EXPECT_TRUE(report.converged()) << traits(kind).name << " " << summary(report);
      EXPECT_LE(report.iterations, 40) << traits(kind).name << ", order " << order;
    }
  }
}

TEST(PMultigrid, SolvesElasticityWithSupportsOfSingleComponents) {
  Clamped m(box(6, 3, 3, {2, 1, 1}, CellKind::hex8, {.smooth = 0.05}), elastic_form(3), 2,
            {{"x0", 0}, {"y0", 1}, {"z0", 2}});
  const SolveReport report = m.solve();
  EXPECT_TRUE(report.converged()) << summary(report);
  EXPECT_LE(report.iterations, 40);
  EXPECT_LE(Clamped(box(6, 3, 3, {2, 1, 1}, CellKind::hex8), elastic_form(3), 4, clamped).solve().iterations, 50);
}

bool is_on_cubes(Mesh mesh, const std::vector<Integral>& integrals, int order = 2) {
  const FunctionSpace space(mesh, integrals.front().form.components, tested(), {.order = order});
  return is_diffusion_on_cubes(Operator(space, integrals));
}

TEST(DiffusionOnCubes, IsThatOfOneConductivityOnCellsOfEvenEdges) {
  const std::vector<Integral> heat = {Integral::over_all_cells(heat_form(3))};
  const auto cubes = [] { return box(3, 3, 3, {3, 3, 3}, CellKind::hex8); };
  EXPECT_TRUE(is_on_cubes(cubes(), heat));
  EXPECT_TRUE(is_on_cubes(box(3, 3, 3, {3.3, 3, 3}, CellKind::hex27), heat));
  EXPECT_FALSE(is_on_cubes(box(3, 3, 3, {4, 3, 3}, CellKind::hex8), heat));
  EXPECT_FALSE(is_on_cubes(box(3, 3, 3, {3, 3, 3}, CellKind::hex8, {.smooth = 0.1}), heat));
  EXPECT_FALSE(is_on_cubes(box(3, 3, 3, {3, 3, 3}, CellKind::tet4), heat));
  EXPECT_FALSE(is_on_cubes(cubes(), {Integral::over_all_cells(elastic_form(3))}));
  std::vector<Integral> parts;
  for (const double conductivity : {1.0, 10.0}) {
    std::vector<Index> cells;
    for (Index cell = 0; cell < 27; ++cell)
      if ((cell < 9) == (conductivity == 1)) cells.push_back(cell);
    parts.push_back(Integral::over_cells(Diffusion<3>{.conductivity = conductivity}, cells));
  }
  EXPECT_FALSE(is_on_cubes(cubes(), parts));
  parts[1].form = parts[0].form;
  EXPECT_TRUE(is_on_cubes(cubes(), parts));
  parts[1].factor = 2;
  EXPECT_FALSE(is_on_cubes(cubes(), parts));
}

TEST(DiffusionOnCubes, IsNotThatOfCurvedCells) {
  MeshData data = box_data(2, 2, 2, {2, 2, 2}, CellKind::hex27);
  const Node middle = data.blocks[0].nodes[8];  // of an edge
  data.points[static_cast<std::size_t>(middle) * 3 + 1] -= 0.05;
  EXPECT_FALSE(is_on_cubes(Mesh(std::move(data)), {Integral::over_all_cells(heat_form(3))}));
}

// |x - y| / |y| of one cycle each. The mesh is so small that the matrix of order 1 is solved, not smoothed.
double difference_of_cycles(Clamped& m, const PMultigridOptions& one, const PMultigridOptions& other) {
  const MatrixFree A(m.equations, m.fixed, m.u);
  Vector x = m.space.zeros(), y = m.space.zeros();
  PMultigrid(A, one).apply(m.b, x);
  PMultigrid(A, other).apply(m.b, y);
  axpy(-1, y, x);
  return std::sqrt(dot(x, x) / dot(y, y));
}

TEST(PMultigrid, SmoothsInOneStepOnCubesUnlessTold) {
  const PMultigridOptions once{.coarsest = {.smoothing_degree = 1, .smoothing_ratio = 4}},
      twice{.coarsest = {.smoothing_ratio = 8 + 1e-6}};
  const auto heat = [](double length, int order) {
    return Clamped(box(4, 4, 4, {length, 4, 4}, CellKind::hex8), heat_form(3), order, all_sides);
  };
  for (const auto& [length, order, in_one] : {std::tuple{4.0, 2, true}, {6.0, 2, false}, {4.0, 4, false}}) {
    Clamped m = heat(length, order);
    EXPECT_LT(difference_of_cycles(m, {}, in_one ? once : twice), 1e-5) << length << ", order " << order;
    EXPECT_GT(difference_of_cycles(m, {}, in_one ? twice : once), 1e-3) << length << ", order " << order;
  }
}

TEST(PMultigrid, IsSymmetricAndPositive) {
  const int n = takes_small_sizes(device_under_test()) ? 2 : 3;
  for (const bool single : {false, true}) {
    Clamped m(box(n, n, n, {1, 1, 1}, CellKind::hex8, {.smooth = 0.05}), elastic_form(3), 4, clamped);
    const MatrixFree A(m.equations, m.fixed, m.u);
    const PMultigrid cycle(A, {.single_precision = single});
    Vector x = m.space.zeros(), y = m.space.zeros(), Mx = m.space.zeros(), My = m.space.zeros();
    x.upload(random_values(static_cast<std::size_t>(x.size()), 1));
    y.upload(random_values(static_cast<std::size_t>(y.size()), 2));
    cycle.apply(x, Mx);
    cycle.apply(y, My);
    const double scale = std::sqrt(dot(x, Mx) * dot(y, My));
    EXPECT_GT(dot(x, Mx), 0);
    EXPECT_NEAR(dot(x, My), dot(y, Mx), scale * 1e-5);  // the coarsest cycle is in single precision in both
  }
}

TEST(PMultigrid, InSinglePrecisionNeedsAsManyIterations) {
  Clamped m(box(6, 6, 6, {1, 1, 1}, CellKind::hex8, {.smooth = 0.05}), heat_form(3), 4, all_sides);
  const SolveReport in_single = m.solve(), in_double = m.solve({.single_precision = false});
  EXPECT_TRUE(in_single.converged());
  EXPECT_NEAR(in_single.iterations, in_double.iterations, 1);
}

// Far from the origin the corners of small cells differ in their last digits of single precision only.
TEST(PMultigrid, InSinglePrecisionWorksFarFromTheOrigin) {
  MeshData data = box_data(4, 4, 4, {1e-3, 1e-3, 1e-3}, CellKind::hex8);
  for (double& x : data.points) x += 100;
  Clamped m(Mesh(std::move(data)), heat_form(3), 2, all_sides);
  const SolveReport report = m.solve();
  EXPECT_TRUE(report.converged()) << summary(report);
  EXPECT_LE(report.iterations, 20);
}

TEST(PMultigrid, TakesAJumpOfTheCoefficient) {
  Mesh mesh = box(6, 6, 6, {1, 1, 1}, CellKind::hex8);
  std::vector<Index> soft, stiff;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    (mesh.point(mesh.nodes_of(cell)[0])[0] < 0.5 ? soft : stiff).push_back(cell);
  const FunctionSpace space(mesh, 1, tested(), {.order = 2});
  const Operator equations(space, {{Diffusion<3>{1.0}, false, soft, {}}, {Diffusion<3>{1e6}, false, stiff, {}}});
  Constraints fixed(space);
  fixed.prescribe(mesh.region("x0"), 0, 0, "x0");
  fixed.finish();
  Vector u = space.zeros(), b = space.zeros(), x = space.zeros();
  fill_start_vector(b);
  fixed.set_zero(b);
  const MatrixFree A(equations, fixed, u);
  const PMultigrid cycle(A);
  // Rounding of products with entries of 1e6 and of 1 leaves no more than 1e-8.
  const SolveReport report = ConjugateGradient{.relative = 1e-7, .max_iterations = 200}.solve(A, b, x, &cycle);
  EXPECT_TRUE(report.converged()) << summary(report);
  EXPECT_LE(report.iterations, 40);
}

// Interpolation between spaces: exact for polynomials of the lower order, and its transpose is its transpose.
TEST(SpaceTransfer, InterpolatesPolynomialsExactlyAndTransposes) {
  const Mesh mesh = box_mixed(4, 2, 2, {1, 1.2, 0.9}, 1, MidNodes::full, {.random = 0.02});
  const FunctionSpace coarse(mesh, 1, tested(), {.order = 1}), fine(mesh, 1, tested(), {.order = 3});
  const SpaceTransfer<double> transfer(coarse, fine);
  const auto linear = [](const Point& x) { return 1 + 2 * x[0] - x[1] + 0.5 * x[2]; };
  std::vector<double> at_coarse, at_fine;
  for (Node n = 0; n < coarse.node_count(); ++n) at_coarse.push_back(linear(coarse.point(n)));
  for (Node n = 0; n < fine.node_count(); ++n) at_fine.push_back(linear(fine.point(n)));
  Vector x = coarse.zeros(), y = fine.zeros();
  x.upload(at_coarse);
  transfer.sum_interpolated(x, y);
  const std::vector<double> weights = transfer.weights(), sums = y.host();
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(weights[i] * sums[i], at_fine[i], 1e-12);
  Vector v = fine.zeros(), back = coarse.zeros();
  v.upload(random_values(static_cast<std::size_t>(v.size())));
  transfer.sum_transposed(v, back);
  EXPECT_NEAR(dot(v, y), dot(back, x), 1e-10 * std::abs(dot(v, y)));
}

// With the lists of the operators, or its own: the same sums.
TEST(SpaceTransfer, OfOperatorsIsThatOfTheirSpaces) {
  const Device device = Device::named("cpu", 1);
  const Mesh mesh = box(5, 4, 3, {1, 1, 1}, CellKind::hex8, {.smooth = 0.05});
  const FunctionSpace coarse(mesh, 1, device, {.order = 2}), fine(mesh, 1, device, {.order = 4});
  std::vector<Index> some, others;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) (cell % 3 == 0 ? some : others).push_back(cell);
  const std::vector<std::vector<Integral>> models = {
      {Integral::over_all_cells(heat_form(3))},
      {{heat_form(3), false, some, {}}, {heat_form(3), false, others, {}}},
      {{heat_form(3), false, some, {}}}};  // here some cells have no integral
  Vector x = coarse.zeros(), y = fine.zeros(), expected = fine.zeros(), v = fine.zeros(), back = coarse.zeros(),
         expected_back = coarse.zeros();
  fill_start_vector(x);
  fill_start_vector(v);
  const SpaceTransfer<double> own(coarse, fine);
  own.sum_interpolated(x, expected);
  own.sum_transposed(v, expected_back);
  for (const std::vector<Integral>& integrals : models) {
    const Operator from(coarse, integrals), to(fine, integrals);
    const SpaceTransfer<double> transfer(from, to);
    EXPECT_EQ(transfer.weights(), own.weights());
    transfer.sum_interpolated(x, y);
    transfer.sum_transposed(v, back);
    axpy(-1, expected, y);
    axpy(-1, expected_back, back);
    EXPECT_LT(max_abs(y), 1e-13 * max_abs(expected));
    EXPECT_LT(max_abs(back), 1e-13 * max_abs(expected_back));
  }
}

TEST(Operator, SumsOfNodesShareTheirLists) {
  const Device device = Device::named("cpu", 1);
  const Mesh mesh = box(6, 6, 6, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 1, device, {.order = 4});
  const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
  const auto lists = [&] { return device.memory().statistics().live_by_tag.at("assembly lists"); };
  Vector u = space.zeros(), r = space.zeros();
  equations.action(u, r, r);
  const Index before = lists();
  for (int run = 0; run <= TaskPlans::runs_without_lists; ++run) equations.residual(u, r);
  const Vector diagonal = equations.diagonal({});
  EXPECT_EQ(lists(), before);
}

// An empty state is zero.
TEST(MatrixFree, KeepsNoStateThatIsZero) {
  Clamped m(box(3, 3, 3, {1, 1, 1}, CellKind::hex8), heat_form(3), 2, all_sides);
  const MatrixFree A(m.equations, m.fixed, m.u);
  EXPECT_TRUE(A.state().empty());
  fill(1.0, m.u);
  EXPECT_EQ(MatrixFree(m.equations, m.fixed, m.u).state().host(), m.u.host());
}

// Applications in a row: on a GPU the first is plain, the second is recorded, the third is a replay.
std::vector<double> equal_cycles(const PMultigrid& cycle, const Vector& b) {
  Vector x(b.device(), b.size(), "test");
  std::vector<double> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    cycle.apply(b, x);
    if (first.empty()) first = x.host();
    EXPECT_EQ(x.host(), first) << "application " << repeat + 1;
  }
  return first;
}

// The launches of a cycle take no memory (the fake device finds it), and a recording of them ends with the numbers that
// it holds: those of the forms, or tangents at points that were rebuilt.
void expect_cycles_follow_their_operator(const Device& device) {
  SCOPED_TRACE(device.info().kind);
  for (const int order : {2, 4}) {
    const bool keeps_tangents = order == 2;
    Clamped m(box(2, 2, 2, {1, 1, 1}, keeps_tangents ? CellKind::tet4 : CellKind::hex8),
              keeps_tangents ? test_form(FromEnergy<SofteningEnergy>{{1.3, 0.7}}) : heat_form(3), order,
              keeps_tangents ? clamped : all_sides, device);
    MatrixFree A(m.equations, m.fixed, m.u);
    const PMultigrid cycle(A);
    EXPECT_EQ(cycle.name().find("CUDA graph"), std::string::npos) << cycle.name();
    std::vector<double> before = equal_cycles(cycle, m.b);
    const auto expect_change = [&](const char* why) {
      const std::vector<double> now = equal_cycles(cycle, m.b);
      EXPECT_NE(now, before) << why << ", order " << order;
      before = now;
    };
    m.equations.inputs().set_factor(0, 1.25);
    expect_change("another factor");
    if (!keeps_tangents) continue;
    std::vector<double> u = random_values(static_cast<std::size_t>(m.u.size()), 2);
    for (double& value : u) value *= 0.01;
    m.u.upload(u);
    A.move_to(m.u);
    A.refresh();
    expect_change("another tangent");
  }
}

// Prescribed rows and products in one pass: the bits of two. A compiler may round sums in another way in each of them.
TEST(PMultigrid, ProductsWithTheOperatorAndTheCycleHaveTheBitsOfBothAlone) {
  for (const int order : {2, 4}) {
    Clamped m(box(3, 2, 2, {1, 1, 1}, CellKind::hex8, {.smooth = 0.05}), heat_form(3), order, all_sides);
    const MatrixFree A(m.equations, m.fixed, m.u);
    const PMultigrid cycle(A);
    const Device& device = m.space.device();
    const std::vector<double> values = random_values(static_cast<std::size_t>(m.b.size()), 3),
                              others = random_values(static_cast<std::size_t>(m.b.size()), 4);
    const Vector b(device, values, "test"), q(device, others, "test");
    Vector x = m.space.zeros(), y = m.space.zeros(), dots(device, 2, "test");
    A.apply(b, x);
    A.apply_dot(b, y, dots.data());
    EXPECT_EQ(y.host(), x.host());
    EXPECT_NEAR(dots.data()[0], dot(b, x), 1e-14 * norm2(b) * norm2(x));
    cycle.apply(b, x);
    for (const Vector* with : {static_cast<const Vector*>(nullptr), &q}) {
      for (Index i = 0; i < b.size(); ++i) cycle.single_argument()[i] = static_cast<float>(b.data()[i]);
      cycle.apply_single(b, y, with, dots.data());
      EXPECT_EQ(y.host(), x.host());
      EXPECT_NEAR(dots.data()[with == nullptr ? 0 : 1], dot(b, x), 1e-14 * norm2(b) * norm2(x));
      if (with != nullptr) { EXPECT_NEAR(dots.data()[0], -dot(q, x), 1e-14 * norm2(q) * norm2(x)); }
    }
  }
}

TEST(PMultigrid, CyclesFollowTheirOperator) {
  for (const char* device : {"cpu", "fake"}) expect_cycles_follow_their_operator(Device::named(device, 1));
}

TEST(PMultigridOnAGpu, CyclesFollowTheirOperator) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  expect_cycles_follow_their_operator(Device::named("gpu"));
}

// An iteration: the kernels of the product, whose last one takes x.y, too; the update with its sums and the residual in
// single precision; the result of the cycle with its prescribed rows and r.z; the direction. The cycle itself is one
// graph, whatever its orders.
TEST(PMultigridOnAGpu, AnIterationTakesOneGraphBesideTheProductAndThreeKernels) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  for (const int order : {2, 4}) {
    Clamped m(box(3, 2, 2, {1, 1, 1}, CellKind::hex8, {.smooth = 0.05}), heat_form(3), order, all_sides, gpu);
    const MatrixFree A(m.equations, m.fixed, m.u);
    const PMultigrid cycle(A);
    Vector x = m.space.zeros();
    const auto cost_of = [&](const auto& work) {
      const Traffic before = gpu.machine().traffic();
      work();
      const Traffic after = gpu.machine().traffic();
      return std::array<Index, 5>{after.kernels - before.kernels, after.graphs - before.graphs,
                                  after.scalar_reads - before.scalar_reads, after.to_device - before.to_device,
                                  after.to_host - before.to_host};
    };
    const auto solve = [&](int iterations) {
      x.fill_zero();
      const ConjugateGradient method{.relative = 1e-15, .max_iterations = iterations};
      EXPECT_EQ(method.solve(A, m.b, x, &cycle).iterations, iterations);
    };
    const Index product = cost_of([&] { A.apply(m.b, x); })[0], plain = cost_of([&] { cycle.apply(m.b, x); })[0];
    EXPECT_GT(plain, 20) << "order " << order;
    solve(2);  // the cycle is recorded
    const auto few = cost_of([&] { solve(2); }), more = cost_of([&] { solve(5); });
    EXPECT_EQ(more[0] - few[0], 3 * (product + 3)) << "order " << order;
    EXPECT_EQ(more[1] - few[1], 3);
    EXPECT_EQ(more[2] - few[2], 3);
    EXPECT_EQ(more[3], few[3]);
    EXPECT_EQ(more[4], few[4]);
  }
}

// Bytes of a cycle that is replayed are counted as those of a plain one.
TEST(PMultigridOnAGpu, AReplayCountsTheBytesOfTheCycle) {
  if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
  const Device gpu = Device::named("gpu");
  Clamped m(box(3, 2, 2, {1, 1, 1}, CellKind::hex8), heat_form(3), 4, all_sides, gpu);
  const MatrixFree A(m.equations, m.fixed, m.u);
  const PMultigrid cycle(A);
  Vector x = m.space.zeros();
  std::vector<Index> bytes;
  for (const char* name : {"plain", "recorded", "replayed", "replayed again"}) {
    {
      const auto phase = gpu.profile().phase(name);
      cycle.apply(m.b, x);
    }
    const auto& phases = gpu.profile().phases();
    bytes.push_back(std::ranges::find(phases, name, &PhaseRecord::name)->bytes);
  }
  EXPECT_GT(bytes[0], 0);
  EXPECT_EQ(bytes, std::vector<Index>(4, bytes[0]));
}

TEST(PMultigrid, RefusesSpacesOfOrderOne) {
  Clamped m(box(2, 2, 2, {1, 1, 1}, CellKind::hex8), heat_form(3), 1, all_sides);
  EXPECT_THROW(PMultigrid(MatrixFree(m.equations, m.fixed, m.u)), Error);
}

}  // namespace
}  // namespace ritz::test::p_multigrid_test
