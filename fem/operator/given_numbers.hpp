// Coefficients of a form that vary, evaluated on the host at the points of a quadrature rule. Private to fem.
#pragma once

#include "mesh/quadrature.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/forms/form_value.hpp"

namespace ritz {

// At time t: [batch][point][number][lane], as element kernels read them.
std::vector<double> given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                                    const FormValue& form, double t);

}  // namespace ritz
