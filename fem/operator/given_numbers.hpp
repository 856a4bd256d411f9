// Coefficients of a form that vary, at the points of a quadrature rule. Expressions of the position, of time and of
// fields are evaluated on the device; functions of the host there, which needs the positions and copies the values.
// Private to fem.
#pragma once

#include "mesh/quadrature.hpp"
#include "fem/operator/fields_at_points.hpp"

#include <vector>

namespace ritz {

// Count of numbers that given_at_points() fills.
Index given_count(const ElementGroup& group, const QuadratureRule& rule, const FormValue& form);
// [number][lane] of a form whose numbers do not vary in space. Throws Error where there is no value.
std::vector<double> given_everywhere(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                                     const FormValue& form, double t);
// At time t: [batch][point][number][lane], as element kernels read them. `fields`: those of the owner of the numbers.
// Throws Error where there is no value.
void given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                     const FormValue& form, double t, FieldsAtPoints& fields, Vector& numbers);

}  // namespace ritz
