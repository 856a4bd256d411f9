#include "fem/sensitivity/trajectory.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

void Trajectory::keep(const State& state) {
  if (state.steps > step_count()) steps_.push_back({state.dt, state.time});
  if (state.steps % spacing_ != 0) return;
  states_.push_back(state);
  if (std::ssize(states_) <= 2 * spacing_ + 1) return;
  for (std::size_t i = 0; 2 * i < states_.size(); ++i)
    if (i > 0) states_[i] = std::move(states_[2 * i]);
  states_.resize((states_.size() + 1) / 2);
  spacing_ *= 2;
}

std::span<const TimeStep> Trajectory::steps(Index part) const {
  const Index first = part * spacing_;
  return std::span(steps_).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(std::min(spacing_, step_count() - first)));
}

Index Trajectory::state_bytes() const {
  Index numbers = 0;
  for (const State& each : states_)
    numbers += std::ssize(each.u) + std::ssize(each.r) + std::ssize(each.v) + std::ssize(each.a);
  return numbers * Index{sizeof(double)};
}

Index Trajectory::most_vectors(Index steps, Index of_state, Index of_step) {
  Index spacing = 1;
  while (steps / spacing + 1 > 2 * spacing + 1) spacing *= 2;
  return (steps / spacing + 1) * of_state + (std::min(spacing, steps) + 1) * of_step;
}

}  // namespace ritz
