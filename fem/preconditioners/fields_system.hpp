// The linear system of equations of several fields, saddle points among them: the tangent with its supports, solved by
// a factorisation, or by MINRES or GMRES with the preconditioner of fields_preconditioner.hpp. In one process, or over
// ranks, where the equations are those of each rank's part of the mesh and all ranks make the same calls.
//
//   FieldsSystem system(equations, supports, options, whole_problem(equations, supports));
//   system.linearise(u);                                                                // again when u has changed
//   SolveReport report = system.solve(r, du, {.relative = 1e-8});                       // K du = r
#pragma once

#include "fem/preconditioners/field_motions.hpp"
#include "fem/preconditioners/fields_preconditioner.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/method_choice.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class OwnField;  // fem/ranks/own_field.hpp

// Facts of the whole mesh that a part of it does not show.
struct WholeProblem {
  SystemSize size = {};
  std::vector<FieldMotion> motions = {};
  bool singular = false;          // the matrix maps gradients to zero: an iteration bears it, a factorisation does not
  WholeMeshCalls calls = {};      // over ranks
  const OwnField* one = nullptr;  // in place of these, of one field at nodes
};
WholeProblem whole_problem(const FieldsOperator& equations, const FieldsConstraints& supports);

class FieldsSystem {
 public:
  // Supports are finished. The method is direct, minres, gmres, or automatic: a factorisation where that is predicted
  // to take less time and fits the memory, else an iteration; conjugate gradients for one field whose matrix is
  // promised to be positive definite.
  FieldsSystem(const FieldsOperator& equations, const FieldsConstraints& supports, LinearSolverOptions options,
               WholeProblem whole);
  ~FieldsSystem();
  FieldsSystem(const FieldsSystem&) = delete;
  FieldsSystem& operator=(const FieldsSystem&) = delete;

  // The tangent at u, an empty u is zero. Matrix and factor or preconditioner are made by the next solution, and stay
  // for those after it.
  void linearise(const Vector& u);
  const Vector& point() const;
  void release();  // all of them; over ranks all ranks together

  // From x, r gathered, [owned]. Throws Error: Exit::model where the matrix is singular, Error: Exit::input for other
  // methods and for fields without a preconditioner, and what DirectSolver throws; over ranks as an AgreedError.
  SolveReport solve(const Vector& r, Vector& x, const LinearTolerance& tolerance);

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

// Methods in the order of trying, for a system of this size.
std::vector<MethodChoice> methods_of(const FieldsOperator& equations, const LinearSolverOptions& options,
                                     const SystemSize& size);
SystemSize size_of_system(const FieldsOperator& equations);  // of the whole mesh

}  // namespace ritz
