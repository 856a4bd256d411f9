// Modes by LOBPCG without matrices: the same as by factors of matrices, with less memory.
#include "fem/analysis/vibration.hpp"
#include "fem/analysis/vibration_forecast.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/mass.hpp"
#include "mesh/generators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace ritz {
namespace {

constexpr Lame lame = Lame::from(1000, 0.3);

// A body of three different edges, so that few modes are alike; clamped at x0, tied, or free.
struct Body {
  Body(Mesh m, const SpaceOptions& options = {}, int threads = 1)
      : mesh(std::move(m)),
        space(mesh, mesh.dimension(), Device::named("cpu", threads), options),
        fixed(space),
        stiffness(space, {Integral::over_all_cells(mesh.dimension() == 3 ? FormValue(Elasticity{lame.lambda, lame.mu})
                                                                         : FormValue(plane))}),
        masses(space, {Integral::over_all_cells(mesh.dimension() == 3 ? FormValue(Mass<3, 3>{1.0})
                                                                      : FormValue(Mass<2, 2>{1.0}))}) {}

  void clamp() {
    for (int c = 0; c < space.components(); ++c) fixed.prescribe(mesh.region("x0"), c, 0, "x0");
  }
  VibrationModes solve(EigenMethod method, int count, int rigid = 0, bool without = true) {
    const bool iterates = method == EigenMethod::lobpcg;
    return solve_vibration(stiffness, masses, fixed, {.rigid_motions = rigid},
                           {.count = count,
                            .relative = 1e-7,
                            .method = method,
                            .operator_kind = !iterates ? OperatorKind::automatic
                                             : without ? OperatorKind::matrix_free
                                                       : OperatorKind::matrix});
  }
  void expect_the_same_modes(const std::string& name, int count = 5) {
    fixed.finish();
    const VibrationModes a = solve(EigenMethod::lanczos, count), b = solve(EigenMethod::lobpcg, count);
    ASSERT_TRUE(b.eigen.converged()) << name;
    EXPECT_TRUE(b.eigen.preconditioner.starts_with("p-multigrid")) << name << ": " << b.eigen.preconditioner;
    for (std::size_t k = 0; k < a.frequencies.size(); ++k)
      EXPECT_NEAR(b.frequencies[k], a.frequencies[k], 1e-9 * a.frequencies[k]) << name << ", mode " << k;
    for (std::size_t d = 0; d < a.total_mass.size(); ++d) {
      EXPECT_NEAR(b.total_mass[d], a.total_mass[d], 1e-12 * a.total_mass[d]) << name;
      double moved_a = 0, moved_b = 0;
      for (std::size_t k = 0; k < a.frequencies.size(); ++k) {
        moved_a += a.effective_mass[k][d];
        moved_b += b.effective_mass[k][d];
      }
      EXPECT_NEAR(moved_b, moved_a, 1e-5 * a.total_mass[d]) << name;
    }
  }

  static constexpr PlaneElasticity plane = PlaneElasticity::plane_strain(lame, 1.0);
  Mesh mesh;
  FunctionSpace space;
  Constraints fixed;
  Operator stiffness, masses;
};

constexpr Point edges{1.7, 1, 1.3};

TEST(ModesWithoutMatrix, AreThoseOfMatricesOnAllCellsOfOrder2) {
  for (const CellKind kind : all_cell_kinds()) {
    const CellTraits& t = traits(kind);
    if (t.order != 2 || t.dimension < 2) continue;
    Body body(t.dimension == 3 ? box(3, 2, 2, edges, kind) : rectangle(8, 5, {1.7, 1}, kind));
    body.clamp();
    body.expect_the_same_modes(std::string(t.name));
  }
}

TEST(ModesWithoutMatrix, AreThoseOfMatricesOnSpacesOfHigherOrder) {
  for (const auto& [kind, order] : {std::pair{CellKind::hex8, 2}, {CellKind::hex8, 3}, {CellKind::tet4, 4}}) {
    Body body(box(2, 2, 2, edges, kind), {.order = order});
    body.clamp();
    body.expect_the_same_modes(std::string(traits(kind).name) + " of order " + std::to_string(order));
  }
}

// Element matrices of hexahedra of order 4 cannot be assembled; a finer mesh of order 3 has nearly the same modes.
TEST(ModesWithoutMatrix, ExistWhereNoMatrixDoes) {
  Body high(box(2, 1, 1, {2, 1, 1}, CellKind::hex8), {.order = 4}),
      low(box(4, 2, 2, {2, 1, 1}, CellKind::hex8), {.order = 3});
  for (Body* body : {&high, &low}) {
    body->clamp();
    body->fixed.finish();
  }
  const VibrationModes a = high.solve(EigenMethod::automatic, 4), b = low.solve(EigenMethod::lobpcg, 4);
  EXPECT_TRUE(a.eigen.choice.starts_with("not factorised: ")) << a.eigen.choice;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a.frequencies[k], b.frequencies[k], 5e-3 * b.frequencies[k]) << k;
  EXPECT_THROW(high.solve(EigenMethod::lanczos, 4), Error);
}

TEST(ModesWithoutMatrix, FollowEquations) {
  Body body(box(3, 2, 2, edges, CellKind::tet10));
  body.clamp();
  LinearEquations rigid{.origin = "a test"};  // the far side moves along y as one
  const std::vector<Node> far = nodes_in(body.mesh, body.mesh.region("x1"));
  for (std::size_t i = 1; i < far.size(); ++i) rigid.add({{far[i], 1, 1.0}, {far[0], 1, -1.0}});
  body.fixed.relate(std::move(rigid));
  body.expect_the_same_modes("tied");
}

TEST(ModesWithoutMatrix, OfAFreeBodyBeginWithSixRigidMotions) {
  for (const CellKind kind : {CellKind::tet10, CellKind::hex20, CellKind::hex27}) {
    Body body(box(3, 2, 2, edges, kind));
    body.fixed.finish();
    const VibrationModes a = body.solve(EigenMethod::lanczos, 10, 6), b = body.solve(EigenMethod::lobpcg, 10, 6);
    EXPECT_EQ(b.rigid_count, 6) << traits(kind).name;
    EXPECT_GT(b.eigen.reference, 0);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_LE(std::abs(b.eigen.values[k]), 1e-9 * b.eigen.values[6]) << traits(kind).name << k;
    for (std::size_t k = 6; k < 10; ++k)
      EXPECT_NEAR(b.frequencies[k], a.frequencies[k], 1e-9 * a.frequencies[k]) << traits(kind).name << k;
    double moved = 0;
    for (std::size_t k = 0; k < 6; ++k) moved += b.effective_mass[k][0];
    EXPECT_NEAR(moved, b.total_mass[0], 1e-9 * b.total_mass[0]);
  }
}

// Matrices are faster, and are taken where they have room; so a factor is not the only judge of either.
TEST(ModesWithoutMatrix, AreThoseOfIterationsWithMatrices) {
  for (const CellKind kind : {CellKind::tet10, CellKind::hex20}) {
    for (const bool rollers : {false, true}) {
      Body body(box(4, 3, 3, edges, kind));
      if (rollers)
        for (int c = 0; c < 3; ++c)
          body.fixed.prescribe(body.mesh.region(c == 0 ? "x0" : c == 1 ? "y0" : "z0"), c, 0, "");
      else body.clamp();
      body.fixed.finish();
      const VibrationModes a = body.solve(EigenMethod::lobpcg, 7), b = body.solve(EigenMethod::lobpcg, 7, 0, false);
      EXPECT_TRUE(b.eigen.preconditioner.starts_with("geometric multigrid")) << b.eigen.preconditioner;
      for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(b.frequencies[k], a.frequencies[k], 1e-9 * a.frequencies[k]) << k;
    }
  }
}

TEST(ModesWithoutMatrix, AreTakenWhereMatricesHaveNoRoom) {
  Body body(box(4, 3, 3, edges, CellKind::tet10));
  body.fixed.finish();
  EXPECT_FALSE(modes_take_no_matrix(body.stiffness, body.masses, {}));
  EXPECT_TRUE(modes_take_no_matrix(body.stiffness, body.masses, {.operator_kind = OperatorKind::matrix_free}));
  body.space.device().memory().set_limit(4'000'000);
  EXPECT_TRUE(modes_take_no_matrix(body.stiffness, body.masses, {}));
  EXPECT_FALSE(modes_take_no_matrix(body.stiffness, body.masses, {.operator_kind = OperatorKind::matrix}));
}

// X, P, W and a piece of eight vectors are 450 bytes for an unknown with 10 modes; the cycle and the lists are the
// rest. Matrices of tetrahedra take 2.4 kB, and the blocks of vectors had taken 1.2.
TEST(ModesWithoutMatrix, TakeLessThanAKilobyteForEachUnknown) {
  for (const CellKind kind : {CellKind::tet10, CellKind::hex20, CellKind::hex27}) {
    Body body(box(8, 6, 6, edges, kind), {}, 2);
    body.clamp();
    body.fixed.finish();
    const Device& device = body.space.device();
    const EigenOptions options{.count = 10, .method = EigenMethod::lobpcg, .operator_kind = OperatorKind::matrix_free};
    const double foreseen = double(forecast_vibration(body.stiffness, body.masses, {}, options).front().peak.total());
    const VibrationModes modes = solve_vibration(body.stiffness, body.masses, body.fixed, {}, options);
    EXPECT_TRUE(modes.eigen.converged());
    const double peak = double(device.memory().statistics().peak);
    EXPECT_LT(peak / double(body.space.unknown_count()), 1000) << traits(kind).name;
    EXPECT_NEAR(foreseen / peak, 1, 0.1) << traits(kind).name;
  }
}

}  // namespace
}  // namespace ritz
