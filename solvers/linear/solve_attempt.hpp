// One way to solve a linear system, from the first to the last step: a factorisation, or an iteration in rising
// precision over the relatives of the matrix that its preconditioner may be made of. Internal to solve_linear(), which
// chooses and goes on.
#pragma once

#include "solvers/linear/linear_solver_options.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/linear/solve_columns.hpp"

namespace ritz::linear {

// One matrix, and what may be used to solve with it.
struct Task {
  const SparseMatrix& A;
  const LinearSolverOptions& options;
  const SolverGeometry& geometry;
  MatrixTraits traits;
};

template <Columns T>
Reports solve_directly(const Task& task, const T& columns, const MethodChoice& choice);
template <Columns T>
Reports solve_by_iteration(const Task& task, const T& columns, const MethodChoice& choice);

}  // namespace ritz::linear
