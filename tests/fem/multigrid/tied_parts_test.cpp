// Two halves of a cantilever joined by equations, beside the whole one: multigrid needs about as many iterations.
#include "fem/analysis/static_solution.hpp"
#include "fem/physics/rigid_region.hpp"
#include "fem/physics/tie.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <gtest/gtest.h>

namespace ritz::test {
namespace {

struct Beam {
  // `guides`: sides that do not move along x.
  Beam(Mesh m, const std::string& clamp, const std::string& loaded, int order, const char* region = nullptr,
       const char* onto = nullptr, TieOptions options = {}, const std::vector<std::string>& guides = {})
      : mesh(std::move(m)),
        space(mesh, 3, device_under_test(2), {.order = order}),
        equations(space, {Integral::over_all_cells(elastic_form(3)),
                          Integral::over(facet_load(3, std::vector{0.0, 1e-3, 0.0}), mesh.region(loaded))}),
        fixed(space) {
    for (int c = 0; c < 3; ++c) fixed.prescribe(mesh.region(clamp), c, 0, clamp);
    for (const std::string& side : guides) fixed.prescribe(mesh.region(side), 0, 0, side);
    options.held = fixed.host_mask();
    if (region != nullptr) fixed.relate(tie(space, mesh.region(region), mesh.region(onto), options).equations);
    fixed.finish();
  }
  StaticSolution solve(OperatorKind kind, MultigridLevels levels) const {
    return solve_static(equations, fixed,
                        {.method = LinearMethod::conjugate_gradient,
                         .preconditioner = PreconditionerKind::multigrid,
                         .multigrid = {.levels = levels},
                         .promise = MatrixPromise::positive_definite,
                         .operator_kind = kind});
  }
  double tip(const StaticSolution& s, const std::string& region) const {
    const std::vector<double> u = s.u.host();
    return u[static_cast<std::size_t>(3 * space.nodes_in(mesh.region(region)).front() + 1)];
  }
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
  Constraints fixed;
};

struct Halves {
  std::string name;
  int order;
  OperatorKind kind;
  Index upper;  // cells of the upper half across
  MultigridLevels levels;
  double tolerance;  // of the deflection; meshes that match: rounding
};
void PrintTo(const Halves& halves, std::ostream* out) { *out << halves.name; }

constexpr OperatorKind matrix = OperatorKind::matrix, matrix_free = OperatorKind::matrix_free;
constexpr MultigridLevels automatic = MultigridLevels::automatic, aggregation = MultigridLevels::aggregation;

class TiedHalves : public ::testing::TestWithParam<Halves> {};

TEST_P(TiedHalves, BendLikeTheWholeInAsManyIterations) {
  const Halves& p = GetParam();
  const Index n = p.order > 2 ? 4 : 8;
  const Beam whole(box(n, n, 6 * n, {1, 1, 6}, CellKind::hex8), "z0", "z1", p.order);
  MeshData upper = box_data(p.upper, p.upper, 3 * p.upper, {1, 1, 3}, CellKind::hex8);
  transform_points(upper, [](std::span<double, 3> x) { x[2] += 3; });
  const bool upper_follows = p.upper >= n;  // the finer side
  const Beam tied(Mesh(both(box_data(n, n, 3 * n, {1, 1, 3}, CellKind::hex8), "low", upper, "up")), "low_z0", "up_z1",
                  p.order, upper_follows ? "up_z0" : "low_z1", upper_follows ? "low_z1" : "up_z0");
  const StaticSolution one = whole.solve(p.kind, p.levels), two = tied.solve(p.kind, p.levels);
  EXPECT_NEAR(tied.tip(two, "up_z1") / whole.tip(one, "z1"), 1, p.tolerance);
  EXPECT_LE(two.report.iterations, 1.3 * one.report.iterations);
}

// Across a gap components mix a little, and next to supports they differ. Nested meshes serve all the same.
TEST(TiedParts, BySurfaceAcrossAGapNextToSupportsTakeAsManyIterationsAsTheWhole) {
  const Beam whole(box(8, 8, 32, {1, 1, 4}, CellKind::hex8), "z0", "z1", 0, nullptr, nullptr, {}, {"x0"});
  MeshData upper = box_data(12, 12, 24, {1, 1, 2}, CellKind::hex8);
  transform_points(upper, [](std::span<double, 3> x) { x[2] += 2 + 0.02 / 12; });
  const Beam tied(Mesh(both(box_data(8, 8, 16, {1, 1, 2}, CellKind::hex8), "low", upper, "up")), "low_z0", "up_z1", 0,
                  "up_z0", "low_z1", {.integrated = true}, {"low_x0", "up_x0"});
  const StaticSolution one = whole.solve(matrix, MultigridLevels::nested);
  const StaticSolution two = tied.solve(matrix, MultigridLevels::nested);
  EXPECT_LE(two.report.iterations, 1.3 * one.report.iterations);
  EXPECT_NEAR(tied.tip(two, "up_z1") / whole.tip(one, "z1"), 1, 0.02);
}

// 1e-3 per area on one end: each side of the tie exerts it on the other.
TEST(TiedParts, TellTheForceBetweenThem) {
  MeshData upper = box_data(3, 3, 6, {1, 1, 3}, CellKind::hex8);
  transform_points(upper, [](std::span<double, 3> x) { x[2] += 3; });
  const Beam tied(Mesh(both(box_data(2, 2, 6, {1, 1, 3}, CellKind::hex8), "low", upper, "up")), "low_z0", "up_z1", 0,
                  "up_z0", "low_z1");
  const StaticSolution s = tied.solve(matrix, automatic);
  const auto sum_over = [&](const std::string& region) {
    double sum = 0;
    for (const Node node : nodes_in(tied.mesh, tied.mesh.region(region)))
      sum += s.reaction[static_cast<std::size_t>(3 * node + 1)];
    return sum;
  };
  EXPECT_NEAR(sum_over("up_z0"), -1e-3, 1e-9);
  EXPECT_NEAR(sum_over("low_z1"), 1e-3, 1e-9);
  EXPECT_NEAR(sum_over("low_z0"), -1e-3, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(, TiedHalves,
                         ::testing::Values(Halves{"Matching", 0, matrix, 8, automatic, 1e-6},
                                           Halves{"MatchingAggregated", 0, matrix, 8, aggregation, 1e-6},
                                           Halves{"Finer", 0, matrix, 16, automatic, 0.03},
                                           Halves{"Coarser", 0, matrix, 5, aggregation, 0.06},
                                           Halves{"FinerAggregated", 0, matrix, 11, aggregation, 0.02},
                                           Halves{"Order2WithAMatrix", 2, matrix, 8, automatic, 1e-6},
                                           Halves{"Order2", 2, matrix_free, 8, automatic, 1e-6},
                                           Halves{"Order2Coarser", 2, matrix_free, 4, automatic, 0.01},
                                           Halves{"Order2Finer", 2, matrix_free, 11, aggregation, 0.01},
                                           Halves{"Order4", 4, matrix_free, 4, automatic, 1e-6},
                                           Halves{"Order4Coarser", 4, matrix_free, 3, aggregation, 0.01}),
                         [](const auto& info) { return info.param.name; });

// A rigid end plate follows three of its nodes: dense rows of the matrix, and coarser levels by aggregation.
TEST(RigidEnd, TakesAboutAsManyIterationsAsAFreeOne) {
  for (const int order : {0, 2}) {
    const OperatorKind kind = order == 0 ? matrix : matrix_free;
    const auto mesh = [] { return box(8, 8, 32, {1, 1, 4}, CellKind::hex8); };
    const Beam free(mesh(), "z0", "z1", order);
    Beam rigid(mesh(), "z0", "z1", order);
    Constraints fixed(rigid.space);
    for (int c = 0; c < 3; ++c) fixed.prescribe(rigid.mesh.region("z0"), c, 0, "clamp");
    fixed.relate(RigidRegion(rigid.space, rigid.mesh.region("z1")).equations());
    fixed.finish();
    const StaticSolution one = free.solve(kind, aggregation);
    const StaticSolution two = solve_static(rigid.equations, fixed,
                                            {.method = LinearMethod::conjugate_gradient,
                                             .preconditioner = PreconditionerKind::multigrid,
                                             .multigrid = {.levels = aggregation},
                                             .promise = MatrixPromise::positive_definite,
                                             .operator_kind = kind});
    EXPECT_LE(two.report.iterations, 1.3 * one.report.iterations) << order;
    EXPECT_NEAR(rigid.tip(two, "z1") / free.tip(one, "z1"), 1, 0.01);
    EXPECT_LT(two.residual, 1e-7);
  }
}

}  // namespace
}  // namespace ritz::test
