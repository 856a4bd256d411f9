// Values of fields that a case gives: [[prescribe]], and [initial] with a key for each field.
#pragma once

#include "apps/cases/case_model.hpp"
#include "apps/cases/fields_of_case.hpp"

#include <vector>

namespace ritz {

// [[prescribe]] of the case or of a load case. Errors are added to the case. vibrates: supports do not move.
std::vector<PrescribedValue> read_field_values(const FieldsOfCase& fields, const Case::Table& from, bool vibrates);

// [time] and [initial]; fields that [initial] does not name begin at zero, at rest where they have inertia. The initial
// values are a function of the model, whose spaces are made later.
TransientInput read_time_of_fields(const FieldsOfCase& fields);

}  // namespace ritz
