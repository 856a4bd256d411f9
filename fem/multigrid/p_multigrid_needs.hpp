// What p-multigrid (fem/multigrid/p_multigrid.hpp) will take of the device's pool, before it is made.
#pragma once

#include "device/memory_needs.hpp"
#include "fem/operator/operator.hpp"

namespace ritz {

struct PMultigridNeeds {
  MemoryNeeds live;    // beside the operator of the finest level, while it iterates
  MemoryNeeds set_up;  // at its fullest moment while it is made
  double cycle = 0;    // bytes moved by one cycle, for an estimate of the time
};

// Of equations on a space of order 2 and above. The coarser spaces are made, asked, and given back: their numberings
// and connectivities are exact, lists sampled, and the hierarchy of order 1 comes from the model of
// solvers/multigrid/hierarchy_needs.hpp.
PMultigridNeeds p_multigrid_needs(const Operator& equations);

}  // namespace ritz
