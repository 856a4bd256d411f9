// One call that solves a linear system: by the method that the user named, or by the one that suits size, symmetry and
// definiteness of the matrix. Whatever is handed in, `converged` is true of the residual, and everything else has a name.
//
//   SolveReport report = solve_linear(K, b, x, {.relative = 1e-10});
#pragma once

#include "solvers/matrix_traits.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "solvers/solve_report.hpp"

#include <functional>

namespace ritz {

enum class LinearMethod { automatic, conjugate_gradient, direct };
enum class PreconditionerKind { automatic, none, jacobi, chebyshev, multigrid };

// What the caller knows of the matrix, so that nobody needs to look. A matrix that was promised positive definite and is
// not is an error: a model that is not stable, not a system to be solved in another way.
enum class MatrixPromise { none, symmetric, positive_definite };

struct LinearSolverOptions {
  LinearMethod method = LinearMethod::automatic;
  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  double relative = 1e-8;         // of ||b||_2, on the true residual
  int max_iterations = 20000;
  SmoothedAggregationOptions multigrid;  // coordinates and dimension are filled in by solve_linear
  MatrixPromise promise = MatrixPromise::none;
  std::function<void(const std::string&)> say;  // lines worth knowing before long work: the memory that a factor needs
};

// What a solver may use of the mesh behind the matrix.
struct SolverGeometry {
  const Vector* coordinates = nullptr;  // [block row][dimension]
  int dimension = 0;
};

// Throws Error: Exit::model from factorisations (singular, naming rows; not positive definite as promised) and from
// multigrid (a diagonal entry that is not positive); Exit::resources and Exit::environment when the method was named.
SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry = {});
// Several right-hand sides of one matrix, such as load cases: one set-up or factorisation, and columns that share every read
// of the matrix. A report for each column; those of zero are solved by zero.
std::vector<SolveReport> solve_linear(const SparseMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry = {});

// The method that `automatic` takes, with the reason in a sentence.
struct MethodChoice {
  LinearMethod method;
  PreconditionerKind preconditioner;
  std::string why;
};
MethodChoice choose_method(Index unknowns, const MatrixTraits& traits, const LinearSolverOptions& options, int dimension);

}  // namespace ritz
