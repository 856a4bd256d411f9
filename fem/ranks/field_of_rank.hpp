// Equations of one field at nodes where every rank runs the same program: each has the whole model, and cuts the part
// of it that it works on. Vectors hold the unknowns that the rank owns.
//
//   FieldOfRank mine(equations, supports, options, *options.ranks);        // on all ranks
//   LinearSystem system(mine.equations(), options, LinearSystem::Keeps::solver, &mine);
//   mine.lead(equations, supports);                                        // an analysis changes time and states
#pragma once

#include "fem/preconditioners/fields_system.hpp"
#include "fem/ranks/divided_equations.hpp"
#include "fem/ranks/part_of_model.hpp"
#include "fem/space/rigid_motion.hpp"

#include <memory>
#include <vector>

namespace ritz {

class FieldOfRank final : public PartOfModel {
 public:
  // All ranks make theirs together, from equal equations and supports, to which it refers. Supports are finished. The
  // options are those of the linear system. Numbers, time and internal variables of the part are those of the
  // equations of the whole model whenever equations() is called, until lead(). Throws what check_divisible() throws.
  FieldOfRank(const Operator& equations, const Constraints& supports, const LinearSolverOptions& options, Ranks& ranks);
  ~FieldOfRank() override;

  // From now on an analysis sets time, factors and internal variables of the part, and the supports follow those of the
  // whole model in time. rates: those among the equations alone.
  void lead(Operator& equations, Constraints& supports, Operator* rates = nullptr);

  Operator& equations() const override;
  Operator& rates() const override { return *rates_; }
  Constraints& supports() override { return supports_; }
  const Constraints& supports() const { return supports_; }
  const Constraints& with_values_of(const Supports& whole) override;
  std::shared_ptr<const Equations> own_equations(const Equations& others) override;
  // Constraints of the same unknowns with other values, on this part.
  Constraints own(const Constraints& others) const;
  // Other equations of the same space, on this part; their integrals.
  const Operator& own(const Operator& others) const;
  std::vector<Integral> own(const std::vector<Integral>& others) const { return space().integrals(others).integrals; }

  const WholeProblem& whole() const override { return whole_; }
  const Operator& equations_of_all() const override { return all_; }
  const Constraints& supports_of_all() const override { return all_supports_; }
  const DividedSpace& space() const { return *divided_->space(); }

  Vector gathered(const Vector& x) const override { return space().layout().gathered(x); }
  Vector own(const Vector& of_all) const override { return space().own(of_all); }
  GroundMotions own(const GroundMotions& of_all) const;
  PointStates::Values own_states(const PointStates::Values& of_all) const override;
  PointStates::Values states_of_all(const PointStates::Values& own) const override;
  void bring_to_all() const override;

 private:
  Operator all_;
  Constraints all_supports_;
  const std::shared_ptr<DividedEquations> divided_;  // that the equations have
  std::shared_ptr<DividedEquations> divided_rates_;
  Operator *led_ = nullptr, *rates_ = nullptr;
  Constraints supports_;
  WholeProblem whole_;
};

}  // namespace ritz
