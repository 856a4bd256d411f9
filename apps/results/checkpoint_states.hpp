// Converts the state of an analysis to a checkpoint and back.
#pragma once

#include "fem/analysis/state.hpp"
#include "fem/sensitivity/trajectory.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/report.hpp"

namespace ritz {

CheckpointState checkpoint_of(const State& state, int steps);  // steps of the results, written so far
State state_of(const CheckpointState& checkpoint);

// How far a run of several steps is: the step, whether the state is one within it, where it began, and what the report
// says of the steps before.
struct StepProgress {
  std::size_t number = 0;
  bool is_within = false;
  State from = {};
  std::vector<LoadCaseOutcome> done = {};
};
void put(const StepProgress& progress, CheckpointState& checkpoint);
StepProgress step_progress_of(const CheckpointState& checkpoint);

// The states of an evolution, from which derivatives go backwards; path_of() throws Error: Exit::checkpoint where there
// are none. Without internal variables.
void put(const Trajectory& path, CheckpointState& checkpoint);
Trajectory path_of(const CheckpointState& checkpoint);

}  // namespace ritz
