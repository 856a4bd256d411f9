// Strains and stresses of solids as results, from what their equations derive: strain, then stress.
#pragma once

#include "apps/results/derived_fields.hpp"

#include <vector>

namespace ritz {

// Names of the fields at nodes and in cells.
EvaluatedFields stress_names(bool with_error);
// Values of these fields from [entry][components], the first 12 of them.
void fill_stresses(std::vector<Field>& fields, std::vector<double> Field::*values, const std::vector<double>& derived,
                   int components = 12);

}  // namespace ritz
