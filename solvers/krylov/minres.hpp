// MINRES for symmetric matrices, definite or not, with a symmetric positive definite preconditioner (Paige and
// Saunders, SIAM J. Numer. Anal. 12, 1975). The residual never grows, in the norm of the preconditioner. Everything
// stays on the device; per iteration the host reads one batch of five numbers.
//
//   SolveReport report = Minres{.relative = 1e-10}.solve(A, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/solve_report.hpp"

namespace ritz {

struct Minres {
  double relative = 1e-8;  // of ||b||_2
  double absolute = 0;     // the residual must be below the larger of the two
  int max_iterations = 10000;
  IterationVerdict give_up = {};  // called after each iteration, if given

  // Same contract as ConjugateGradient::solve; history of 2-norms. Memory: six vectors, eight with a preconditioner.
  SolveReport solve(const LinearOperator& A, const Vector& b, Vector& x,
                    const LinearOperator* preconditioner = nullptr) const;
};

}  // namespace ritz
