// A preconditioner by its kind, of a matrix whose rows are divided or of a relative that is definite
// (chosen_preconditioner.hpp is that of one process).
//
//   const auto M = divided_preconditioner(A, PreconditionerKind::multigrid, PreconditionerBasis::dominant_part, {});
#pragma once

#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/multigrid/divided_aggregation.hpp"

#include <memory>

namespace ritz {

// All ranks make theirs together; null: none. A must outlive it. The options are those of multigrid. Throws Error:
// Exit::model or Exit::not_converged, on all ranks, where the basis is not positive definite.
std::unique_ptr<LinearOperator> divided_preconditioner(const DividedMatrix& A, PreconditionerKind kind,
                                                       PreconditionerBasis basis,
                                                       const DividedAggregationOptions& options);

}  // namespace ritz
