// Equations of one or several fields where every rank runs the same program: each has the whole mesh, cuts the part of
// it that it works on, and solves its rows with the others.
//
//   FieldsOfRank mine(equations, supports, *ranks);                        // on all ranks; of the whole mesh
//   solve_nonlinear(mine.equations(), mine.supports(), {.whole = &mine.whole()});
//   Vector u = mine.gathered(x);                                           // of the whole mesh
#pragma once

#include "fem/preconditioners/fields_system.hpp"
#include "fem/ranks/local_fields.hpp"
#include "fem/ranks/part_of_model.hpp"

namespace ritz {

// Throws Error: Exit::environment for fewer nodes of a field than ranks, and internal variables on facets.
void check_divisible(const MixedOperator& equations, const Ranks& ranks);

class FieldsOfRank final : public PartOfModel {
 public:
  // All ranks make theirs together, from equal equations and supports. rates: those among the
  // equations alone, of an evolution in time. Prescribed values are those of the present time. Throws what
  // check_divisible() throws.
  FieldsOfRank(const MixedOperator& equations, const FieldsConstraints& supports, Ranks& ranks,
               const MixedOperator* rates = nullptr);
  MixedOperator& equations() const override { return part_.equations(); }
  MixedOperator& rates() const override { return *rates_; }
  // Other equations on the same spaces, of this part.
  std::unique_ptr<MixedOperator> own(const MixedOperator& others);
  FieldsConstraints& supports() override { return supports_; }
  const FieldsConstraints& supports() const { return supports_; }
  const WholeProblem& whole() const override { return whole_; }
  const MixedOperator& equations_of_all() const override { return all_; }
  const FieldsConstraints& supports_of_all() const override { return all_supports_; }
  const FieldsConstraints& with_values_of(const Supports& whole) override;
  std::shared_ptr<const Equations> own_equations(const Equations& others) override {
    return own(dynamic_cast<const MixedOperator&>(others));
  }

  Vector gathered(const Vector& x) const override { return equations().layout().gathered(x); }
  Vector own(const Vector& of_all) const override;
  // They become those of the equations of the whole mesh, too; of the part those that it has now.
  PointStates::Values own_states(const PointStates::Values& of_all) const override;
  PointStates::Values states_of_all(const PointStates::Values& own) const override;
  void bring_to_all() const override { bring_states(); }
  void take_states() const;  // of the part, from those of the equations of the whole mesh

 private:
  void bring_states() const;
  FieldsCutter cutter() const;  // it has the cells of all ranks: none outlives its use
  WholeProblem of_this_rank(WholeProblem whole) const;
  template <class Use>
  void each_with_states(const Use& use) const;

  MixedOperator all_;
  FieldsConstraints all_supports_;
  Ranks& ranks_;
  LocalFields part_;
  std::unique_ptr<MixedOperator> rates_;
  FieldsConstraints supports_;
  WholeProblem whole_;
};

}  // namespace ritz
