// The constraints of a coarser field on the same mesh, for p-multigrid: homogeneous, as corrections are.
#pragma once

#include "fem/space/constraints.hpp"

#include <memory>

namespace ritz {

// A coarse unknown is prescribed if those of all fine nodes around it are: on the smallest vertex, edge, facet or cell
// that holds its node. It follows others if all of them follow others or are prescribed. Both spaces must outlive the
// result.
std::unique_ptr<Constraints> coarser_constraints(const Constraints& fine, const FunctionSpace& coarse);

}  // namespace ritz
