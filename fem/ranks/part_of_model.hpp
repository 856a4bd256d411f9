// The part of a model on which a rank works, while every rank has the whole model: equations and supports of its nodes,
// of one field (OwnField) or of several (OwnFields), whose vectors hold the unknowns that it owns. Without ranks the
// part is the model. Analyses over ranks know this alone.
//
//   const std::unique_ptr<PartOfModel> part = part_of(equations, supports, options);
//   solve_nonlinear(part->equations(), part->supports(), analysis, of_all_unknowns(*part, observer));
//   Vector u = part->gathered(s.u);                                  // of the whole model, on every rank
#pragma once

#include "fem/operator/equations.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "fem/space/supports.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

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
  // Before results are derived from the equations of the whole model: those take over the time and the internal
  // variables of the part. All ranks call it.
  virtual void bring_to_all() const = 0;

  const Layout& layout() const { return equations().layout(); }
  // The own unknowns of a vector that every rank has; no messages.
  Vector own(const Vector& of_all) const;
  Vector own(std::span<const double> of_all) const;  // an empty one stays empty
  // x [owned unknown]; the unknowns of the whole model. All ranks call it.
  Vector gathered(const Vector& x) const;
  // Internal variables of the part, and the way back. All ranks call them.
  PointStates::Values own_states(const PointStates::Values& of_all) const;
  PointStates::Values states_of_all(const PointStates::Values& own) const;

 protected:
  PartOfModel() = default;
  PartOfModel(const PartOfModel&) = delete;
  PartOfModel& operator=(const PartOfModel&) = delete;

  virtual const std::vector<Index>& cells(int field) const = 0;  // of its mesh, as the whole mesh numbers them
  // use(whole, mine, cells): operators of fields with internal variables.
  template <class Use>
  void each_with_states(const Use& use) const {
    const Equations &all = equations_of_all(), &here = equations();
    for (int k = 0; k < layout().count(); ++k)
      if (const Operator* const whole = all.of_field(k); whole != nullptr && has_states_of(*whole))
        use(*whole, *here.of_field(k), cells(k));
  }

 private:
  static bool has_states_of(const Operator& one);
};

// The part of this rank, where options have ranks; null: one process. All ranks make theirs together.
std::unique_ptr<PartOfModel> part_of(const Equations& equations, const Supports& supports,
                                     const LinearSolverOptions& options);

}  // namespace ritz
