// Starts from earlier solutions: exact where the solution is one of their combinations, never worse than none.
#include "solvers/linear/projected_guess.hpp"

#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

struct System {
  explicit System(double factor = 1) : device(Device::named("cpu", 1)), A(on(device, grid_matrix(12, 2))) {
    axpby(0.0, A.values(), factor, A.values());
  }
  Vector random(unsigned seed) const {
    return Vector(device, random_numbers(static_cast<std::size_t>(A.rows()), seed), "test");
  }
  Vector zero() const {
    Vector x(device, A.rows(), "test");
    x.fill_zero();
    return x;
  }
  Vector solved(const Vector& b) const {
    Vector x = zero();
    EXPECT_TRUE((ConjugateGradient{.relative = 1e-13}.solve(A, b, x).converged()));
    return x;
  }
  double left(const Vector& b, const Vector& x) const {
    Vector r(device, A.rows(), "test");
    A.apply(x, r);
    axpby(1.0, b, -1.0, r);
    return norm2(r) / norm2(b);
  }
  Device device;
  SparseMatrix A;
};

TEST(ProjectedGuess, OfNoneIsZero) {
  const System s;
  Vector x = s.random(1);
  EXPECT_EQ(ProjectedGuess().start(s.A, s.random(2), x), 1);
  EXPECT_EQ(max_abs(x), 0);
}

// A body twice as stiff moves half as much.
TEST(ProjectedGuess, ForAMatrixThatIsOnlyScaledNeedsOneSolution) {
  const System s, stiffer(2.5);
  const Vector b = s.random(3);
  ProjectedGuess guess;
  guess.add(s.solved(b));
  Vector x = s.zero();
  const double left = guess.start(stiffer.A, b, x);
  EXPECT_LE(left, 1e-11);
  EXPECT_NEAR(left, stiffer.left(b, x), 1e-13);
}

TEST(ProjectedGuess, CombinesToEverySumOfTheirRightHandSides) {
  const System s;
  const Vector a = s.random(4), b = s.random(5);
  ProjectedGuess guess;
  for (const Vector* each : {&a, &b, &a}) guess.add(s.solved(*each));  // twice the same: the projection is singular
  Vector sum = s.zero(), x = s.zero();
  axpy(2.0, a, sum);
  axpy(-3.0, b, sum);
  EXPECT_LE(guess.start(s.A, sum, x), 1e-10);
  EXPECT_LE(s.left(sum, x), 1e-10);
}

// The best in the energy norm: what is left of it is orthogonal to all that was combined.
TEST(ProjectedGuess, LeavesAResidualOrthogonalToTheirSpan) {
  const System s;
  ProjectedGuess guess;
  std::vector<Vector> added;
  for (unsigned seed = 10; seed < 15; ++seed) {
    added.push_back(s.random(seed));
    guess.add(added.back());
  }
  Vector b = s.zero(), x = s.zero(), r(s.device, s.A.rows(), "test");
  for (const Vector& each : added) axpy(1.0, each, x);
  s.A.apply(x, b);
  axpy(0.1 * norm2(b) / norm2(added[0]), s.random(20), b);  // nine tenths of it can be reached
  const double left = guess.start(s.A, b, x);
  ASSERT_LT(left, 1);
  s.A.apply(x, r);
  axpby(1.0, b, -1.0, r);
  EXPECT_NEAR(norm2(r) / norm2(b), left, 1e-12);
  for (const Vector& each : added) EXPECT_LE(std::abs(dot(each, r)), 1e-11 * norm2(each) * norm2(b));
}

TEST(ProjectedGuess, ForgetsTheOldest) {
  const System s;
  const Vector first = s.random(30);
  ProjectedGuess guess;
  guess.add(s.solved(first));
  Vector x = s.zero();
  EXPECT_LE(guess.start(s.A, first, x), 1e-11);
  for (unsigned seed = 0; seed < static_cast<unsigned>(ProjectedGuess::most); ++seed)
    guess.add(s.solved(s.random(40 + seed)));
  EXPECT_GT(guess.start(s.A, first, x), 1e-3);
}

TEST(ProjectedGuess, IsForgottenWhereMemoryIsShort) {
  const System s;
  const Vector b = s.random(50), solution = s.solved(b);
  ProjectedGuess guess;
  guess.add(solution);
  Vector x = s.zero();
  s.device.memory().trim();
  s.device.memory().set_limit(s.device.memory().live());
  EXPECT_EQ(guess.start(s.A, b, x), 1);
  s.device.memory().set_limit(0);
  EXPECT_EQ(max_abs(x), 0);
  EXPECT_EQ(guess.start(s.A, b, x), 1);  // nothing is there any more
}

}  // namespace
}  // namespace ritz::testing
