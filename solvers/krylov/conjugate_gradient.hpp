// Conjugate gradients for symmetric positive definite matrices (Hestenes and Stiefel 1952), preconditioned. Everything
// stays on the device; per iteration the host reads one batch of six numbers and nothing else.
//
//   SolveReport report = ConjugateGradient{.relative = 1e-10}.solve(K, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/solve_report.hpp"

namespace ritz {

struct ConjugateGradient {
  double relative = 1e-8;  // of ||b||_2
  double absolute = 0;     // the residual must be below the larger of the two
  int max_iterations = 10000;
  bool flexible = false;  // for preconditioners that change from one application to the next (Notay, SIAM J. Sci.
                          // Comput. 22, 2000): beta of Polak and Ribiere, one more pass; a diagonal never needs it
  IterationVerdict give_up = {};  // called after each iteration, if given

  // x holds the initial guess and becomes the solution. `converged` means that ||b - A x||_2, recomputed, is below
  // the tolerance. When the residual of the recursion has drifted from the true one, the iteration restarts from the
  // true one, until that no longer helps (`stagnated`, but where the residual is one of rounding and the last
  // correction was below the tolerance, in energy). A trouble is a StopReason, not an exception. Memory: three vectors,
  // four with a preconditioner that is not diagonal.
  SolveReport solve(const LinearOperator& A, const Vector& b, Vector& x,
                    const LinearOperator* preconditioner = nullptr) const;
};

}  // namespace ritz
