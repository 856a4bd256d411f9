// Coefficients of a form that vary, at the points of a quadrature rule. Expressions of the position, of time and of
// fields on the mesh of the space are evaluated on the device; functions of the host and fields on other meshes on the
// host, which needs the positions and copies the values. Private to fem.
#pragma once

#include "mesh/quadrature.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/forms/form_value.hpp"

namespace ritz {

// Count of numbers that given_at_points() fills.
Index given_count(const ElementGroup& group, const QuadratureRule& rule, const FormValue& form);
// At time t: [batch][point][number][lane], as element kernels read them. Throws Error where there is no value.
void given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                     const FormValue& form, double t, Vector& numbers);

}  // namespace ritz
