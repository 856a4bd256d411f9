// The linear system of a tangent as Newton's method and time integration see it, whatever its fields: LinearSystem of
// one field, FieldsSystem of several.
//
//   const std::unique_ptr<TangentSystem> system = tangent_system(equations, supports, options);
//   system->linearise(u);                        // again when u or numbers have changed
//   system->multiply(gap, y);                    // the whole tangent, where it is needed
//   SolveReport report = system->solve(b, x);    // from x
#pragma once

#include "fem/operator/equations.hpp"
#include "fem/space/rigid_motion.hpp"
#include "fem/space/supports.hpp"
#include "solvers/algebra/multi_vector.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct Attached;      // fem/analysis/attached.hpp
struct WholeProblem;  // fem/preconditioners/fields_system.hpp

class TangentSystem {
 public:
  virtual ~TangentSystem() = default;

  // Begins a new stage, such as an increment: factors and hierarchies of the stage before are freed, so that a run that
  // resumes here gives the same bits. The text appears in turned(): " from increment 2 on".
  virtual void begin(const std::string& stage = {}) = 0;
  // For the next solutions.
  virtual void set_options(const LinearSolverOptions& options) = 0;
  // Other constraints of the same unknowns, from the next linearise() on. Matrix and hierarchy are made again.
  virtual void hold(const Supports& supports) = 0;
  // The tangent at u, an empty u is zero. Factors and hierarchies of the tangent before may serve on.
  virtual void linearise(const Vector& u) = 0;
  // y = tangent x. After solve() x must be zero where unknowns are prescribed, and what y has in their rows is of no
  // use.
  virtual void multiply(const Vector& x, Vector& y) const = 0;
  // From x, to the tolerance given or else that of the options. Throws what solve_linear(), MatrixFreeSolver and
  // FieldsSystem throw.
  virtual SolveReport solve(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance = {}) = 0;
  // Several columns. Those of a system without a matrix for all of them are solved one after the other. after_columns:
  // as in LinearSolverOptions.
  virtual std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X, const AfterColumns& after_columns = {});
  virtual bool has_matrix() const { return false; }
  // Why a matrix took over: "with a matrix, since without one ..."; empty: none did.
  virtual const std::string& turned() const = 0;

  // Springs and masses that the products and solutions that follow have beside the tangent, times these factors, and
  // means that it holds, which no product knows; before linearise(), where stops belong to them.
  virtual void set_beside(std::shared_ptr<const Attached> attached, double stiffness, double mass) = 0;
  // One field alone: rigid motions that the ground alone holds (motions_held_by_ground), which iterations correct at
  // their end.
  virtual void set_ground(GroundMotions motions) = 0;  // null: none
};

struct TangentFacts {
  const WholeProblem* whole = nullptr;  // facts of the whole mesh, where the equations are those of a part of it
  bool singular = false;     // the matrix maps gradients to zero: an iteration bears it, a factorisation does not
  bool keeps_solver = true;  // factors and hierarchies serve from one solve to the next
};
std::unique_ptr<TangentSystem> tangent_system(const Equations& equations, const Supports& supports,
                                              const LinearSolverOptions& options, const TangentFacts& facts = {});

}  // namespace ritz
