#include "fem/operator/operator_inputs.hpp"

#include "fem/operator/element_terms.hpp"
#include "fem/operator/mixed_integral.hpp"
#include "fem/operator/operator_states.hpp"

#include <algorithm>

namespace ritz {

void OperatorInputs::set_time(const Time& time) {
  const bool moves = time.t != time_->t;
  *time_ = time;
  if (moves) terms_->points().update_coefficients(PointData::Which::in_time, time.t);
}

void OperatorInputs::set_factor_of_rates(double factor) {
  const std::vector<Integral>& integrals = terms_->integrals();
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (integrals[i].is_rate) set_factor(i, factor);
}

void OperatorInputs::set_part_of_loads(double part) {
  const std::vector<Integral>& integrals = terms_->integrals();
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (integrals[i].is_load) set_factor(i, part);
}

void OperatorInputs::set_factor(std::size_t integral, double factor) { terms_->set_factor(integral, factor); }

bool OperatorInputs::set_numbers(const std::vector<Integral>& integrals) {
  if (!std::ranges::equal(terms_->integrals(), integrals,
                          [](const Integral& a, const Integral& b) { return a.same_place(b); }))
    return false;
  for (std::size_t i = 0; i < integrals.size(); ++i) set_factor(i, integrals[i].factor);
  set_numbers(forms_of(integrals));
  return true;
}

bool OperatorInputs::set_numbers(const IntegralsOfFields& integrals) {
  return integrals.of_several.empty() && set_numbers(integrals.of_one);
}

void OperatorInputs::set_numbers(const std::vector<FormValue>& forms) {
  terms_->set_numbers(forms);
  if (states_->over_ranks() != nullptr) states_->over_ranks()->numbers_changed();
}

}  // namespace ritz
