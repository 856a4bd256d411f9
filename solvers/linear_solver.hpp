// One call that solves a symmetric positive definite system: by the method that the user named, or by the one that suits
// the size.
//
//   SolveReport report = solve_linear(K, b, x, {.relative = 1e-10});
#pragma once

#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "solvers/solve_report.hpp"
#include "solvers/sparse_matrix.hpp"

namespace ritz {

enum class LinearMethod { automatic, conjugate_gradient, direct };
enum class PreconditionerKind { automatic, none, jacobi, chebyshev, multigrid };

struct LinearSolverOptions {
  LinearMethod method = LinearMethod::automatic;
  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  double relative = 1e-8;         // of ||b||_2, on the true residual
  int max_iterations = 20000;
  SmoothedAggregationOptions multigrid;  // coordinates and dimension are filled in by solve_linear
};

// What a solver may use of the mesh behind the matrix.
struct SolverGeometry {
  const Vector* coordinates = nullptr;  // [block row][dimension]
  int dimension = 0;
};

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry = {});

// The method that `automatic` takes, with the reason in a sentence.
struct MethodChoice {
  LinearMethod method;
  PreconditionerKind preconditioner;
  std::string why;
};
MethodChoice choose_method(const SparseMatrix& A, const LinearSolverOptions& options, int dimension);

}  // namespace ritz
