// Evolution in time, linear or nonlinear, for the free unknowns. Of first order, d/dt m(u) + r(u, t) = 0: the rate
// integrals give the stored quantity m (heat: enthalpy), all other integrals the residual r. By TR-BDF2 or backward
// Euler (solvers/time/diagonally_implicit.hpp), which advance m itself, so that the change of the stored quantity
// equals the supply, up to the residuals of the stages, and the balance shows it. Of second order, M a + C v + r(u, t)
// = 0 with the velocity v and the acceleration a of u: the rate integrals give the mass M, C is Rayleigh damping. By
// the generalised-alpha method (solvers/time/generalised_alpha.hpp); energies take the place of the balance.
//
//   Operator equations(space, {conduction, flux, heat_capacity});  Operator capacity(space, {heat_capacity});
//   State state = solve_transient({equations, capacity, supports}, {.end = 60, .begin = start}, observer).state;
//
// Each stage has one tangent, with a matrix that stays while dt stays where the equations are linear, and is checked by
// its residual. Hosea and Shampine, Appl. Numer. Math. 20, 1996; Chung and Hulbert, J. Appl. Mech. 60, 1993.
#pragma once

#include "fem/analysis/newton.hpp"
#include "fem/analysis/observer.hpp"
#include "fem/physics/model.hpp"
#include "solvers/time/diagonally_implicit.hpp"
#include "solvers/time/step_control.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class LoadSamples;
class MeanSupports;  // fem/analysis/mean_supports.hpp
class PartOfModel;   // fem/ranks/part_of_model.hpp

// Analyses keep copies. They set the times of all, and the factors of the rate integrals in `equations`.
struct TransientModel {
  Equations& equations;  // with the rates (Integral::is_rate): the capacity, or the inertia of second order
  Equations& rates;      // these alone
  Supports& supports;    // prescribed values, which may vary in time; the prescribed unknowns stay the same
  bool second_order = false;
  RayleighDamping damping = {};  // of second order. Without internal variables where it is proportional to stiffness
  std::span<const AttachedMotion> attached = {};  // whose masses join the inertia of an evolution of second order
  std::shared_ptr<const LoadSamples> samples = nullptr;  // steps of a controlled length are no longer than these allow
  const PartOfModel* part = nullptr;                     // whose equations they are; null: one process
  // The supports, where they have prescribed means: of second order. The attached motions are then theirs.
  std::shared_ptr<const MeanSupports> means = nullptr;
};

// Central differences of second order: explicit, with lumped masses, in steps no longer than the highest frequency of
// the mesh allows. docs/motion.md
struct CentralDifferences {
  double part = 0.9;  // of the longest stable step, where steps have no fixed length
};

// An evolution in time: when it ends, what is shown, and how steps are made.
struct Transient {
  double end = 0;
  std::vector<double> output = {};  // ascending times after the begin, met exactly; the end is always one
  const DiagonallyImplicitMethod* method = &tr_bdf2;  // of first order
  // Second order: the part of the fastest motions that a step leaves, 0 to 1 (solvers/time/generalised_alpha.hpp).
  double spectral_radius = 0.8;
  std::optional<CentralDifferences> central_differences = {};  // of second order, in place of generalised alpha
  // Bound of the local error of a step. First order: at any node, relative to the range of the unknown so far. Second
  // order: sqrt(e^T M e) relative to the largest sqrt(u^T M u) so far.
  double tolerance = 1e-3;
  double first_step = 0;    // 0: a thousandth of the time to the end
  double largest_step = 0;  // 0: no limit
  // Times at which loads may begin, end or peak, such as those of the rows of a table: controlled steps pass over none.
  std::vector<double> instants = {};
  double fixed_step = 0;  // 0: steps are controlled; else as long, or shorter to meet times exactly, and not judged
  // Second order: u at the begin is the state in balance with the forces of that time; begin.u is where its search
  // begins.
  bool from_equilibrium = false;
  NewtonOptions newton = {};
  LinearSolverOptions linear = {};
  // Loads of equations of first order, [unknown], which stay and act beside those of the equations; null: none.
  std::shared_ptr<const Vector> forces = nullptr;
  // the values of begin.u, and begin.v, at begin.time, with begin.points, or a state that was kept
  State begin = {};
  bool shows_begin = true;  // else it was shown, as the end of another analysis
};

struct TransientResult {
  State state;
  SolveReport summary;  // of the analysis, with the fallbacks of all linear systems
};

// u at the begin takes the prescribed values of that time. Of second order, v and a at prescribed unknowns are the
// rates of the prescribed values: differences over the steps, which look one step ahead. Throws Error:
// Exit::not_converged, with the time, where a step would have to be shorter than rounding; Exit::model where the
// residual at the begin is not finite.
TransientResult solve_transient(const TransientModel& model, Transient options, const Observer& observer = {});

// Vectors in addition to those of solve_nonlinear().
MemoryNeeds transient_vector_needs(Index unknowns, bool second_order);

}  // namespace ritz
