// Converts the state of an analysis to a checkpoint and back.
#pragma once

#include "fem/analysis/state.hpp"
#include "io/results/checkpoint.hpp"

namespace ritz {

CheckpointState checkpoint_of(const State& state, int steps);  // steps of the results, written so far
State state_of(const CheckpointState& checkpoint);

}  // namespace ritz
