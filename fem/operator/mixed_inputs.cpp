#include "fem/operator/mixed_inputs.hpp"

#include "fem/operator/mixed_terms.hpp"

#include <algorithm>
#include <iterator>

namespace ritz {

void MixedInputs::set_numbers(const std::vector<MixedFormValue>& forms) { terms_->set_numbers(forms); }

void MixedInputs::set_factor_of_rates(double factor) {
  terms_->set_factor_of_rates(factor);
  for (const auto& each : *of_fields_)
    if (each) each->inputs().set_factor_of_rates(factor);
}

void MixedInputs::set_part_of_loads(double part) {
  for (const auto& each : *of_fields_)
    if (each) each->inputs().set_part_of_loads(part);
}

void MixedInputs::set_time(const Time& time) {
  const bool moves = time.t != time_->t;
  *time_ = time;
  if (moves) terms_->points().update_coefficients(PointData::Which::in_time, time.t);
  for (const auto& each : *of_fields_)
    if (each) each->inputs().set_time(time);
}

void MixedStates::commit(const Vector& u) {
  Vector room;
  const Vector& all = owned_.with_ghosts(u, room);
  for (std::size_t k = 0; k < of_fields_->size(); ++k)
    if (const auto& each = (*of_fields_)[k]) each->states().commit_of_part(local_.part(all, static_cast<int>(k)));
}

PointStates::Values MixedStates::values() const {
  Values all;
  for (const auto& each : *of_fields_)
    if (each) std::ranges::move(each->states().values(), std::back_inserter(all));
  return all;
}

void MixedStates::set(const Values& values) {
  std::size_t next = 0;
  for (const auto& each : *of_fields_) {
    if (each == nullptr) continue;
    const std::size_t count = std::min(each->states().values().size(), values.size() - next);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(next);
    each->states().set(Values(begin, begin + static_cast<std::ptrdiff_t>(count)));
    next += count;
  }
}

void MixedStates::reset() {
  for (const auto& each : *of_fields_)
    if (each) each->states().reset();
}

}  // namespace ritz
