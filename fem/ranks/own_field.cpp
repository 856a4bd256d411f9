#include "fem/ranks/own_field.hpp"

#include "fem/operator/task_plans.hpp"
#include "fem/ranks/divisible.hpp"

#include <utility>

namespace ritz {
namespace {

std::shared_ptr<DividedEquations> divided(const Operator& equations, const LinearSolverOptions& options) {
  if (options.ranks == nullptr) return nullptr;
  check_divisible(equations, options, *options.ranks);
  return divide_among_ranks(equations, options, *options.ranks).shared_from_this();
}

}  // namespace

OwnField::OwnField(const Operator& equations, const Constraints& supports, const LinearSolverOptions& linear)
    : all_(equations),
      all_supports_(supports),
      divided_(ritz::divided(equations, linear)),
      supports_(divided_ ? divided().own(supports) : supports) {
  whole_.one = part();
}

OwnField::~OwnField() {
  for (DividedEquations* const each : {divided_.get(), divided_rates_.get()})
    if (led_ != nullptr && each != nullptr) each->follow();
}

void OwnField::lead(Operator& equations, Constraints& supports, Operator* rates) {
  led_ = &equations;
  supports_.follow(supports);
  divided_->lead(equations);
  if (rates == nullptr) return;
  divided_rates_ = divide_like(equations, *rates)->shared_from_this();
  rates_ = &divided_rates_->lead(*rates);
}

const Constraints& OwnField::with_values_of(const Supports& whole) {
  supports_.take_values(dynamic_cast<const Constraints&>(whole));
  return supports_;
}

std::shared_ptr<const Equations> OwnField::own_equations(const Equations& others) {
  return std::make_shared<const Operator>(own(dynamic_cast<const Operator&>(others)));
}

// The internal variables come when they are read.
void OwnField::bring_to_all() const {
  led_->inputs().set_time(equations().time());
  divided_->states_have_changed();
}

Constraints OwnField::own(const Constraints& others) const { return divided_ ? divided().own(others) : others; }

const Operator& OwnField::own(const Operator& others) const {
  return divided_ ? divide_like(all_, others)->own(others) : others;
}

std::vector<Integral> OwnField::own(const std::vector<Integral>& others) const {
  return divided_ ? divided().integrals(others).integrals : others;
}

GroundMotions OwnField::own(const GroundMotions& of_all) const {
  if (of_all == nullptr || !divided_) return of_all;
  std::vector<std::vector<double>> mine;
  const RankRows rows = divided().rows();
  for (const std::vector<double>& each : *of_all)
    mine.emplace_back(each.begin() + rows.begin(), each.begin() + rows.begin() + rows.count());
  return std::make_shared<const std::vector<std::vector<double>>>(std::move(mine));
}

Vector OwnField::with_ghosts(Vector own) const { return divided_ ? divided().with_ghosts(own) : std::move(own); }

void divide_for(const Operator& equations, const LinearSolverOptions& linear) { divided(equations, linear); }

}  // namespace ritz
