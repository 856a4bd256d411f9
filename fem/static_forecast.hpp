// What the static solution of equations will take of the device's memory, by tag, for every way to solve them, before any of it is
// taken. Lists and patterns are counted or sampled, hierarchies come from measured models (solvers/multigrid/hierarchy_needs.hpp).
//
//   for (const ForecastPath& path : forecast_static(equations, options)) path.peak.total();
#pragma once

#include "fem/operator.hpp"
#include "solvers/linear_solver_options.hpp"

#include <string>
#include <vector>

namespace ritz {

enum class SolverPath { multigrid_single, multigrid_double, diagonal, without_matrix };
std::string name_of(SolverPath path);

struct ForecastPath {
  SolverPath path;
  MemoryNeeds peak;            // of the pool at its fullest moment, with what it holds now
  std::string moment;          // "assembly", "set-up", "iteration", "results"
  Index host_beside = 0;       // [bytes] of host memory beside the pool at most: lists on their way, patterns, results
  double bytes_moved = 0;      // by set-up and iterations, for an estimate of the time within a factor of about three
};

// One entry for each path, the fastest first. `columns`: right-hand sides solved together.
std::vector<ForecastPath> forecast_static(const Operator& equations, int columns = 1);

}  // namespace ritz
