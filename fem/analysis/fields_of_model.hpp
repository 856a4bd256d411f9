// Operators and supports of a model of several fields, or of one of facets or edges, as analyses take them.
//
//   const FieldsOfModel fields = fields_of(model, FieldsOfModel::Rates::among);
//   solve(model, Transient{.end = 1}, observer, {.fields = &fields});
#pragma once

#include "fem/physics/model.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class Ranks;  // device/ranks/ranks.hpp

struct FieldsOfModel {
  enum class Rates {
    none,    // the equations alone
    beside,  // and an operator of the inertia: of free vibration
    among    // and one of the capacity, or else the inertia, which is among the equations, too: of an evolution in time
  };
  std::unique_ptr<FieldsOperator> equations, rates;
  std::unique_ptr<FieldsConstraints> supports;  // finished
  // [load case] with what it prescribes, the same unknowns as without it; null: it prescribes nothing.
  std::vector<std::unique_ptr<FieldsConstraints>> supports_of_cases = {};
  // The rigid motions that supports leave to bodies on several meshes, or to the first field of one; none: no field
  // is a displacement as far as the model says.
  std::optional<std::vector<FreePart>> free = {};
  RigidModes motions = RigidModes::solid;  // of which kind they are
  int rigid_motions() const;               // their number
};

// The rigid motions that equations between fields and springs leave to bodies on several meshes.
std::vector<FreePart> free_parts(const Model& model, const FieldsConstraints& supports);
// The same as vectors: [motion][unknown of all fields], of the size of 1.
std::vector<std::vector<double>> free_motions(const Model& model, const FieldsConstraints& supports);
// Throws Error: Exit::model where there are any.
void check_held(const FieldsOfModel& fields);

// Throws what FieldsOperator and Constraints::finish() throw, and Error: Exit::model for vectors of a field of facets
// or edges that are prescribed as a function of time, and for load cases that prescribe other unknowns.
FieldsOfModel fields_of(const Model& model, FieldsOfModel::Rates rates = FieldsOfModel::Rates::none);
// Its supports alone, finished. Throws what fields_of() throws. stops: unknowns of all fields that are held at zero,
// too.
std::unique_ptr<FieldsConstraints> supports_of(const Model& model, std::span<const std::size_t> stops = {});

}  // namespace ritz
