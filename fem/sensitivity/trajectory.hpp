// The states of an evolution from which any part of it can be computed again: all of its steps, and of N steps some
// sqrt(N) to sqrt(2 N) states at equal numbers of steps, thinned out while the evolution goes on, so that N need not be
// known. What derivatives backwards in time start from. Griewank and Walther, Evaluating Derivatives, 2008, chapter 12.
//
//   Trajectory path;
//   solve(model, Transient{.end = 60}, {.keep = [&](const State& s) { path.keep(s); }});
#pragma once

#include "fem/analysis/state.hpp"
#include "solvers/time/step_control.hpp"

#include <span>
#include <utility>
#include <vector>

namespace ritz {

class Trajectory {
 public:
  Trajectory() = default;
  Trajectory(Index spacing, std::vector<State> states, std::vector<TimeStep> steps)
      : spacing_(spacing), states_(std::move(states)), steps_(std::move(steps)) {}

  // The state at the begin, and then after each step.
  void keep(const State& state);
  // A step whose state is not needed: the last one.
  void finish(const TimeStep& last) { steps_.push_back(last); }

  Index spacing() const { return spacing_; }
  const std::vector<State>& states() const { return states_; }
  const std::vector<TimeStep>& steps() const { return steps_; }
  // Forgets the steps after these.
  void cut(Index steps) { steps_.resize(static_cast<std::size_t>(steps)); }

  Index step_count() const { return static_cast<Index>(steps_.size()); }
  double begin() const { return states_.front().time; }
  double end_of(Index step) const { return steps_[static_cast<std::size_t>(step)].end; }

  // Parts of consecutive steps, each from a state that was kept; the last one may be shorter.
  Index part_count() const { return (step_count() + spacing_ - 1) / spacing_; }
  const State& state(Index part) const { return states_[static_cast<std::size_t>(part)]; }
  std::span<const TimeStep> steps(Index part) const;

  Index state_bytes() const;  // of the states on the host
  // Vectors of the states of so many steps and of the steps of a part, each of so many.
  static Index most_vectors(Index steps, Index of_state, Index of_step);

 private:
  Index spacing_ = 1;
  std::vector<State> states_;    // [part]; after the last step one more, where it ends a part
  std::vector<TimeStep> steps_;  // [step]
};

}  // namespace ritz
