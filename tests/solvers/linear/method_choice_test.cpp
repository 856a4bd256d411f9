#include "solvers/linear/method_choice.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace ritz {
namespace {

// A block of quadratic hexahedra: 200 nonzeros per row.
SystemSize body(Index unknowns, std::array<double, 3> extent, int columns = 1) {
  return {.unknowns = unknowns,
          .nonzeros = 200 * unknowns,
          .dimension = 3,
          .block = 3,
          .extent = extent,
          .columns = columns};
}

const MatrixTraits definite{.finite = true, .symmetric = true, .positive_diagonal = true};
LinearMethod method_for(const SystemSize& size) { return choose_method(size, definite, {}).method; }

// One solution costs less than to order the unknowns; eight do not.
TEST(MethodChoice, FactorisesSlenderAndThinBodiesForSeveralRightHandSidesAndIteratesOnLumps) {
  EXPECT_EQ(method_for(body(20000, {50, 1, 1})), LinearMethod::conjugate_gradient);
  EXPECT_EQ(method_for(body(20000, {50, 1, 1}, 8)), LinearMethod::direct);
  EXPECT_EQ(method_for(body(50000, {1, 1, 0.003}, 16)), LinearMethod::direct);
  EXPECT_EQ(method_for(body(50000, {1, 1, 1}, 16)), LinearMethod::conjugate_gradient);
  EXPECT_EQ(method_for(body(1000000, {20, 1, 1}, 16)), LinearMethod::conjugate_gradient);
}

TEST(MethodChoice, ManyRightHandSidesFavourAFactor) {
  const std::array<double, 3> bracket{3, 2, 1};
  EXPECT_EQ(method_for(body(40000, bracket)), LinearMethod::conjugate_gradient);
  EXPECT_EQ(method_for(body(40000, bracket, 128)), LinearMethod::direct);
  EXPECT_NE(choose_method(body(40000, bracket, 128), definite, {}).why.find("128 right-hand sides"), std::string::npos);
}

// A system that multigrid was too slow for without a matrix is factorised at once, definite or not.
TEST(MethodChoice, WhatHasBeenIteratedInVainIsFactorised) {
  const SystemSize lump = body(150000, {4, 1, 1});
  const LinearSolverOptions in_vain{.slow_multigrid = true};
  MatrixTraits indefinite = definite;
  indefinite.indefinite = true;
  for (const MatrixTraits& traits : {definite, indefinite}) {
    EXPECT_NE(choose_method(lump, traits, {}).method, LinearMethod::direct);
    const std::vector<MethodChoice> plan = plan_methods(lump, traits, in_vain);
    EXPECT_EQ(plan.front().method, LinearMethod::direct);
    EXPECT_GT(plan.front().operations_limit, 0) << "unless that would take an hour";
    EXPECT_GT(plan.size(), 1u) << "where it does not fit";
  }
}

// Which side is the long one does not matter, nor the unit of length.
TEST(MethodChoice, TheFactorisationIsForeseenFromTheShapeAlone) {
  const double seconds = predicted_factorisation(body(60000, {10, 2, 1}), true);
  EXPECT_DOUBLE_EQ(predicted_factorisation(body(60000, {1, 10, 2}), true), seconds);
  EXPECT_NEAR(predicted_factorisation(body(60000, {2e-3, 1e-3, 1e-2}), true), seconds, 1e-9 * seconds);
  EXPECT_DOUBLE_EQ(predicted_factorisation(body(60000, {10, 2, 1}), false), 2 * seconds);
}

// A cube of n unknowns takes n^2, a square n^(3/2), a beam of fixed width n.
TEST(MethodChoice, DissectionGrowsAsGeorgeAndLiuSay) {
  const auto growth = [](SystemSize small, SystemSize large) {
    return dissection_operations(large) / dissection_operations(small);
  };
  EXPECT_NEAR(growth(body(1000000, {1, 1, 1}), body(8000000, {1, 1, 1})), 64, 3);
  EXPECT_NEAR(growth(body(500000, {100, 1, 1}), body(1000000, {200, 1, 1})), 2, 0.05);
  const SystemSize plane{.unknowns = 100000, .nonzeros = 700000, .dimension = 2, .extent = {1, 1, 0}};
  SystemSize finer = plane;
  finer.unknowns *= 4;
  EXPECT_NEAR(growth(plane, finer), 8, 0.5);
}

// 127 and 474 thousand million operations by MUMPS 5.5.1 (`ritz-bench --only direct-table`, ordered by coordinates).
TEST(MethodChoice, DissectionCountsWhatTheLibraryCounts) {
  EXPECT_NEAR(dissection_operations(body(107163, {4, 1, 1})), 1.4 * 127e9, 0.1 * 1.4 * 127e9);
  EXPECT_NEAR(dissection_operations(body(204828, {4, 1, 1})), 1.4 * 474e9, 0.1 * 1.4 * 474e9);
}

// 8 decades required, residuals 10^(k rate) after k iterations: whether multigrid was left within 400 of them.
bool is_left(const SystemSize& size, double rate) {
  const std::vector<MethodChoice> plan = plan_methods(size, definite, {});
  EXPECT_EQ(plan.at(1).preconditioner, PreconditionerKind::multigrid);
  EXPECT_EQ(plan.at(2).method, LinearMethod::direct);
  IterationVerdict give_up = plan[1].give_up;
  for (int k = 1; k <= 400 && rate * k > -8; ++k)
    if (give_up(k, rate * k)) return true;
  return false;
}

TEST(MethodChoice, SlowMultigridGivesWayToAFactorisationThatIsForeseenToBeFaster) {
  const SystemSize bar = body(40000, {4, 1, 1}), large = body(3000000, {1, 1, 1});
  EXPECT_FALSE(is_left(bar, -0.15));    // 8 decades in 53 iterations
  EXPECT_TRUE(is_left(bar, -0.005));    // in thousands
  EXPECT_TRUE(is_left(bar, 0.001));     // never
  EXPECT_FALSE(is_left(large, -0.01));  // a factorisation would take hours
}

// If the residual rises first and falls well then, the mean rate would predict three times the iterations that are
// left.
TEST(MethodChoice, MultigridIsJudgedByItsLaterIterations) {
  const SystemSize bar = body(40000, {4, 1, 1});
  IterationVerdict give_up = plan_methods(bar, definite, {}).at(1).give_up;
  for (int k = 1; k <= 140; ++k) EXPECT_FALSE(give_up(k, k < 25 ? 0.03 * k : 0.75 - 0.075 * (k - 25))) << k;
}

// Returns the iteration in which the trial of the diagonal ends, 0: none of 200.
int end_of_trial(const SystemSize& size, const std::function<double(int)>& log_reduction) {
  IterationVerdict give_up = plan_methods(size, definite, {.relative = 1e-8}).at(0).give_up;
  for (int k = 1; k <= 200; ++k)
    if (give_up(k, log_reduction(k))) return k;
  return 0;
}

// Relative residuals of conjugate gradients with the diagonal, tetrahedra of a cube with 60 cells along an edge.
TEST(MethodChoice, TheTrialEndsWhereTheResidualStagnatesAfterItsFirstFall) {
  const SystemSize cube{226'981, 3'300'000, 3};
  // a prescribed value on one side, a flux on the other: 300 iterations gain 5.5 digits
  EXPECT_EQ(end_of_trial(cube, [](int k) { return k < 10 ? -0.082 * k : -0.82 - 0.012 * (k - 10); }), 30);
  // a reaction beside it: 113 iterations to the end
  EXPECT_EQ(end_of_trial(cube, [](int k) { return k < 113 ? -0.45 - 0.066 * k : -8.0; }), 130);
  // it rises
  EXPECT_EQ(end_of_trial(cube, [](int k) { return k < 10 ? 0.1 * k : 0.9; }), 10);
}

// Without a mass or a reaction the diagonal takes more than 130 iterations where there are so many nodes along an edge.
TEST(MethodChoice, TheTrialOfALargeSystemIsJudgedByItsFirstIterations) {
  const SystemSize elastic{569'859, 44'000'000, 3, 3};
  const auto stagnates = [](int k) { return k < 4 ? -0.1 * k : -0.4; };
  EXPECT_EQ(end_of_trial(elastic, stagnates), 8);
  EXPECT_EQ(end_of_trial(SystemSize{226'981, 3'300'000, 3}, stagnates), 30) << "126 iterations at least";
  // steps in time: 40 and 100 iterations to the end
  EXPECT_EQ(end_of_trial(elastic, [](int k) { return std::max(-0.2 * k, -8.0); }), 130);
  EXPECT_EQ(end_of_trial(elastic, [](int k) { return std::max(-0.08 * k, -8.0); }), 130);
}

}  // namespace
}  // namespace ritz
