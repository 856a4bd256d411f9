// Analyses of a model: any physics with any analysis that makes sense for it.
//
//   StaticSolution s = solve(model, Static{});
//   NonlinearSolution n = solve(model, Nonlinear{.increments = 10});
//   VibrationModes modes = solve(model, Modal{{.count = 12}});
//   TransientResult end = solve(model, Transient{.end = 60}, {.show = [&](const SolutionView& s) { ... }});
//
// Each makes operators and constraints of the model, solves, and tells the observer. Nonlinear is declared in
// fem/analysis/nonlinear_solution.hpp, Transient in fem/analysis/transient.hpp.
#pragma once

#include "fem/analysis/fields_of_model.hpp"
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/analysis/transient.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/physics/model.hpp"
#include "fem/ranks/own_fields.hpp"

#include <vector>

namespace ritz {

// Linear statics under the loads of the model.
struct Static {
  LinearSolverOptions linear = {};
};

// Linear statics of each load case of the model, over one matrix, and of sums of them.
struct LoadCases {
  LinearSolverOptions linear = {};
  std::vector<LoadCombination> combinations = {};
  State begin = {};  // with columns that are not to be solved again
};

// Free vibration. The rigid motions that supports leave are counted.
struct Modal : EigenOptions {
  // A state of static equilibrium about which the body vibrates, with the stiffness that it has there
  // (fem/analysis/geometric_stiffness.hpp): begin.u; empty: without stress. With internal variables, begin.points, the
  // tangent alone, without the stiffness of the stress.
  State begin = {};
};

// Objects that the caller keeps from one analysis to the next, or has made before; the rest is made here. All must be
// those of the model and outlive the call.
struct Prepared {
  Operator* equations = nullptr;            // of an evolution in time with_rates()
  Operator* rates = nullptr;                // of the inertia or the capacity alone
  const ModelSupports* supports = nullptr;  // finished and checked
  SystemCache* cache = nullptr;             // given where other solutions with these operators follow
  const FieldsOfModel* fields = nullptr;    // of a model that has fields, instead of those above
};

// Throws Error: Exit::model where the analysis makes no sense for the model, saying what is missing.
void check(const Model& model, const Static& analysis);
void check(const Model& model, const LoadCases& analysis);
void check(const Model& model, const Nonlinear& analysis);
void check(const Model& model, const Modal& analysis);
void check(const Model& model, const Transient& analysis);

// Throw the errors of check(), of make_constraints(), and of solve_static(), solve_nonlinear(), solve_vibration() or
// solve_transient(). With load cases the observer has the solutions, and what is returned are the reports of the solver
// for load cases and combinations; where combinations do not converge, all others are shown before the error.
StaticSolution solve(const Model& model, const Static& analysis, const Observer& observer = {},
                     const Prepared& prepared = {});
std::vector<SolveReport> solve(const Model& model, const LoadCases& analysis, const Observer& observer,
                               const Prepared& prepared = {});
NonlinearSolution solve(const Model& model, Nonlinear analysis, const Observer& observer = {},
                        const Prepared& prepared = {});
VibrationModes solve(const Model& model, Modal analysis, const Observer& observer = {}, const Prepared& prepared = {});
TransientResult solve(const Model& model, Transient analysis, const Observer& observer = {},
                      const Prepared& prepared = {});

// The same where every rank runs the program: all ranks call them, each with the part of its rank, which has rates in
// time. Vectors and states have the unknowns that the rank owns; PartOfModel gathers them.
NonlinearSolution solve(PartOfModel& part, Nonlinear analysis, const Observer& observer = {});
TransientResult solve(PartOfModel& part, Transient analysis, const Observer& observer = {});
// States, forces and the solution are those of the whole model, on every rank; so is what the observer gets.
NonlinearSolution solve_on_part(PartOfModel& part, Nonlinear analysis, const Observer& observer = {});

// The equations with the capacity after them, or else with the inertia: what an evolution in time advances.
std::vector<Integral> with_rates(const Model& model);
std::vector<MixedIntegral> rates_among_fields(const Model& model);  // of these, the forms of several fields

// With the promise that the model makes.
LinearSolverOptions promised(LinearSolverOptions linear, const Model& model);

bool is_linear_in_time(const Model& model);        // the capacity or inertia, too
double expected_steps(const Transient& analysis);  // of a controlled length: a guess

// The motions that supports leave free, and what stays.
VibrationModel vibration_model(const Model& model, const Constraints& supports, const Prepared& prepared);

// The same value for all unknowns, to begin with.
State uniform_state(const Model& model, double value);

// How a solution of linear statics is shown.
SolutionView view_of(const StaticSolution& solution, double tolerance, std::vector<double> factors = {});

}  // namespace ritz
