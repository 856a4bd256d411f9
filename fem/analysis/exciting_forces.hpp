// Forces that excite the vibration of a model: its loads, and the inertia of its masses when the base moves. Private to
// fem/analysis.
#pragma once

#include "fem/analysis/own_model.hpp"

#include <string>
#include <vector>

namespace ritz {

struct ExcitingForces {
  std::vector<std::string> names;  // of the loads: "loads" outside of load cases, then those of the load cases
  std::vector<Vector> loads;       // [load] minus the residual at rest
  std::vector<int> directions;     // of space, along which the base may move
  std::vector<Vector> translations, inertia;  // [direction] t: the body moved by 1; M t, with attached masses
};

// outside: do the loads outside of load cases excite? own: of the model, whose vectors these are.
ExcitingForces exciting_forces(const Model& model, bool outside, const OwnModel& own);

}  // namespace ritz
