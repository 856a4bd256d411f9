// Reuse from one matrix to the next of the same pattern: a cycle of other values serves while it is good enough.
#include "solvers/linear/solver_cache.hpp"

#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ritz::testing {
namespace {

struct Kept {
  explicit Kept(const Blocks& blocks) : device(Device::named("cpu", 2)), A(on(device, blocks)) {
    options.method = LinearMethod::conjugate_gradient;
    options.preconditioner = PreconditionerKind::multigrid;
    options.promise = MatrixPromise::positive_definite;
    options.multigrid.coarsest_size = 50;
    options.cache = &cache;
  }
  SolveReport solve() {
    const Vector b(device, random_numbers(static_cast<std::size_t>(A.rows()), 1), "test");
    Vector x(device, A.rows(), "test");
    x.fill_zero();
    return solve_linear(A, b, x, options);
  }
  void change(const std::vector<double>& values, bool alike) {
    A.values().upload(values);
    cache.values_changed(alike);
  }

  Device device;
  SparseMatrix A;
  SolverCache cache;
  LinearSolverOptions options;
};

std::vector<double> times(double factor, std::vector<double> values) {
  for (double& value : values) value *= factor;
  return values;
}

// D A D with entries of D from 1 to 100.
std::vector<double> badly_scaled(const Blocks& A) {
  std::vector<double> values = A.values;
  const auto d = [](Index i) { return std::pow(10, double(i * 7919 % 101) / 50); };
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      values[static_cast<std::size_t>(k)] *= d(Index(row)) * d(A.columns[static_cast<std::size_t>(k)]);
  return values;
}

TEST(SolverCache, ACycleServesForAMatrixThatIsAlike) {
  const Blocks poisson = poisson_matrix(14);
  Kept kept(poisson);
  const SolveReport first = kept.solve();
  ASSERT_TRUE(first.converged());
  kept.change(times(3, poisson.values), true);
  const SolveReport second = kept.solve();
  EXPECT_TRUE(second.converged());
  EXPECT_NEAR(second.iterations, first.iterations, 1);  // conjugate gradients do not see a factor
  EXPECT_EQ(kept.cache.counts().used_on, 1);
  EXPECT_EQ(kept.cache.counts().refreshes, 0);
  kept.change(poisson.values, false);
  EXPECT_TRUE(kept.solve().converged());
  EXPECT_EQ(kept.cache.counts().refreshes, 1);
}

TEST(SolverCache, ACycleThatServesBadlyIsMadeForTheMatrixAtHand) {
  const Blocks poisson = poisson_matrix(14);
  Kept kept(poisson);
  const int fresh = kept.solve().iterations;
  kept.change(badly_scaled(poisson), true);
  kept.options.max_iterations = 5000;
  const SolveReport bad = kept.solve();
  EXPECT_TRUE(bad.converged());
  EXPECT_GT(bad.iterations, 2 * fresh);
  EXPECT_EQ(kept.cache.counts().used_on, 1);  // the cycle of the Laplacian, which was given up soon
  EXPECT_EQ(kept.cache.counts().refreshes, 1);
  kept.change(poisson.values, true);
  // and what does not lead to the end within the limit is tried once more
  kept.options.max_iterations = 2 * fresh;
  EXPECT_TRUE(kept.solve().converged());
  EXPECT_EQ(kept.cache.counts().refreshes, 2);
}

}  // namespace
}  // namespace ritz::testing
