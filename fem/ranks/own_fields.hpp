// Several fields as this process works on them, as OwnField is of one: all of them, or over ranks the part of the mesh
// that the rank cuts from the whole. All ranks make theirs and call its functions together.
//
//   OwnFields mine(equations, supports, ranks);
//   solve_nonlinear(mine.equations(), mine.supports(), {.whole = &mine.whole()});
//   Vector u = mine.gathered(x);                                           // of the whole mesh
#pragma once

#include "fem/ranks/local_fields.hpp"
#include "fem/ranks/part_of_model.hpp"

#include <memory>
#include <optional>

namespace ritz {

// Throws Error: Exit::environment for fewer nodes of a field than ranks, and internal variables on facets.
void check_divisible(const FieldsOperator& equations, const Ranks& ranks);

class OwnFields final : public PartOfModel {
 public:
  // From equal equations and supports on all ranks; ranks: null in one process. rates: those among the equations alone,
  // of an evolution in time. Prescribed values and internal variables are those of the present time. Throws what
  // check_divisible() throws.
  OwnFields(const FieldsOperator& equations, const FieldsConstraints& supports, Ranks* ranks,
            const FieldsOperator* rates = nullptr);

  const OwnFields* part() const { return part_ ? this : nullptr; }  // null: one process

  FieldsOperator& equations() const override { return part_ ? part_->equations() : all_; }
  FieldsOperator& rates() const override { return *rates_; }
  FieldsConstraints& supports() override { return supports_; }
  const FieldsConstraints& supports() const { return supports_; }
  const FieldsConstraints& with_values_of(const Supports& whole) override;
  std::shared_ptr<const Equations> own_equations(const Equations& others) override {
    return own(dynamic_cast<const FieldsOperator&>(others));
  }
  const WholeProblem& whole() const override { return whole_; }  // over ranks
  const FieldsOperator& equations_of_all() const override { return all_; }
  const FieldsConstraints& supports_of_all() const override { return all_supports_; }
  void bring_to_all() const override;

  using PartOfModel::own;
  std::shared_ptr<FieldsOperator> own(const FieldsOperator& others) const;  // other equations on the same spaces

 private:
  const std::vector<Index>& cells(int field) const override { return part_->cells(field); }
  FieldsCutter cutter() const;  // it has the cells of all ranks: none outlives its use
  WholeProblem of_this_rank(WholeProblem whole) const;

  mutable FieldsOperator all_;
  FieldsConstraints all_supports_;
  Ranks* const ranks_;
  std::optional<LocalFields> part_;  // none: one process
  std::shared_ptr<FieldsOperator> rates_;
  FieldsConstraints supports_;
  WholeProblem whole_;
};

}  // namespace ritz
