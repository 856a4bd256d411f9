// Fields that follow from a motion about a state: stresses of solids, forces in sections.
#pragma once

#include "apps/cases/run.hpp"
#include "apps/results/derived_fields.hpp"

#include <functional>

namespace ritz {

using FieldsOfMotion = std::function<EvaluatedFields(Run&, const Vector& u)>;

}  // namespace ritz
