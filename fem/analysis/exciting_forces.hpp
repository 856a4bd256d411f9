// Forces that excite the vibration of a model: its loads, and the inertia of its masses when the base moves. Private to
// fem/analysis.
#pragma once

#include "fem/analysis/answers_of_fields.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/physics/model.hpp"

#include <string>
#include <vector>

namespace ritz {

struct ExcitingForces {
  std::vector<std::string> names;  // of the loads: "loads" outside of load cases, then those of the load cases
  std::vector<Vector> loads;       // [load] minus the residual at rest
  std::vector<int> directions;     // of space, along which the base may move
  std::vector<Vector> translations, inertia;  // [direction] t: the body moved by 1; M t, with attached masses
};

// outside: do the loads outside of load cases excite? field: of the model; masses: of all of it. Vectors are the
// field's.
ExcitingForces exciting_forces(const Model& model, bool outside, const OwnField& field, const Operator& masses);
// The same of several fields, where the base moves along these directions.
ExcitingForces exciting_forces(const Model& model, bool outside, AnswersOfFields& answers, std::vector<int> directions);

}  // namespace ritz
