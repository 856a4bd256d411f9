// P^T A P over ranks: entries of each rank travel to the owners of their rows. Private to solvers/multigrid.
//
//   std::unique_ptr<DividedMatrix> coarse = divided_product(A, true, nodes, P);      // all ranks call it
#pragma once

#include "solvers/multigrid/coarse_nodes.hpp"
#include "solvers/algebra/divided_matrix.hpp"

#include <memory>

namespace ritz {

// P [owned] x [nodes]; its columns become those of the result, [owned | ghosts]. diagonal: the blocks of P are.
std::unique_ptr<DividedMatrix> divided_product(const DividedMatrix& A, bool diagonal, CoarseNodes& nodes,
                                               BlockMatrix& P);

}  // namespace ritz
