// Conjugate gradients for many right-hand sides of one matrix, such as load cases: eight at a time walk in step, each
// with its own numbers, and share every read of the matrix and of the preconditioner. A column is solved as it would be
// alone: equal, dependent and zero right-hand sides need no care. (Recurrences that share their search directions,
// O'Leary 1980, were measured, too: docs/solver-methods.md says why they are not used.)
//
//   std::vector<SolveReport> reports = BlockConjugateGradient{}.solve(K, F, U, &multigrid);
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/solve_report.hpp"

#include <functional>

namespace ritz {

struct BlockConjugateGradient {
  static constexpr int fewest_at_once = 3;  // eight lanes cost about as much as two or three single solves
  double relative = 1e-8;                   // of each ||b||_2
  double absolute = 0;                      // each residual must be below the larger of the two
  int max_iterations = 10000;
  // those from `first` on are done
  AfterColumns after_columns = {};

  // X holds the initial guesses and becomes the solutions. Same contract as ConjugateGradient::solve for every column,
  // with a report for each: a finished column is not changed while the others continue. One or two columns (also the
  // remainder of a multiple of eight) are solved one by one, which is faster. Per iteration the host reads one batch of
  // numbers for eight columns. Memory: 48 vectors, 56 with a preconditioner that is not diagonal.
  std::vector<SolveReport> solve(const LinearOperator& A, const MultiVector& B, MultiVector& X,
                                 const LinearOperator* preconditioner = nullptr) const;
};

}  // namespace ritz
