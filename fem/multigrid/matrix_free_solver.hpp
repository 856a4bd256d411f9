// Linear systems without a matrix: the tangent of equations at u by conjugate gradients, or by GMRES or BiCGSTAB
// where it is not symmetric, with p-multigrid, Chebyshev's polynomial or the diagonal as preconditioner.
//
//   MatrixFreeSolver solver(equations, fixed, u);   SolveReport report = solver.solve(b, x, options);
//   solver.move_to(v);                              report = solver.solve(c, y, options);      // Newton's next step
#pragma once

#include "fem/operator/matrix_free.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/preconditioner_reuse.hpp"
#include "solvers/linear/solver_plan.hpp"

#include <memory>
#include <string>

namespace ritz {

class MatrixFreeSolver {
 public:
  // field: over ranks, as MatrixFree takes it; all ranks make theirs and call each function together.
  MatrixFreeSolver(const Operator& equations, const Constraints& constraints, const Vector& u,
                   const DividedField* field = nullptr);
  MatrixFreeSolver(const MatrixFreeSolver&) = delete;  // the preconditioner refers to the operator in here
  MatrixFreeSolver& operator=(const MatrixFreeSolver&) = delete;

  // The tangent at another u. The preconditioner serves on for as long as it does well
  // (solvers/linear/preconditioner_reuse.hpp).
  void move_to(const Vector& u);
  std::shared_ptr<const Vector> point() const { return operator_.point(); }  // that u; empty: zero

  // From x. The preconditioner is made at the first call and kept. Throws Error: Exit::input when options ask for
  // another method, or for conjugate gradients and a form does not promise a symmetric tangent. give_up: asked after
  // each iteration, where there is one.
  SolveReport solve(const Vector& b, Vector& x, const LinearSolverOptions& options,
                    const IterationVerdict& give_up = {});

 private:
  LinearMethod method_for(LinearMethod asked) const;
  class Planned;
  void check_room_on_all_ranks() const;
  void choose_preconditioner(const LinearSolverOptions& options);
  std::unique_ptr<LinearOperator> make_preconditioner(const LinearSolverOptions& options) const;

  Operator equations_;
  MatrixFree operator_;
  std::unique_ptr<LinearOperator> preconditioner_;
  PreconditionerReuse use_;  // of it
  Cycle cycle_;              // its kind and precision: failed ones are not tried again for the next right-hand side
  bool chosen_ = false;      // has cycle_ been filled from options?
};

// Does p-multigrid without a matrix beat one? On cells that sum factorisation serves (quadrilaterals, hexahedra), of an
// order of the space's own above 1; and once on other solids of order 2 and above, whose rows are long: half of the
// time and a third of the memory, or less (docs/performance.md#solvers); and where element
// matrices cannot be assembled. `many`: other right-hand sides or numbers follow, which share a matrix.
bool needs_no_matrix(const Operator& equations, bool many);

// Do the options mean a matrix, by name, or by a method or preconditioner named for the mesh's own cells?
bool asks_for_matrix(const FunctionSpace& space, const LinearSolverOptions& options);

// Is the system solved without a matrix? As options.operator_kind says; on its own where none is needed, and the method
// iterates.
bool without_matrix(const Operator& equations, const LinearSolverOptions& options);

// On its own: where the iteration fails or becomes the worse bet, a matrix is tried. What says so; empty: nothing else
// is tried.
bool may_turn_to_a_matrix(const Operator& equations, const LinearSolverOptions& options);
IterationVerdict slower_than_with_a_matrix(const Operator& equations, const LinearSolverOptions& options);

}  // namespace ritz
