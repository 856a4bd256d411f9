// Memory that a mixed operator will take, counted or sampled.
//
//   matrix_needs(equations) + list_needs(equations, true, false)
#pragma once

#include "device/memory_needs.hpp"

namespace ritz {

class FieldsOperator;

MemoryNeeds matrix_needs(const FieldsOperator& equations);  // of make_matrix()
// Lists, buffers and coefficients that assemble(), or residual() and action(), make at their first call.
MemoryNeeds list_needs(const FieldsOperator& equations, bool of_matrix, bool of_vectors);

}  // namespace ritz
