// What a form gives beside the unknown, as fields of the results: derived quantities, then what it keeps at points.
#pragma once

#include "apps/run.hpp"
#include "fem/form_record.hpp"
#include "fem/operator.hpp"
#include "io/vtu_writer.hpp"

#include <vector>

namespace ritz {

// Their names and numbers of components.
std::vector<Field> evaluated_fields(const FormRecord& record);

struct EvaluatedFields {
  std::vector<Field> nodal, cells;
};
// Their values, of the form of this name in the equations.
EvaluatedFields evaluate_fields(Run& run, const Operator& equations, const FormRecord& record, const Vector& u);

}  // namespace ritz
