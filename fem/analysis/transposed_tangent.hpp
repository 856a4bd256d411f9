// The transposed tangent of equations at u, for adjoint solutions where it is not symmetric. Private to fem/analysis.
#pragma once

#include "fem/operator/operator.hpp"

namespace ritz {

// Without rows and columns of eliminated unknowns where `held` is given. On the host: such tangents are rare, and their
// adjoint is one solution.
SparseMatrix transposed_tangent(const Operator& equations, const Vector& u, const Constraints* held = nullptr);

}  // namespace ritz
