// Forecast of the memory of p-multigrid (fem/multigrid/p_multigrid.hpp) in the device's pool.
#pragma once

#include "device/memory_needs.hpp"
#include "fem/operator/divided_field.hpp"
#include "fem/operator/operator.hpp"

namespace ritz {

struct PMultigridNeeds {
  MemoryNeeds live;          // besides the operator of the finest level, while it iterates
  MemoryNeeds set_up;        // at its fullest moment while it is made
  Index lists_on_a_gpu = 0;  // [bytes] of the coarsest matrix, at most, on top of set_up; 0 on a GPU
  double cycle = 0;          // bytes moved by one cycle, for an estimate of the time
};

struct PMultigridPlan {
  bool shifted = false;  // masses are added to the matrix of order 1
  // The equations are the part of a rank, whose hierarchy ends with a level that all ranks have: without that level.
  bool divided = false;
};

// For equations on a space of order 2 and above. The coarser spaces are made, counted, and given back: their numberings
// and connectivities are exact, lists are sampled, and the hierarchy of order 1 comes from the model of
// solvers/multigrid/hierarchy_needs.hpp.
PMultigridNeeds p_multigrid_needs(const Operator& equations, PMultigridPlan plan = {});
// Needs of the part of a rank, with the level that every rank has.
PMultigridNeeds p_multigrid_needs(const Operator& equations, const DividedField& field, bool shifted = false);

}  // namespace ritz
