// Internal variables of an operator's forms at their quadrature points: Operator::commit and related functions.
#include "fem/operator/operator.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

void start_state(const FormValue& form, Vector& state) {
  std::vector<double> values(static_cast<std::size_t>(state.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = form.state_start[i / lane_count % form.state_start.size()];
  state.upload(values);
}

}  // namespace

bool Operator::has_state() const {
  return std::ranges::any_of(integrals_, [](const Integral& i) { return !i.form.state_start.empty(); });
}

Index Operator::state_numbers(const ElementGroup& group, const FormValue& form) const {
  const int points = form.cell >= 0 ? form.state_points : table(group, quadrature_degree(form, group)).point_count;
  return group.batch_count() * points * static_cast<Index>(form.state_start.size()) * lane_count;
}

// Made at the first call, with the numbers of the start.
Vector& Operator::state_of(const ElementGroup& group, const Integral& integral) const {
  Vector& state = states_[{&group, &integral}];
  if (state.empty()) {
    state = Vector(space_->device(), state_numbers(group, integral.form), "point state");
    start_state(integral.form, state);
  }
  return state;
}

// Kernels hold its address: it is written in place.
void Operator::reset_state() const {
  for (auto& [key, state] : states_) start_state(key.second->form, state);
  if (over_ranks_ && has_state()) over_ranks_->reset_states();
}

// use(group, integral) in the order of state().
template <class Use>
void Operator::each_state(const Use& use) const {
  for (const ElementGroup& group : groups_)
    for (const int i : group.integrals) {
      const Integral& integral = integrals_[static_cast<std::size_t>(i)];
      if (!integral.form.state_start.empty()) use(group, integral);
    }
}

// Needs of states that do not exist yet.
MemoryNeeds Operator::state_needs() const {
  MemoryNeeds needs;
  each_state([&](const ElementGroup& group, const Integral& integral) {
    if (!states_.contains({&group, &integral})) needs.array<double>("point state", state_numbers(group, integral.form));
  });
  return needs;
}

void Operator::commit(const Vector& u) const {
  check_vector(u);
  if (over_ranks_) return over_ranks_->commit(*this, u);
  each_state([&](const ElementGroup& group, const Integral& integral) {
    AssemblyTerm term = make_term(Task::residual, group, integral);
    term.arguments.u = u.data();
    term.arguments.batch_count = group.batch_count();
    kernels_of(Task::residual, group, integral.form).commits(space_->device(), term.arguments);
  });
}

Operator::PointStates Operator::state() const {
  if (over_ranks_ && has_state()) over_ranks_->bring_states(*this);
  PointStates values;
  each_state(
      [&](const ElementGroup& group, const Integral& integral) { values.push_back(state_of(group, integral).host()); });
  return values;
}

void Operator::set_state(const PointStates& values) const {
  std::size_t next = 0;
  each_state([&](const ElementGroup& group, const Integral& integral) {
    const Vector& state = state_of(group, integral);
    if (next == values.size() || static_cast<Index>(values[next].size()) != state.size())
      throw Error(ErrorKind::checkpoint_unusable,
                  fmt::format("the point state of '{}' is that of other equations", integral.form.name),
                  "it was kept for another number of cells, points or quantities", "start the run anew");
    states_[{&group, &integral}].upload(values[next++]);
  });
  if (over_ranks_) over_ranks_->states_were_set();
}

}  // namespace ritz
