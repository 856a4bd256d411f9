// Memory of a multigrid hierarchy whose levels ranks have together (divided_aggregation.hpp), of one rank and before it
// is set up.
//
//   const HierarchyNeeds needs = divided_needs(shape_of_own_rows, nodes_of_all, options);
#pragma once

#include "solvers/multigrid/divided_aggregation.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

namespace ritz {

// local: of the rank's rows with those of its ghosts. nodes: of all ranks.
HierarchyNeeds divided_needs(const HierarchyShape& local, Index nodes, const DividedAggregationOptions& options);
// The part beside the levels of a hierarchy of its own rows: the levels that every rank has.
HierarchyNeeds replicated_needs(const HierarchyShape& local, Index nodes, const DividedAggregationOptions& options);

}  // namespace ritz
