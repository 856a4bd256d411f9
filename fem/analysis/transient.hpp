// Evolution in time, of first order: d/dt m(u) + r(u, t) = 0 for the free unknowns. The capacity integrals give the
// stored quantity m (heat: enthalpy), all other integrals the residual r. By TR-BDF2 or backward Euler
// (solvers/time/diagonally_implicit.hpp), linear or nonlinear. The method advances m itself, so that the change of the
// stored quantity equals the supply, up to the residuals of the stages, and the balance shows it.
//
//   Operator equations(space, {conduction, flux, heat_capacity});  Operator capacity(space, {heat_capacity});
//   State state = solve_transient({equations, 2, capacity, supports}, {.end = 60, .begin = start}, observer).state;
//
// Each stage solves m(u)/(d dt) + r(u, t) = what is known: one tangent with a matrix that stays while dt stays, where
// the equations are linear. Each is checked by its residual. Hosea and Shampine, Appl. Numer. Math. 20, 1996.
#pragma once

#include "fem/analysis/newton.hpp"
#include "fem/analysis/observer.hpp"
#include "solvers/time/diagonally_implicit.hpp"
#include "solvers/time/step_control.hpp"

#include <vector>

namespace ritz {

// All must outlive the analysis. It sets their times, and the factors of the capacity integrals in `equations`.
struct TransientModel {
  Operator& equations;         // all integrals, those of the capacity behind the others
  std::size_t first_capacity;  // its first integral of the capacity
  Operator& capacity;          // these alone
  Constraints& supports;       // prescribed values, which may vary in time; the prescribed unknowns stay the same
};

// An evolution in time: when it ends, what is shown, and how steps are made.
struct Transient {
  double end = 0;
  std::vector<double> output = {};  // ascending times after the begin, met exactly; the end is always one
  const DiagonallyImplicitMethod* method = &tr_bdf2;
  double tolerance = 1e-3;  // of the local error of a step, at any node, relative to the range of the unknown so far
  double first_step = 0;    // 0: a thousandth of the time to the end
  double largest_step = 0;  // 0: no limit
  double fixed_step = 0;    // 0: steps are controlled; else as long, or shorter to meet times exactly, and not judged
  NewtonOptions newton = {};
  LinearSolverOptions linear = {};
  State begin = {};  // the values of begin.u at begin.time, or a state that was kept
};

struct TransientResult {
  State state;
  SolveReport summary;  // of the analysis, with the fallbacks of all linear systems
};

// u at the begin takes the prescribed values of that time. Throws Error: Exit::not_converged, with the
// time, where a step would have to be shorter than rounding; Exit::model where the residual at the begin is not finite.
TransientResult solve_transient(const TransientModel& model, Transient options, const Observer& observer = {});

// Vectors in addition to those of solve_nonlinear().
MemoryNeeds transient_vector_needs(const FunctionSpace& space);

}  // namespace ritz
