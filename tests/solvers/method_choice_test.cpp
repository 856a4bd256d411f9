#include "solvers/method_choice.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

// A block of quadratic hexahedra: 200 nonzeros per row.
SystemSize body(Index unknowns, std::array<double, 3> extent, int columns = 1) {
  return {.unknowns = unknowns, .nonzeros = 200 * unknowns, .dimension = 3, .block = 3, .extent = extent, .columns = columns};
}

const MatrixTraits definite{.finite = true, .symmetric = true, .positive_diagonal = true};
LinearMethod method_for(const SystemSize& size) { return choose_method(size, definite, {}).method; }

TEST(MethodChoice, FactorisesSlenderAndThinBodiesAndIteratesOnLumps) {
  EXPECT_EQ(method_for(body(20000, {20, 1, 1})), LinearMethod::direct);
  EXPECT_EQ(method_for(body(50000, {1, 1, 0.01})), LinearMethod::direct);
  EXPECT_EQ(method_for(body(50000, {1, 1, 1})), LinearMethod::conjugate_gradient);
  EXPECT_EQ(method_for(body(1000000, {20, 1, 1})), LinearMethod::conjugate_gradient);
}

TEST(MethodChoice, ManyRightHandSidesFavourAFactor) {
  const std::array<double, 3> bracket{3, 2, 1};
  EXPECT_EQ(method_for(body(40000, bracket)), LinearMethod::conjugate_gradient);
  EXPECT_EQ(method_for(body(40000, bracket, 32)), LinearMethod::direct);
  EXPECT_NE(choose_method(body(40000, bracket, 32), definite, {}).why.find("32 right-hand sides"), std::string::npos);
}

// Which side is the long one does not matter, nor the unit of length.
TEST(MethodChoice, TheFactorisationIsForeseenFromTheShapeAlone) {
  const double seconds = predicted_factorisation(body(60000, {10, 2, 1}), true);
  EXPECT_DOUBLE_EQ(predicted_factorisation(body(60000, {1, 10, 2}), true), seconds);
  EXPECT_NEAR(predicted_factorisation(body(60000, {2e-3, 1e-3, 1e-2}), true), seconds, 1e-9 * seconds);
  EXPECT_DOUBLE_EQ(predicted_factorisation(body(60000, {10, 2, 1}), false), 2 * seconds);
}

// Doubling the unknowns of a cube costs four times as much in the limit, of a beam of fixed width twice.
TEST(MethodChoice, FactorisationsGrowWithTheSquareOfACubeAndWithTheLengthOfABeam) {
  const double cube = predicted_factorisation(body(8000000, {1, 1, 1}), true) / predicted_factorisation(body(4000000, {1, 1, 1}), true);
  EXPECT_NEAR(cube, 4, 0.05);
  const double beam = predicted_factorisation(body(80000, {80, 1, 1}), true) / predicted_factorisation(body(40000, {40, 1, 1}), true);
  EXPECT_NEAR(beam, 2, 0.05);
}

TEST(MethodChoice, SlowMultigridGivesWayToAFactorisationThatIsForeseenToBeFaster) {
  const std::vector<MethodChoice> plan = plan_methods(body(40000, {4, 1, 1}), definite, {});
  ASSERT_GE(plan.size(), 3u);
  const MethodChoice& multigrid = plan[1];
  ASSERT_EQ(multigrid.preconditioner, PreconditionerKind::multigrid);
  EXPECT_EQ(plan[2].method, LinearMethod::direct);
  EXPECT_FALSE(multigrid.give_up(40, -6));    // 8 decades in 53 iterations
  EXPECT_TRUE(multigrid.give_up(40, -0.05));  // in thousands
  EXPECT_TRUE(multigrid.give_up(40, 0.5));    // never
  const std::vector<MethodChoice> large = plan_methods(body(3000000, {1, 1, 1}), definite, {});
  EXPECT_FALSE(large[1].give_up(40, -0.5));   // a factorisation would take hours
}

}  // namespace
}  // namespace ritz
