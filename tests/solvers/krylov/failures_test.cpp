// The n-th call to the machine fails, for every n: an Error comes out, nothing leaks, and the next solve works.
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

void build_and_solve(const Device& device) {
  const SparseMatrix A = on(device, poisson_matrix(4));
  const JacobiPreconditioner jacobi(A);
  const ChebyshevPreconditioner chebyshev(A);
  const Vector b(device, std::vector<double>(64, 1.0), "test");
  for (const LinearOperator* preconditioner :
       {static_cast<const LinearOperator*>(&jacobi), static_cast<const LinearOperator*>(&chebyshev)}) {
    Vector x(device, std::vector<double>(64, 0.0), "test");
    const SolveReport report = ConjugateGradient{}.solve(A, b, x, preconditioner);
    ASSERT_TRUE(report.converged()) << summary(report);
  }
  Vector x(device, std::vector<double>(64, 0.0), "test");
  Minres{.max_iterations = 2}.solve(A, b, x, &jacobi);
  Gmres{.max_iterations = 2}.solve(A, b, x, &jacobi);
  Bicgstab{.max_iterations = 2}.solve(A, b, x, &jacobi);
}

void sweep(const char* name, MachineCall call, Exit expected) {
  const Device device = Device::named(name, 1);
  int failures = 0;
  for (Index n = 1;; ++n) {
    ASSERT_LT(n, 5000);
    device.memory().trim();  // every allocation reaches the machine again
    device.machine().calls().fail(call, n);
    try {
      build_and_solve(device);
      device.machine().calls().fail(call, 0);
      break;
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.exit(), expected) << error.what();
    }
    EXPECT_EQ(device.memory().statistics().live, 0) << "after failure of call " << n;
  }
  EXPECT_GT(failures, 5);
  EXPECT_EQ(device.memory().statistics().live, 0);
  build_and_solve(device);
}

TEST(Failures, AllocationsThatFailAreResourceErrorsAndLeakNothing) {
  sweep("cpu", MachineCall::allocate, Exit::resources);
  sweep("fake", MachineCall::allocate, Exit::resources);
}

TEST(Failures, CopiesThatFailAreDeviceErrorsAndLeakNothing) { sweep("fake", MachineCall::copy, Exit::environment); }

TEST(Failures, LaunchesThatFailAreDeviceErrorsAndLeakNothing) { sweep("fake", MachineCall::launch, Exit::environment); }

}  // namespace
}  // namespace ritz::testing
