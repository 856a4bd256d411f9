// Converts the state of a solve that may be stopped to a checkpoint and back.
#pragma once

#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/analysis/transient.hpp"
#include "io/results/checkpoint.hpp"

namespace ritz {

CheckpointState state_of(const SolvedColumns& columns, std::size_t count);  // of so many
SolvedColumns solved_columns_of(const CheckpointState& state);

// `steps`: of the results, written so far.
CheckpointState state_of(const NonlinearSolution& solution, const Operator::PointStates& points, int increments,
                         int steps);
NonlinearState nonlinear_state_of(const CheckpointState& state);

CheckpointState state_of(const TransientState& transient, double end, int steps);
TransientState transient_state_of(const CheckpointState& state);

}  // namespace ritz
