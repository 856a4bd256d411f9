// The integrals of a field on a space of lower order. Loads at nodes have no matrix, so they are omitted. A spring or a
// mass at a mid node, where the coarser space has none, is shared by the corners around it in the parts of linear
// interpolation. This is no less than the Galerkin product: w_a >= 0 and sum w_a = 1 give (sum w_a v_a)^2 <= sum w_a
// v_a^2, as a preconditioner needs it. Over ranks a part holds all mid nodes around the corners that it owns.
#pragma once

#include "fem/operator/integral.hpp"
#include "fem/space/function_space.hpp"

#include <vector>

namespace ritz {

// Each keeps its position; those at corners follow at the end.
std::vector<Integral> coarser_integrals(std::vector<Integral> integrals, const FunctionSpace& coarse);

}  // namespace ritz
