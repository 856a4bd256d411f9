#include "fem/ranks/field_of_rank.hpp"

#include "fem/operator/task_plans.hpp"
#include "fem/ranks/cell_states.hpp"
#include "fem/ranks/divisible.hpp"

#include <utility>

namespace ritz {
namespace {

std::shared_ptr<DividedEquations> divided(const Operator& equations, const LinearSolverOptions& options, Ranks& ranks) {
  check_divisible(equations, options, ranks);
  return divide_among_ranks(equations, options, ranks).shared_from_this();
}

}  // namespace

FieldOfRank::FieldOfRank(const Operator& equations, const Constraints& supports, const LinearSolverOptions& options,
                         Ranks& ranks)
    : all_(equations),
      all_supports_(supports),
      divided_(divided(equations, options, ranks)),
      supports_(divided_->space()->own(supports)) {
  whole_.one = this;
}

FieldOfRank::~FieldOfRank() {
  for (DividedEquations* const each : {divided_.get(), divided_rates_.get()})
    if (led_ != nullptr && each != nullptr) each->follow();
}

void FieldOfRank::lead(Operator& equations, Constraints& supports, Operator* rates) {
  led_ = &equations;
  supports_.follow(supports);
  divided_->lead(equations);
  if (rates == nullptr) return;
  divided_rates_ = divide_like(equations, *rates)->shared_from_this();
  rates_ = &divided_rates_->lead(*rates);
}

Operator& FieldOfRank::equations() const { return divided_->own(all_); }

Constraints FieldOfRank::own(const Constraints& others) const { return space().own(others); }

const Operator& FieldOfRank::own(const Operator& others) const { return divide_like(all_, others)->own(others); }

const Constraints& FieldOfRank::with_values_of(const Supports& whole) {
  supports_.take_values(dynamic_cast<const Constraints&>(whole));
  return supports_;
}

std::shared_ptr<const Equations> FieldOfRank::own_equations(const Equations& others) {
  DividedEquations* const divided = divide_like(all_, others);
  return {divided->shared_from_this(), &divided->own(dynamic_cast<const Operator&>(others))};
}

GroundMotions FieldOfRank::own(const GroundMotions& of_all) const {
  if (of_all == nullptr) return nullptr;
  std::vector<std::vector<double>> mine;
  const RankRows rows = space().rows();
  for (const std::vector<double>& each : *of_all)
    mine.emplace_back(each.begin() + rows.begin(), each.begin() + rows.begin() + rows.count());
  return std::make_shared<const std::vector<std::vector<double>>>(std::move(mine));
}

PointStates::Values FieldOfRank::own_states(const PointStates::Values& of_all) const {
  return ritz::own_states(all_, of_all, space().part().cells(), equations());
}

PointStates::Values FieldOfRank::states_of_all(const PointStates::Values& own) const {
  return ritz::states_of_all(equations(), own, space().part().cells(), all_.terms(), all_.states().values(),
                             space().ranks());
}

// The internal variables come when they are read.
void FieldOfRank::bring_to_all() const {
  led_->inputs().set_time(equations().time());
  divided_->states_have_changed();
}

}  // namespace ritz
