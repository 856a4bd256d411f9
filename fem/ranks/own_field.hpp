// One field at nodes as this process works on it: all of it, or over ranks the part of a rank, whose vectors have the
// unknowns that it owns. Every rank runs the same program: each has the whole model, and cuts its part. Analyses
// written with it know no ranks. All ranks make theirs and call its functions together.
//
//   const OwnField field(equations, supports, linear);
//   Vector f = field.zeros();   field.of(loads).residual(field.zeros(), f);
//   LinearSystem system(field.equations(), linear, LinearSystem::Keeps::solver, field.part());
//   Vector of_all = field.gathered(f);
#pragma once

#include "fem/ranks/divided_equations.hpp"
#include "fem/ranks/part_of_model.hpp"
#include "fem/space/rigid_motion.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ritz {

class OwnField final : public PartOfModel {
 public:
  // From equal equations and supports on all ranks; supports are finished. The options are those of the linear system,
  // with ranks or none. Numbers, time and internal variables of the part are those of the equations of the whole model
  // whenever equations() is called, until lead(). Throws what check_divisible() throws.
  OwnField(const Operator& equations, const Constraints& supports, const LinearSolverOptions& linear);
  ~OwnField() override;

  // From now on an analysis over ranks sets time, factors and internal variables of the part, and the supports follow
  // those of the whole model in time. rates: those among the equations alone.
  void lead(Operator& equations, Constraints& supports, Operator* rates = nullptr);

  const OwnField* part() const { return divided_ ? this : nullptr; }  // null: one process
  const DividedSpace& divided() const { return *divided_->space(); }  // over ranks
  const FunctionSpace& space() const { return all_.space(); }         // of the model

  Operator& equations() const override { return divided_ ? divided_->own(all_) : all_; }
  Operator& rates() const override { return *rates_; }
  Constraints& supports() override { return supports_; }
  const Constraints& supports() const { return supports_; }
  const Constraints& with_values_of(const Supports& whole) override;
  std::shared_ptr<const Equations> own_equations(const Equations& others) override;
  const WholeProblem& whole() const override { return whole_; }
  const Operator& equations_of_all() const override { return all_; }
  const Constraints& supports_of_all() const override { return all_supports_; }
  void bring_to_all() const override;

  using PartOfModel::own;
  Constraints own(const Constraints& others) const;   // of the same unknowns, with other values
  const Operator& own(const Operator& others) const;  // of the same space
  std::vector<Integral> own(const std::vector<Integral>& others) const;
  GroundMotions own(const GroundMotions& of_all) const;
  Operator of(const std::vector<Integral>& integrals) const { return {equations().space(), own(integrals)}; }

  Vector zeros() const { return equations().zeros(); }
  Vector with_ghosts(Vector own) const;  // as Linearisation takes it; an empty one is zero

 private:
  const std::vector<Index>& cells(int) const override { return divided().part().cells(); }

  mutable Operator all_;
  Constraints all_supports_;
  const std::shared_ptr<DividedEquations> divided_;  // that the equations have; null: one process
  std::shared_ptr<DividedEquations> divided_rates_;
  Operator *led_ = nullptr, *rates_ = nullptr;
  Constraints supports_;
  WholeProblem whole_;
};

// Divides the equations as these options need it, before others divide them: all systems of them take one division.
void divide_for(const Operator& equations, const LinearSolverOptions& linear);

}  // namespace ritz
