// Data of a mixed operator that change between evaluations, and the internal variables of its forms of one field.
//
//   equations.inputs().set_numbers(forms);
#pragma once

#include "fem/forms/mixed_form_value.hpp"
#include "fem/operator/equations.hpp"
#include "fem/operator/operator.hpp"

#include <memory>
#include <vector>

namespace ritz {

class FieldsTerms;
using OperatorsOfFields = std::vector<std::unique_ptr<Operator>>;  // [field]; null: it has no forms of one field

class FieldsInputs final : public EquationInputs {
 public:
  // time: the owner's.
  FieldsInputs(FieldsTerms& terms, const OperatorsOfFields& of_fields, Time& time)
      : terms_(&terms), of_fields_(&of_fields), time_(&time) {}
  void set_time(const Time& time) override;
  void set_factor_of_rates(double factor) override;
  void set_part_of_loads(double part) override;
  bool set_numbers(const IntegralsOfFields& integrals) override;
  // Other numbers of the forms of several fields, as many forms as integrals, of the same names.
  void set_numbers(const std::vector<MixedFormValue>& forms);

 private:
  FieldsTerms* terms_;
  const OperatorsOfFields* of_fields_;
  Time* time_;
};

// Those of the operators of single fields, one after the other; forms of several have none.
class FieldsStates final : public PointStates {
 public:
  FieldsStates(const OperatorsOfFields& of_fields, Layout layout)
      : PointStates(std::move(layout)), of_fields_(&of_fields), local_(layout_.local()) {}
  void commit_of_part(const Vector& u) override;
  Values values() const override;
  void set(const Values& values) override;
  void reset() override;

 private:
  const OperatorsOfFields* of_fields_;
  Layout local_;  // [field][owned | ghosts]
};

}  // namespace ritz
