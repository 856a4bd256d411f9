// BiCGSTAB for any matrix, preconditioned from the right (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992): short
// recurrences, two products with the matrix per iteration, a residual that may jump. Everything stays on the device;
// per iteration the host reads one batch of seven numbers.
//
//   SolveReport report = Bicgstab{.relative = 1e-10}.solve(A, b, x, &preconditioner);
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/solve_report.hpp"

namespace ritz {

struct Bicgstab {
  double relative = 1e-8;  // of ||b||_2
  double absolute = 0;     // the residual must be below the larger of the two
  int max_iterations = 10000;
  IterationVerdict give_up = {};  // called after each iteration, if given

  // Same contract as ConjugateGradient::solve; `breakdown` when a scalar product that it divides by vanishes and a
  // restart from the true residual did not help. Memory: six vectors, seven with a preconditioner.
  SolveReport solve(const LinearOperator& A, const Vector& b, Vector& x,
                    const LinearOperator* preconditioner = nullptr) const;
};

}  // namespace ritz
