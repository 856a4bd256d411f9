// Equations between unknowns as a part of a space needs them: rows of u = T v of its nodes, with numbers of the whole
// space. A node that is followed may belong to any rank; one whose value is prescribed is left out, since its row and
// column are empty. Private to fem/analysis.
//
//   part.relations = relations_of(part.nodes, constraints);     // the first rank
#pragma once

#include "fem/space/constraints.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <span>

namespace ritz {

// nodes: of the space of the constraints, ascending.
DependentNodeRows relations_of(std::span<const Node> nodes, const Constraints& constraints);

}  // namespace ritz
