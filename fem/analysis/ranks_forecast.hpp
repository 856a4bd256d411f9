// Forecast of a linear system that several ranks solve together (fem/ranks/rank_matrices.hpp): the memory of each
// rank, by tag, and what it sends in an iteration. The space is cut as the run cuts it, and each part is laid out in
// turn, so that nodes, ghosts, cells and connectivities are those of the run; nothing is computed or sent.
//
//   const RanksForecast foreseen = forecast_ranks(equations, options, needs, {.ranks = 64});
//   foreseen.shares.front().peak.total();   foreseen.largest_of_others();
#pragma once

#include "fem/analysis/static_forecast.hpp"
#include "fem/analysis/mixed_statics.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/ranks/rank_shares.hpp"

namespace ritz {

// equations: of the whole model. Throws Error: Exit::environment where the mesh is too small for so many ranks.
RanksForecast forecast_ranks(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& needs,
                             const RanksQuestion& question);

// Forecasts free vibration. options: as solve_vibration takes them. Messages are not counted.
RanksForecast forecast_ranks_of_modes(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                                      EigenOptions options, const RanksQuestion& question);

// Several fields. Messages are not counted. Throws Error: Exit::environment as check_divisible does for small
// meshes.
RanksForecast forecast_ranks(const MixedOperator& equations, MixedPath path, const LinearSolverOptions& options,
                             const RanksQuestion& question);

}  // namespace ritz
