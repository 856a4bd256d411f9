// Equations between unknowns as a part of a space needs them: rows of u = T v of its nodes, with numbers of the whole
// space. A node that is followed may belong to any rank. Private to fem/ranks.
//
//   part.relations = relations_of(constraints, first, last, others);
#pragma once

#include "fem/space/constraints.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <span>

namespace ritz {

// free: prescribed ones are left out, since their rows and columns of a matrix are empty.
enum class FollowedUnknowns { all, free };

// Rows of the nodes from `first` to below `last`, and of others, ascending, as the space of the constraints numbers
// them.
DependentNodeRows relations_of(const Constraints& constraints, Index first, Index last, std::span<const Index> others,
                               FollowedUnknowns followed = FollowedUnknowns::free);

}  // namespace ritz
