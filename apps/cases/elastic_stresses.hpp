// Strains and stresses of solids as results, from what their equations derive: strain, then stress.
#pragma once

#include "apps/results/derived_fields.hpp"

#include <vector>

namespace ritz {

// Names of the fields at nodes and in cells.
EvaluatedFields stress_names(bool with_error);
// Values of these fields from [entry][12].
void fill_stresses(std::vector<Field>& fields, std::vector<double> Field::*values, std::vector<double> derived);

}  // namespace ritz
