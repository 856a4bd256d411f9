#include "fem/operator/fields_inputs.hpp"

#include "fem/operator/fields_terms.hpp"

#include <algorithm>
#include <iterator>

namespace ritz {

void FieldsInputs::set_numbers(const std::vector<MixedFormValue>& forms) { terms_->set_numbers(forms); }

bool FieldsInputs::set_numbers(const IntegralsOfFields& integrals) {
  const auto same = [](const auto& a, const auto& b) { return a.same_place(b); };
  std::vector<std::vector<Integral>> of_fields(of_fields_->size());
  for (const Integral& each : integrals.of_one) of_fields.at(static_cast<std::size_t>(each.field)).push_back(each);
  bool alike = std::ranges::equal(terms_->integrals(), integrals.of_several, same);
  for (std::size_t k = 0; alike && k < of_fields.size(); ++k) {
    const auto& own = (*of_fields_)[k];
    alike = own != nullptr ? std::ranges::equal(own->integrals(), of_fields[k], same) : of_fields[k].empty();
  }
  if (!alike) return false;
  std::vector<MixedFormValue> forms;
  for (const MixedIntegral& each : integrals.of_several) {
    terms_->set_factor(forms.size(), each.factor);
    forms.push_back(each.form);
  }
  if (!forms.empty()) set_numbers(forms);
  for (std::size_t k = 0; k < of_fields.size(); ++k)
    if (const auto& own = (*of_fields_)[k]) own->inputs().set_numbers(of_fields[k]);
  return true;
}

void FieldsInputs::set_factor_of_rates(double factor) {
  terms_->set_factor_of_rates(factor);
  for (const auto& each : *of_fields_)
    if (each) each->inputs().set_factor_of_rates(factor);
}

void FieldsInputs::set_part_of_loads(double part) {
  for (const auto& each : *of_fields_)
    if (each) each->inputs().set_part_of_loads(part);
}

void FieldsInputs::set_time(const Time& time) {
  const bool moves = time.t != time_->t;
  *time_ = time;
  if (moves) terms_->points().update_coefficients(PointData::Which::in_time, time.t);
  for (const auto& each : *of_fields_)
    if (each) each->inputs().set_time(time);
}

void FieldsStates::commit_of_part(const Vector& u) {
  for (std::size_t k = 0; k < of_fields_->size(); ++k)
    if (const auto& each = (*of_fields_)[k]) each->states().commit_of_part(local_.part(u, static_cast<int>(k)));
}

PointStates::Values FieldsStates::values() const {
  Values all;
  for (const auto& each : *of_fields_)
    if (each) std::ranges::move(each->states().values(), std::back_inserter(all));
  return all;
}

void FieldsStates::set(const Values& values) {
  std::size_t next = 0;
  for (const auto& each : *of_fields_) {
    if (each == nullptr) continue;
    const std::size_t count = std::min(each->states().values().size(), values.size() - next);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(next);
    each->states().set(Values(begin, begin + static_cast<std::ptrdiff_t>(count)));
    next += count;
  }
}

void FieldsStates::reset() {
  for (const auto& each : *of_fields_)
    if (each) each->states().reset();
}

}  // namespace ritz
