// A preconditioner by its kind, for any square matrix. Jacobi, Chebyshev and multigrid are at home with positive
// definite matrices; of others they are made of a relative that is definite, or nearly: the symmetric part, or that
// part with its diagonal raised until it dominates.
//
//   ChosenPreconditioner M(A, PreconditionerKind::multigrid, PreconditionerBasis::dominant_part, {});
#pragma once

#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <string>

namespace ritz {

enum class PreconditionerBasis { matrix, symmetric_part, dominant_part };
std::string name_of(PreconditionerBasis basis);  // after that of a preconditioner: " of the symmetric part", or ""

// A preconditioner of A itself, a SparseMatrix or the DividedMatrix of all ranks; null: none. A must outlive it. Throws
// Error: Exit::model or Exit::not_converged, over ranks on all of them, when the preconditioner finds that A is not
// positive definite.
template <class Matrix>
std::unique_ptr<LinearOperator> preconditioner_of(const Matrix& A, PreconditionerKind kind,
                                                  const SmoothedAggregationOptions& multigrid);

class ChosenPreconditioner {
 public:
  // Throws as above, where the basis is not positive definite.
  template <class Matrix>
  ChosenPreconditioner(const Matrix& A, PreconditionerKind kind, PreconditionerBasis basis,
                       const SmoothedAggregationOptions& multigrid);

  const LinearOperator* get() const { return operator_.get(); }  // nullptr: none
  std::string name() const;                                      // "multigrid of the symmetric part"
  // After a change of A's values; false: this one is rebuilt, as all are over ranks. Throws as the constructor does.
  bool refresh();

 private:
  PreconditionerBasis basis_;
  std::unique_ptr<LinearOperator> part_;  // a matrix
  std::unique_ptr<LinearOperator> operator_;
  bool refreshes_ = false;
};

// The bases worth trying for this matrix, best first.
std::vector<PreconditionerBasis> preconditioner_bases(LinearMethod method, PreconditionerKind kind,
                                                      const MatrixTraits& traits, MatrixPromise promise);

}  // namespace ritz
