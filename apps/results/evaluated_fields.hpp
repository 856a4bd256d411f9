// Fields that a form gives in addition to the unknown: derived quantities, then internal variables.
#pragma once

#include "apps/results/derived_fields.hpp"
#include "fem/forms/form_record.hpp"

#include <vector>

namespace ritz {

// Their names and numbers of components; all, and those at nodes and in cells.
std::vector<Field> evaluated_fields(const FormRecord& record);
EvaluatedFields evaluated_names(const FormRecord& record);
// The derived numbers from `first` on as these fields.
EvaluatedFields fields_of(Results& results, const FunctionSpace& space, const DerivedFields& derived, int first,
                          const std::vector<Field>& names, bool in_cells);
// Their values, of the form of this name in the equations.
EvaluatedFields evaluate_fields(Results& results, const Operator& equations, const FormRecord& record, const Vector& u);

}  // namespace ritz
