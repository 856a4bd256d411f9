// GMRES for any matrix, restarted, preconditioned from the right (Saad and Schultz 1986), and flexible: the
// preconditioner may change from one application to the next (Saad, SIAM J. Sci. Comput. 14, 1993). The residual never
// grows within a cycle. The basis is orthogonalised by classical Gram-Schmidt, twice: per iteration the host reads one
// batch of numbers.
//
//   SolveReport report = Gmres{.restart = 50}.solve(A, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/solve_report.hpp"

namespace ritz {

struct Gmres {
  double relative = 1e-8;  // of ||b||_2
  double absolute = 0;     // the residual must be below the larger of the two
  int max_iterations = 10000;
  int restart = 30;               // iterations of a cycle, after which the basis is given up
  IterationVerdict give_up = {};  // called after each iteration, if given

  // Same contract as ConjugateGradient::solve. Memory: restart + 1 vectors (a multiple of 8) and four more; twice as
  // many with a preconditioner. Throws Error: Exit::input unless restart is 1 to 1000.
  SolveReport solve(const LinearOperator& A, const Vector& b, Vector& x,
                    const LinearOperator* preconditioner = nullptr) const;
};

}  // namespace ritz
