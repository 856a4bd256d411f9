// Linear systems without a matrix: the tangent of equations at u by conjugate gradients, with p-multigrid, Chebyshev's
// polynomial or the diagonal as preconditioner.
//
//   MatrixFreeSolver solver(equations, fixed, u);   SolveReport report = solver.solve(b, x, options);
#pragma once

#include "fem/matrix_free.hpp"
#include "solvers/linear_solver.hpp"

#include <memory>

namespace ritz {

class MatrixFreeSolver {
 public:
  // Equations and constraints must outlive this.
  MatrixFreeSolver(const Operator& equations, const Constraints& constraints, const Vector& u);
  MatrixFreeSolver(const MatrixFreeSolver&) = delete;  // the preconditioner refers to the operator in here
  MatrixFreeSolver& operator=(const MatrixFreeSolver&) = delete;

  // From x. The preconditioner is made at the first call and kept. Throws Error(Exit::input) when options ask for another method,
  // Error(Exit::model) when a form does not promise a symmetric tangent.
  SolveReport solve(const Vector& b, Vector& x, const LinearSolverOptions& options);

 private:
  SolveReport iterate(const Vector& b, Vector& x, const LinearSolverOptions& options);
  std::unique_ptr<LinearOperator> make_preconditioner(const LinearSolverOptions& options) const;

  const Operator& equations_;
  MatrixFree operator_;
  std::unique_ptr<LinearOperator> preconditioner_;
  PreconditionerKind kind_ = PreconditionerKind::automatic;  // of it; steps down where memory is short
  bool single_precision_ = true;
};

// Is the system solved without a matrix? As options.operator_kind says; on its own where the space has an order of its own
// above 1 on cells that sum factorisation serves (quadrilaterals, hexahedra), and the method iterates.
bool without_matrix(const Operator& equations, const LinearSolverOptions& options);

}  // namespace ritz
