// Forecast of the device's memory for the static solution of equations, by tag, for every way to solve them, before any
// of it is taken. Lists and patterns are counted or sampled, hierarchies come from measured models
// (solvers/multigrid/hierarchy_needs.hpp), and a factor from the analysis of its factorisation.
//
//   for (const ForecastPath& path : forecast_static(equations, {}, {.columns = 3})) path.peak.total();
//
// A forecast is a sum: the space and the equations, the solver by its options, the analysis by its AnalysisNeeds, the
// results by the forms that derive them. The stages are described once for any number of ranks
// (fem/analysis/system_share.hpp), but apart from the solution: a hierarchy or a factor depends on numbers that a
// forecast does not compute, so tests compare the forecast with measured peaks.
#pragma once

#include "fem/operator/operator.hpp"
#include "fem/ranks/rank_shares.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

enum class SolverPath {
  direct,
  multigrid_single,
  multigrid_double,
  diagonal,
  chebyshev,
  no_preconditioner,
  diagonal_unsymmetric,
  without_matrix,
  p_multigrid,
  lanczos,
  lobpcg,
  lobpcg_without_matrix,
  explicit_steps
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
  // A trial with the diagonal comes first, and may be enough: the path of its own is what is taken then.
  bool may_end_with_the_diagonal = false;
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

// Memory that an analysis takes beside the equations and the solver of its linear systems.
struct AnalysisNeeds {
  int columns = 1;        // right-hand sides solved together
  int own_loads = 0;      // of them, those with loads of their own: their residuals are kept
  int supports = 1;       // sets of prescribed values
  int results = 1;        // solutions that are shown
  bool combines = false;  // all load cases stay while results are shown
  // Stages in which Newton's method linearises again: its vectors and the lists of the assembly stay; 0: one linear
  // solution.
  int stages = 0;
  // For the time alone: tangents that are set up, and linear systems solved with them; 0: one, or what Newton's method
  // takes in its stages.
  double tangents = 0, solves = 0;
  bool shows_stages = false;  // results of each: the lists that derive them stay while the next is solved
  // what other solutions with the same operators use stays: matrix, lists, factor or hierarchy, earlier solutions
  bool reuses = false;
  MemoryNeeds beside = {};  // all the time
  // Later work with the solution, beside matrix and solver; no results are shown then.
  std::optional<MemoryNeeds> afterwards = {};
};

// One entry for each way to solve the linear systems, the one that is taken first: by size a factorisation, where
// `automatic` chooses one, else the fastest. Equations that are not symmetric have none without a matrix. A method
// named `direct` is the only one.
std::vector<ForecastPath> forecast_static(const Operator& equations, const LinearSolverOptions& linear = {},
                                          const AnalysisNeeds& needs = {});

// The same stages for the part of each of several ranks that solve the system together, and what a rank sends in an
// iteration. The space is cut as the run cuts it, and each part is laid out in turn, so that nodes, ghosts, cells and
// connectivities are those of the run; nothing is computed or sent. equations: of the whole model. Throws Error:
// Exit::environment where the mesh is too small for so many ranks.
RanksForecast forecast_ranks(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& needs,
                             const RanksQuestion& question);

}  // namespace ritz
