// The part of a model that a rank works on, as analyses see it: equations and supports whose vectors hold the unknowns
// that the rank owns, of one field (FieldOfRank) or of several (FieldsOfRank). Every rank has the whole model, too.
//
//   solve_nonlinear(part.equations(), part.supports(), options);          // on all ranks
//   Vector u = part.gathered(x);                                          // of the whole model
#pragma once

#include "fem/operator/equations.hpp"
#include "fem/space/supports.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <vector>

namespace ritz {

struct WholeProblem;  // fem/preconditioners/fields_system.hpp

class PartOfModel {
 public:
  virtual ~PartOfModel() = default;

  virtual Equations& equations() const = 0;
  virtual Equations& rates() const = 0;  // of an evolution in time, where they were given
  virtual Supports& supports() = 0;
  virtual const WholeProblem& whole() const = 0;
  virtual const Equations& equations_of_all() const = 0;  // of the whole model
  virtual const Supports& supports_of_all() const = 0;
  // The supports of the part with the values of others of the same unknowns of the whole model; until the next call.
  virtual const Supports& with_values_of(const Supports& whole) = 0;
  virtual std::shared_ptr<const Equations> own_equations(const Equations& others) = 0;  // on the same spaces

  // x [owned unknown]; the unknowns of the whole model. All ranks call it.
  virtual Vector gathered(const Vector& x) const = 0;
  virtual Vector own(const Vector& of_all) const = 0;  // of a vector that every rank has; no messages
  // Internal variables of the part, and the way back. All ranks call them.
  virtual PointStates::Values own_states(const PointStates::Values& of_all) const = 0;
  virtual PointStates::Values states_of_all(const PointStates::Values& own) const = 0;
  // Before results are derived from the equations of the whole model: those take over the time and the internal
  // variables of the part. All ranks call it.
  virtual void bring_to_all() const = 0;

 protected:
  PartOfModel() = default;
  PartOfModel(const PartOfModel&) = delete;
  PartOfModel& operator=(const PartOfModel&) = delete;
};

// The part of this rank, where options have ranks; null: one process. All ranks make theirs together.
std::unique_ptr<PartOfModel> part_of(const Equations& equations, const Supports& supports,
                                     const LinearSolverOptions& options);

}  // namespace ritz
