// Steps: analyses in sequence, each of which begins at the state in which the one before ended. A step has a model,
// which is what acts in it: loads, supports, ties, the parts that are there. Models of one sequence have the same
// space.
//
//   State end = solve(Step{clamped, Nonlinear{}}, {});
//   end = solve(Step{pressed, Nonlinear{}}, std::move(end), observer);
//   solve(Step{pressed, Transient{.end = 2}}, std::move(end), observer);
//
// Linear statics find the state under all loads of their model, whatever was before. Newton's method goes from the
// state before to that of its model: what is out of balance at the begin goes to zero along its path, so that loads
// change, and supports and parts that are gone let go, little by little. Evolutions in time begin with u, its velocity
// and the internal variables. Free vibration is about the state and leaves it as it is.
#pragma once

#include "fem/analysis/analysis.hpp"

#include <variant>

namespace ritz {

struct Step {
  const Model& model;
  std::variant<Static, Nonlinear, Transient, Modal> analysis;
};

// Returns the state at the end, from which another step begins: u, internal variables and the residual of the
// equations, in motion velocity and time, too. `modes`: takes those of free vibration. Throws what the analysis throws.
State solve(const Step& step, State begin, const Observer& observer = {}, VibrationModes* modes = nullptr);

// Analyses that begin at this state.
Nonlinear begun_at(State begin, Nonlinear analysis);
Transient begun_at(State begin, Transient analysis);

// The state in which a static solution leaves a body.
State state_at_rest(const Equations& equations, const Vector& u);
State state_at_rest(const Prepared& prepared, const Vector& u);  // of one field or several

// Internal variables of equations with other parts: of cells that both have, those of `before`; of others, those of the
// start.
PointStates::Values carried(const Operator& before, const PointStates::Values& points, const Operator& now);

}  // namespace ritz
