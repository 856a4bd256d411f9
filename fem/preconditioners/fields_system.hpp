// The linear system of equations of several fields, saddle points among them: the tangent with its supports, solved by
// a factorisation, or by MINRES or GMRES with the preconditioner of mixed_preconditioner.hpp. In one process, or over
// ranks, where the equations are those of each rank's part of the mesh and all ranks make the same calls.
//
//   const WholeProblem whole = whole_problem(equations, supports);         // of the whole mesh
//   SolveReport report = solve_fields(equations, supports, options, whole, r, du);                 // K du = r
#pragma once

#include "fem/preconditioners/field_motions.hpp"
#include "fem/preconditioners/mixed_preconditioner.hpp"
#include "solvers/linear/linear_solver_options.hpp"
#include "solvers/linear/method_choice.hpp"

#include <string>
#include <vector>

namespace ritz {

// Facts of the whole mesh that a part of it does not show.
struct WholeProblem {
  SystemSize size;
  std::vector<FieldMotion> motions = {};
  bool singular = false;      // the matrix maps gradients to zero: an iteration bears it, a factorisation does not
  WholeMeshCalls calls = {};  // over ranks
};
WholeProblem whole_problem(const MixedOperator& equations, const MixedConstraints& supports);

// The equations are linear and the supports finished. r, gathered, and du, whose dependent unknowns are zero: [owned
// unknown]. The method is direct, minres, gmres, or
// automatic: a factorisation where that is predicted to take less time and fits the memory, else an iteration. Throws
// Error(Exit::model) where the matrix is singular, Error(Exit::input) for other methods and for fields without a
// preconditioner, and what DirectSolver throws; over ranks as an AgreedError.
SolveReport solve_fields(const MixedOperator& equations, const MixedConstraints& supports,
                         const LinearSolverOptions& options, const WholeProblem& whole, const Vector& r, Vector& du);

// Methods in the order of trying, for a system of this size.
std::vector<MethodChoice> methods_of(const MixedOperator& equations, const LinearSolverOptions& options,
                                     const SystemSize& size);
SystemSize size_of_system(const MixedOperator& equations);  // of the whole mesh

}  // namespace ritz
