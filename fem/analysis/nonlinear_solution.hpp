// The solution of a nonlinear stationary model by Newton's method with a line search. Prescribed values are reached
// along the tangent together with the equilibrium, so large ones do not tear the first row of cells. What counts as
// converged is the residual of the equations themselves. Deuflhard, Newton Methods for Nonlinear Problems, 2011, ch. 3.
// By default systems are solved without a matrix as long as that succeeds (fem/multigrid/matrix_free_solver.hpp), and
// with one from then on. Internal variables (fem/forms/point_state.hpp) are committed with every converged increment.
// The path begins at rest, or at the state in which another analysis ended (Nonlinear::from): what is out of balance
// there, by other loads, supports or parts, and what prescribed values differ by, goes to zero along the path.
//
//   NonlinearSolution s = solve_nonlinear(equations, supports, {.relative = 1e-10});
//
// Increments grow where Newton's method converges easily and are cut where it fails; each begins at the extrapolation
// of the one before. Under control of the arc length loads may fall along the path (fem/analysis/path_constraint.hpp).
#pragma once

#include "fem/analysis/increments.hpp"
#include "fem/analysis/newton.hpp"
#include "fem/analysis/observer.hpp"
#include "fem/space/rigid_motion.hpp"

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class MeanSupports;  // fem/analysis/mean_supports.hpp

// The time that a load path takes, for laws that creep or relax and for functions of t.
struct PathTime {
  std::vector<double> durations = {};  // [stage] of the path [s]; 0: at once. Empty: the path has no time
  double begin = 0;                    // [s]
  // The largest error in time of an increment, where these are not equal, over the largest internal variable of the law
  // (fem/analysis/rate_control.hpp).
  double tolerance = 1e-3;
  IncrementLimits sizes = {.first = 1e-3, .smallest = 1e-7, .largest = 1};  // in these stages
  std::vector<int> laws = {};  // of RateControl; of a model solve() finds them

  bool is_given() const { return !durations.empty(); }
  double end() const { return std::accumulate(durations.begin(), durations.end(), begin); }
};

// Nonlinear statics: how a state in balance is found.
struct Nonlinear {
  // of the largest force seen: loads, reactions, and the first residual of the prescribed values
  double relative = 1e-8;
  // where rounding keeps the residual from that: a last step of this part of u counts as the end, as nothing is nearer
  double rounding_error = 0;
  int max_steps = 50;          // of Newton, per increment
  int increments = 0;          // of each stage: equal parts; 0: as long as Newton's method converges well
  IncrementLimits sizes = {};  // where they are not equal; of the arc length in its first increment
  enum class Control { loads, arc_length };
  Control control = Control::loads;  // arc_length: the loads are found, as they fall beyond limit points
  int max_increments = 200;          // of the arc length
  // parts of the loads and prescribed values at the end of each stage, of their change where the path begins at a
  // state; the first one begins at 0
  std::vector<double> path = {1};
  PathTime time = {};             // that the path takes
  int halvings = 0;               // how often one of equal increments is halved, when Newton's method fails in it
  bool may_reverse = false;       // states with cells inside out count, as of equations that are those of no body
  bool finds_energies = false;    // of the path, which begins at rest; of displacements
  bool shows_increments = false;  // each is shown, at its time: a stage of the path takes the time 1
  LinearSolverOptions linear = {};
  State from = {};                 // at which the path begins: u, points, r, reference; without u: at rest
  bool continues = false;          // another analysis begins at the end: the solution has its state
  State begin = {};                // resumes after its increment; without u: zero, or where the model says
  const Vector* forces = nullptr;  // given ones, beside those of the equations: residual(u) = forces
  // Makes the equations those at a part of the loads and at a time, where they depend on these; empty: they do not.
  std::function<void(double part, const Time& time)> enter = {};
  bool loads_turn = false;  // with the body, so that the residual's change with their part depends on u
  GroundMotions ground = nullptr;
  const WholeProblem* whole = nullptr;                  // where the equations are those of a part of the mesh
  std::shared_ptr<ActiveSet> active = nullptr;          // constraints that open and close; null: none
  std::shared_ptr<const MeanSupports> means = nullptr;  // the supports, where they have prescribed means

  bool has_arc_length() const { return control == Control::arc_length; }
  int increment_count() const { return increments * static_cast<int>(path.size()); }  // 0: not known
  // Is more asked for than the state under all loads? Then linear models follow the path, too.
  bool follows_a_path() const {
    return path != std::vector<double>{1} || (shows_increments && increments > 1) || has_arc_length() ||
           time.is_given() || finds_energies;
  }
};

struct NonlinearSolution {
  Vector u;
  std::vector<double> reaction;  // what supports and equations exert (Equations::forces_for_results), 0 elsewhere
  std::vector<double> mean_loads = {};  // [prescribed mean] the size of its load
  std::vector<NewtonStep> steps;
  double residual = 0;     // relative, at the end
  double reference = 0;    // the largest force seen, to which residuals are relative
  SolveReport last_solve;  // of the last linear system, with the fallbacks of all
  std::string turned;      // why a matrix took over, where there was none at first; empty: it did not
  // the last increment that ended where rounding keeps the residual from the tolerance; empty: none did
  std::string remark = {};
  double part = 1;     // of the loads at the end: another one where the arc length was given and its path ended before
  double at = 1;       // stages
  double time = 0;     // at the end, where the path takes some
  int increments = 0;  // of all stages
  int failures = 0;    // increments that were cut
  int rejections = 0;  // increments that were repeated in shorter ones for their error in time
  std::string notice = {};  // why the path ended before all loads; empty: it did not
  std::optional<EnergyBalance> energy = {};
  State end = {};  // where the analysis continues

  SolveReport summary() const;  // of the analysis
};

// Starts from zero, or from options.begin. Throws Error: Exit::not_converged with the reason (step limit, no descent,
// the linear solve) and the history, Exit::model when the residual is not finite at the start.
NonlinearSolution solve_nonlinear(const Equations& equations, const Supports& supports, const Nonlinear& options,
                                  const Observer& observer = {});

}  // namespace ritz
