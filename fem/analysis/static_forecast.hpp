// Forecast of the device's memory for the static solution of equations, by tag, for every way to solve them, before any
// of it is taken. Lists and patterns are counted or sampled, hierarchies come from measured models
// (solvers/multigrid/hierarchy_needs.hpp), and a factor from the analysis of its factorisation.
//
//   for (const ForecastPath& path : forecast_static(equations, {.columns = 3})) path.peak.total();
#pragma once

#include "fem/operator/operator.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <string>
#include <vector>

namespace ritz {

enum class SolverPath {
  direct,
  multigrid_single,
  multigrid_double,
  diagonal,
  diagonal_unsymmetric,
  without_matrix,
  p_multigrid,
  lanczos,
  lobpcg
};
std::string name_of(SolverPath path);

struct ForecastPath {
  SolverPath path;
  MemoryNeeds peak;                     // of the pool at its fullest moment, with what it holds now
  std::string moment;                   // "assembly", "set-up", "iteration", "results"
  Index at_assembly = 0, at_solve = 0;  // [bytes] of the pool at its fullest moments there
  Index at_results = 0;                 // [bytes] of the pool while results stand on the host
  Index untouched = 0;                  // [bytes] of at_assembly that no kernel has written while the lists are made
  // [bytes] that the peak is higher on a GPU, where the forecast is made on a CPU: slabs of element results
  Index more_on_a_gpu = 0;
  Index host_lists = 0;  // [bytes] of host memory beside the pool then: lists on their way, the pattern
  // [bytes] that the direct solver's analysis predicts: of the host for a CPU, else in the peak
  Index factor = 0;
  // [bytes] of it that the host will hold, with the matrix as triplets, in addition to the peak; 0: on a GPU
  Index host_factor = 0;
  // [bytes] of the pool while the hierarchy is refreshed, where the matrices of a sweep's members or of Newton's steps
  // differ by much
  Index refresh = 0;
  // For an estimate of the time within a factor of about three: traffic of set-up and iterations, and the operations of
  // a factorisation, with its analysis in operations that take as long.
  double bytes_moved = 0;  // 0: not known
  double operations = 0;
};

// The part of the bytes predicted by a CPU's analysis that becomes resident: without pivoting, not all of the reserve
// for it (measured).
Index resident_factor(Index needed, DirectKind kind);

// Operations of a factorisation on a CPU with its analysis.
double factor_operations(double of_factorisation, Index unknowns);

struct ForecastModel {
  int columns = 1;                         // right-hand sides solved together
  int own_loads = 0;                       // of them, those with loads of their own: their residuals are kept
  int supports = 1;                        // sets of prescribed values
  bool combinations = false;               // all load cases stay while results are shown
  int steps = 1;                           // of results: load cases and combinations
  bool many = false;                       // right-hand sides or numbers follow each other with one matrix
  bool matrix = false, no_matrix = false;  // was asked for
  bool newton = false;  // solve_nonlinear() instead: its vectors and the lists of the assembly stand while it solves
  int increments = 1;   // of its loads
  bool shows_increments = false;  // results of each: the lists that derive them stay while the next is solved
  MemoryNeeds beside = {};        // of the analysis itself, all the time
  int restart = 30;               // of GMRES, for equations that are not symmetric
  bool factorised = false;        // and solved in no other way: the pattern is made and analysed
  bool definite = true;           // the factor is that of a positive definite matrix, where the equations are symmetric
  bool half_storage = false;      // the matrices of a hierarchy in 16 bits
  // lines and surfaces in space: their pairs of nodes are counted in the pattern, which is made
  bool in_space = false;
  // what a sweep's members leave for the next stays: matrix, lists, factor or hierarchy, earlier solutions
  bool reuses = false;
};

// One entry for each path, the fastest first. Equations that are not symmetric have none without a matrix.
std::vector<ForecastPath> forecast_static(const Operator& equations, const ForecastModel& model = {});

}  // namespace ritz
