// Nested levels of the nodes that one rank owns, from those of the whole space, which every rank has.
#pragma once

#include "fem/space/function_space.hpp"
#include "solvers/multigrid/nested_levels.hpp"

#include <vector>

namespace ritz {

// first: [rank + 1] nodes. Null where the space has none. Levels of simplices come from the pattern of the space, which
// is made for them alone.
NestedLevels nested_levels_of_rank(const FunctionSpace& whole, const std::vector<Index>& first, int rank);

}  // namespace ritz
