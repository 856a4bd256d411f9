// One call that solves a linear system: by the method that the user named, or by the one that suits size, symmetry and
// definiteness of the matrix. Whatever is handed in, `converged` is true of the residual, and everything else has a
// name.
//
//   SolveReport report = solve_linear(K, b, x, {.relative = 1e-10});
#pragma once

#include "solvers/algebra/solve_report.hpp"
#include "solvers/linear/linear_solver_options.hpp"
#include "solvers/linear/method_choice.hpp"

namespace ritz {

class DividedMatrix;  // solvers/algebra/divided_matrix.hpp

// x holds the initial guess (direct solvers ignore it) and becomes the solution. With `automatic`, methods that fail
// give way to the next of plan_methods(), and the report's `fallbacks` name each with its reason. Throws Error:
// Exit::input when the named method or combination is senseless for this matrix; Exit::model from factorisations
// (singular, naming rows; not positive definite as promised); Exit::resources and Exit::environment when nothing else
// is left to try.
SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry = {});
// Several right-hand sides of one matrix, such as load cases: one set-up or factorisation, and columns that share every
// read of the matrix. A report for each column; those of zero are solved by zero.
std::vector<SolveReport> solve_linear(const SparseMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry = {});
// The same of a matrix whose rows are divided among ranks; all of them call it together, with a cache. Errors of one
// rank that the others cannot know end the job; the others are an AgreedError.
SolveReport solve_linear(const DividedMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry = {});
std::vector<SolveReport> solve_linear(const DividedMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry = {});

// One iterative method by its name, from x, for any linear operator; M: nullptr where there is none.
struct KrylovOptions {
  double relative;
  int max_iterations;
  int restart = 30;               // of GMRES
  IterationVerdict give_up = {};  // asked after each iteration, where there is one
};
SolveReport solve_by(LinearMethod method, const LinearOperator& A, const Vector& b, Vector& x, const LinearOperator* M,
                     const KrylovOptions& options);

}  // namespace ritz
