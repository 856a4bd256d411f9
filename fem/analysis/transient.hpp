// Evolution in time, of first order: d/dt m(u) + r(u, t) = 0 for the free unknowns. The capacity integrals give the
// stored quantity m (heat: enthalpy), all other integrals the residual r. By TR-BDF2 or backward Euler
// (solvers/time/diagonally_implicit.hpp), linear or nonlinear. The method advances m itself, so that the change of the
// stored quantity equals the supply, up to the residuals of the stages, and the balance shows it.
//
//   Operator equations(space, {conduction, flux, heat_capacity});  Operator capacity(space, {heat_capacity});
//   TransientState state = solve_transient({equations, 2, capacity, supports}, start, {.end = 60}, observer);
//
// Each stage solves m(u)/(d dt) + r(u, t) = what is known: one tangent with a matrix that stays while dt stays, where
// the equations are linear. Each is checked by its residual. Hosea and Shampine, Appl. Numer. Math. 20, 1996.
#pragma once

#include "fem/analysis/newton.hpp"
#include "solvers/time/diagonally_implicit.hpp"
#include "solvers/time/step_control.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// All must outlive the analysis. It sets their times, and the factors of the capacity integrals in `equations`.
struct TransientModel {
  Operator& equations;         // all integrals, those of the capacity behind the others
  std::size_t first_capacity;  // its first integral of the capacity
  Operator& capacity;          // these alone
  Constraints& supports;       // prescribed values, which may vary in time; the prescribed unknowns stay the same
};

// Integrals over time and body since the begin, for each component.
struct TransientBalance {
  std::vector<double> stored;      // change of the stored quantity
  std::vector<double> supplied;    // what loads, and boundaries that exchange, let in
  std::vector<double> prescribed;  // what holding prescribed values let in
  std::vector<double> moved;       // absolute values of all three, summed over the steps

  double defect() const;  // the largest |stored - supplied - prescribed|, relative to what has moved
};

// Everything on which the rest of an analysis depends: the contents of a checkpoint. From it an analysis resumes with
// the same bits.
struct TransientState {
  double time = 0;
  std::vector<double> u;         // [unknown] at the begin without the prescribed values of that time
  std::vector<double> r;         // [unknown] residual of the equations at the end of the last step
  Operator::PointStates points;  // internal variables
  double dt = 0;                 // of the last step
  StepMemory control;
  std::vector<double> lowest, highest;  // [component] of u so far: errors are relative to the range
  TransientBalance balance;
  Index steps = 0, rejected = 0, solves = 0;
  double residual = 0;  // largest relative residual of a stage
  std::string turned;   // LinearSystem::turned()
};

struct TransientStep {
  Index number;
  double time, dt;  // at its end; its length
  double error;     // estimate of the local error over the tolerance; 0 where steps are fixed
  bool accepted;
};

// The solution at the beginning, and at each requested time.
struct TransientView {
  double time;
  const Vector& u;
  // [mesh node][component] what holds the prescribed unknowns, the mean over the last step; 0 elsewhere, and at the
  // begin
  const std::vector<double>& reaction;
  const TransientState& state;
};

struct TransientObserver {
  std::function<void(const TransientView&)> after_output = {};
  std::function<void(const TransientStep&)> after_step = {};
  std::function<void(const TransientState&)> keep =
      {};  // before the first, and after each accepted step and its output: for a checkpoint
  std::function<void(const std::string&)> progress = {};
};

struct TransientOptions {
  double end = 0;
  std::vector<double> output = {};  // ascending times after the begin, met exactly; the end is always one
  const DiagonallyImplicitMethod* method = &tr_bdf2;
  double tolerance = 1e-3;  // of the local error of a step, at any node, relative to the range of the unknown so far
  double first_step = 0;    // 0: a thousandth of the time to the end
  double largest_step = 0;  // 0: no limit
  double fixed_step = 0;    // 0: steps are controlled; else as long, or shorter to meet times exactly, and not judged
  NewtonOptions newton = {};
  LinearSolverOptions linear = {};
};

struct TransientResult {
  TransientState state;
  SolveReport last_solve;  // of the last linear system, with the fallbacks of all
};

// u at the begin, in state.u, takes the prescribed values of that time. Throws Error: Exit::not_converged, with the
// time, where a step would have to be shorter than rounding; Exit::model where the residual at the begin is not finite.
TransientResult solve_transient(const TransientModel& model, TransientState begin, const TransientOptions& options,
                                const TransientObserver& observer = {});

// Vectors in addition to those of solve_nonlinear().
MemoryNeeds transient_vector_needs(const FunctionSpace& space);

}  // namespace ritz
