// The constraints of a coarser field on the same mesh, for p-multigrid: homogeneous, as corrections are.
#pragma once

#include "fem/space/constraints.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <memory>

namespace ritz {

// Over ranks: the equations of the coarse field on its part, which come from those of the whole one.
struct CoarserRelations {
  DependentNodeRows rows;
  std::shared_ptr<const Ghosts> ghosts;  // null: one process
};

// A coarse unknown is prescribed if those of all fine nodes around it are: on the smallest vertex, edge, facet or cell
// that holds its node. It follows others if all of them follow others or are prescribed.
std::unique_ptr<Constraints> coarser_constraints(const Constraints& fine, const FunctionSpace& coarse,
                                                 const CoarserRelations& over_ranks = {});

}  // namespace ritz
