// Data of an operator that change between evaluations: the time, factors of integrals, and numbers of forms.
//
//   equations.inputs().set_factor(0, 0.5);   equations.inputs().set_numbers(integrals);
#pragma once

#include "fem/operator/equations.hpp"
#include "fem/operator/integral.hpp"

#include <cstddef>
#include <vector>

namespace ritz {

class ElementTerms;
class OperatorStates;

class OperatorInputs final : public EquationInputs {
 public:
  // time: the owner's.
  OperatorInputs(ElementTerms& terms, const OperatorStates& states, Time& time)
      : terms_(&terms), states_(&states), time_(&time) {}

  // Functions that vary in time are evaluated again, at all of their points.
  void set_time(const Time& time) override;
  void set_factor_of_rates(double factor) override;
  void set_part_of_loads(double part) override;
  // Integral::factor of this integral of the operator, for all tasks from now on. Tangents kept at points stay valid.
  void set_factor(std::size_t integral, double factor);
  bool set_numbers(const IntegralsOfFields& integrals) override;
  bool set_numbers(const std::vector<Integral>& integrals);
  void set_numbers(
      const std::vector<FormValue>& forms);  // [integral] without places and factors, as forms_of() has them

 private:
  ElementTerms* terms_;
  const OperatorStates* states_;  // that know of other ranks
  Time* time_;
};

}  // namespace ritz
